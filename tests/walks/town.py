"""A town for walks: one repository, played agents and checks, drivers that come, tick, die, and others that come after.

Everything but the processes and the clock is real: git, the store, the forge, worktrees, landing.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.forge import IssueDraft
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Control, Holder, Lease
from gitsched.domain.runs import Milestone
from gitsched.domain.state import State
from gitsched.domain.words import MilestoneStatus
from gitsched.engine.claiming import release, say_done
from gitsched.engine.desk import Desk
from gitsched.engine.intake.booking import cancel_schedule
from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
from gitsched.engine.intake.pausing import resume_scheduler
from gitsched.errors import RefusedError, TemporaryError, UsageError
from gitsched.wiring.clone import Clone
from tests.real_git import run_git
from tests.walks.clock import PlayedClock
from tests.walks.host import DriverProcesses, Key, PlayedProcesses, PlayedRunner
from tests.walks.judging import judge
from tests.walks.manners import Manners
from tests.walks.plays import PLAYS, end_of, last_word
from tests.walks.properties import Properties
from tests.walks.rest import expect_rest
from tests.walks.townsman import Townsman, surroundings_in

ISSUES = tuple(range(1, 10))
TICKS_TO_REST = 400
NIGHTS_S = 3 * 86_400.0
PERSON = "ada"


def template(repo: Path) -> None:
    """Make a repository, as it stands before any walk, of one that has a first commit."""
    (repo / "app.py").write_text("total = 0\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "Begin")
    (repo / ".git" / "info" / "exclude").write_text("gitsched.toml\n")
    (repo / "gitsched.toml").write_text(Manners().text("/"))
    clone = Clone(repo)
    clone.clock = PlayedClock()
    clone.store.initialise(Control(slots_max=3))
    tracker = Tracker(repo / ".git", clone.clock, PERSON, fsync=False)
    for issue in ISSUES:
        tracker.new_issue(IssueDraft(title=f"Issue {issue}"))


class Town:
    """One repository and everybody who works on it."""

    def __init__(self, made: Path, folder: Path, manners: Manners, clock: PlayedClock | None = None) -> None:
        """Copy a made repository into a folder and begin there."""
        self.folder = folder
        self.repo = Path(shutil.copytree(made, folder / "repo", symlinks=True))
        (self.repo / "gitsched.toml").write_text(manners.text(folder / "trees"))
        self.clock = clock or PlayedClock()
        self.clone = self.opened()
        self.played = PlayedProcesses()
        self.runner = PlayedRunner(self.repo / ".git", self.clone.run_refs, self.clock, self.played)
        self.tracker = Tracker(self.repo / ".git", self.clock, PERSON, fsync=False)
        self.properties = Properties(self.repo, self.clock)
        self.drivers: list[Townsman] = []
        self.moves = 0

    def opened(self) -> Clone:
        """Open the repository as a new process of this town would."""
        clone = Clone(self.repo)
        clone.clock = self.clock
        return clone

    @staticmethod
    def state_of(repo: Path) -> State:
        """Read the state of a repository as a new process would."""
        return Clone(repo).store.read()

    @property
    def state(self) -> State:
        """Read the state as a person would."""
        return self.clone.store.read()

    def living(self) -> list[Townsman]:
        """List the living drivers; one is born where there is none."""
        self.drivers = [driver for driver in self.drivers if not driver.is_dead]
        if not self.drivers:
            self.drivers.append(Townsman(self))
        return self.drivers

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        """Give a desk to a person's verb that performs something by itself."""
        processes = DriverProcesses(self.played)
        own = processes.me
        me = Holder(host=own.host, boot_id=own.boot_id, pid=own.pid, started=own.started, driver=f"cli-{own.pid}")
        yield Desk(surroundings_in(self, processes), me, self.clone.settings)
        self.played.die(own)

    def asked(self, verb: Callable[[], object]) -> None:
        """Do what an operator does; a refusal changes nothing, and what is not possible now is for another time."""
        before = self.state
        try:
            verb()
        except (RefusedError, UsageError):
            assert self.state == before, "it was refused, and something has changed"
        except TemporaryError:
            return

    def enqueue(self, *issues: int, **fields: object) -> None:
        """Enqueue issues as an operator does."""
        request = EnqueueRequest(issues=issues, **fields)  # type: ignore[arg-type]
        enqueue(self.clone.store, self.clone.forge, self.clone.settings, request, PERSON)

    def agents(self) -> list[Key]:
        """List the agents that run, in the order of their start."""
        return [key for key in self.runner.live if key[1].isdigit()]

    def jobs(self) -> list[Key]:
        """List the jobs that run, in the order of their start."""
        return [key for key in self.runner.live if not key[1].isdigit()]

    def claims(self) -> list[Lease]:
        """List what people work by hand."""
        state = self.state
        return [lease for key, lease in sorted(state.leases.items()) if lease.worked_by and state.members[key].tree]

    def end_agent(self, key: Key, how: str) -> None:
        """Let an agent come to its end in one of several ways."""
        PLAYS[how](self.runner.live[key], int(key[1]))
        word = last_word(how, key[2], self.clock.now())
        if word is not None:
            self.runner.post(key, word)
        self.runner.end(key, end_of(how, self.clock.now()))

    def end_job(self, key: Key, how: str = "honest") -> None:
        """Let a job of the engine judge the tree that it stands in, or go another way."""
        end = judge(self.runner.live[key], how, self.clock.now())
        if end is None:
            self.runner.lose_worker(key, with_agent=True)
        else:
            self.runner.end(key, end)

    def finish_by_hand(self, lease: Lease, how: str) -> None:
        """Let a person who has claimed an issue work on it and say the last word."""
        member, now = self.state.members[lease.batch, lease.issue], self.clock.now()
        order = self.runner.by_hand(lease, member.tree or "")
        PLAYS[how](order, lease.issue)
        done = Milestone(phase="review", status=MilestoneStatus.DONE, gen=lease.gen, at=now)
        head = self.clone.refs.resolve(branch_ref(member.branch))
        said = last_word(how, lease.gen, now) or done
        say_done(self.clone.run_refs, lease, said, head, self.played.born())

    def move_target(self) -> None:
        """Commit on the target in the user's checkout."""
        self.moves += 1
        (self.repo / f"user{self.moves}.txt").write_text("mine\n")
        run_git(self.repo, "add", f"user{self.moves}.txt")
        run_git(self.repo, "commit", "-q", "-m", f"Move {self.moves}")

    def look(self) -> None:
        """Check the properties, and that no job runs of which no record tells."""
        state = self.properties.look()
        known = {(job.batch, job.run) for job in state.jobs.values()}
        unknown = [key for key in self.jobs() if key[:2] not in known]
        assert not unknown, f"jobs run that no record tells of: {unknown}"

    def come_to_rest(self, way: str = "good") -> None:
        """Let everybody come to an end from now on until nothing can move without a person; look at what is left."""
        self.asked(lambda: resume_scheduler(self.clone.store, PERSON))
        self._people_go_home()
        nights_end_at = self.clock.monotonic_s() + NIGHTS_S
        for _ in range(TICKS_TO_REST):
            drivers = self.living()
            for key in self.agents():
                self.end_agent(key, way)
            for key in self.jobs():
                self.end_job(key)
            before = self.clone.store.tip
            for driver in drivers:  # what one has been given it brings under way by itself
                driver.fate.dies_at = driver.fate.interlude = None
                driver.tick()
            if self.runner.live or self._has_moved(before):
                continue
            wakes_s = [one.last.plan.wake_after_s for one in drivers if one.last is not None]
            due_s = [wake_s for wake_s in wakes_s if wake_s is not None]
            if not due_s:
                break
            self.clock.pass_by(min(due_s) + 1.0)
            if self.clock.monotonic_s() > nights_end_at:  # what waits for a person is tried every night
                self._cancel_schedules()
        else:
            raise AssertionError("it does not come to rest")
        plan = self.living()[0].last
        assert plan is not None
        for driver in self.living():
            driver.leave()
        last = Townsman(self)
        last.leave()
        expect_rest(self, self.properties.look(at_rest=True), plan)

    def _has_moved(self, before: str | None) -> bool:
        self.clone.store.read()
        return self.clone.store.tip != before

    def _people_go_home(self) -> None:
        for lease in self.claims():
            self.asked(lambda issue=str(lease.issue): release(self.clone.store, issue, PERSON))  # type: ignore[misc]

    def _cancel_schedules(self) -> None:
        for schedule in list(self.state.schedules):
            self.asked(lambda name=schedule: cancel_schedule(self.clone.store, name, PERSON))  # type: ignore[misc]
