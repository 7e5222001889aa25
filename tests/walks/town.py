"""A town for walks: one repository, played agents and checks, drivers that come, tick, die, and others that come after.

Everything but the processes is real: git, the store, the forge, worktrees, landing.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from gitsched.domain.forge import IssueDraft
from gitsched.domain.records import Control
from gitsched.domain.runs import Milestone, RunEnd
from gitsched.domain.state import State
from gitsched.domain.words import EntryStatus, MemberStatus, MilestoneStatus
from gitsched.engine.driver import Driver
from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
from gitsched.engine.intake.pausing import resume_scheduler
from gitsched.engine.sweep import sweep
from gitsched.engine.tick import tick
from gitsched.errors import RefusedError, TemporaryError, UsageError
from gitsched.policy.idle import is_settled
from gitsched.wiring.clone import Clone
from tests.engine.relay import without_guard
from tests.real_git import run_git
from tests.walks.host import DriverProcesses, Key, PlayedProcesses, PlayedRunner, StillWaker
from tests.walks.mortal import Fate, Killed, mortal
from tests.walks.plays import PLAYS
from tests.walks.properties import Properties

ISSUES = tuple(range(1, 10))
TICKS_TO_REST = 200

CONFIGURATION = """
[project]
target = "main"
[slots]
max = 3
[agents]
default = "fake"
[agents.fake]
command = ["true"]
completion = "exit"
[worktrees]
dir = "{trees}"
[store]
fsync = false
[disk]
floor = "0B"
[land]
conflict = "{conflict}"
[[gates]]
name = "unit"
run = ["true"]
kind = "check"
[suite]
run = ["true", "{{report}}"]
report = "junit"
[ship]
merge = "direct"
"""
_CASE = '<testcase classname="tests.{name}" name="test_it" file="tests/{name}.py">{inner}</testcase>'


def template(repo: Path) -> None:
    """Make a repository, as it stands before any walk, of one that has a first commit."""
    (repo / "app.py").write_text("total = 0\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "Begin")
    (repo / ".git" / "info" / "exclude").write_text("gitsched.toml\n")
    (repo / "gitsched.toml").write_text(CONFIGURATION.format(trees="/", conflict="retry"))
    clone = Clone(repo)
    clone.store.initialise(Control(slots_max=3))
    from gitsched.adapters.forge.tracker import Tracker

    tracker = Tracker(repo / ".git", clone.clock, "ada", fsync=False)
    for issue in ISSUES:
        tracker.new_issue(IssueDraft(title=f"Issue {issue}"))


class Townsman:
    """A driver of the town, registered until it leaves or dies."""

    def __init__(self, town: "Town") -> None:
        """Be born, register and sweep."""
        self._town = town
        self._processes = DriverProcesses(town.played)
        self.fate = Fate()
        clone = Clone(town.repo)
        real = replace(
            clone.surroundings(),
            runner=town.runner,
            processes=self._processes,
            waker=StillWaker(),
            programs=lambda _: True,
        )
        self.driver = Driver(mortal(real, self.fate), clone.settings, without_guard)
        self.is_dead = False
        self._live(self._begin)

    def _begin(self) -> None:
        self.driver._register()
        sweep(self.driver.desk)

    def tick(self) -> int:
        """Tick once, and say how much was done; dead drivers do nothing."""
        done = 0

        def once() -> None:
            nonlocal done
            done = tick(self.driver.desk, self.driver._gatherer, without_guard).performed_count

        self._live(once)
        return done

    def leave(self) -> None:
        """Leave in an orderly way."""
        self._live(self.driver._leave)
        self._processes_end()

    def _live(self, deed: Callable[[], None]) -> None:
        if self.is_dead:
            return
        try:
            deed()
        except Killed:
            self._processes_end()
        except TemporaryError:
            pass  # as a face takes it: another time

    def _processes_end(self) -> None:
        self.is_dead = True
        self._town.played.die(self._processes.me)


class Town:
    """One repository and everybody who works on it."""

    def __init__(self, made: Path, folder: Path, conflict: str) -> None:
        """Copy a made repository into a folder and begin there."""
        self.folder = folder
        self.repo = Path(shutil.copytree(made, folder / "repo", symlinks=True))
        trees = folder / "trees"
        (self.repo / "gitsched.toml").write_text(CONFIGURATION.format(trees=trees, conflict=conflict))
        self.clone = Clone(self.repo)
        self.played = PlayedProcesses()
        self.runner = PlayedRunner(self.repo / ".git", self.clone.run_refs, self.clone.clock, self.played)
        self.properties = Properties(self.repo, self.clone.clock)
        self.drivers: list[Townsman] = []
        self.steps = 0
        self.moves = 0

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

    def asked(self, verb: Callable[[], object]) -> None:
        """Do what an operator does; a refusal changes nothing."""
        try:
            verb()
        except (RefusedError, UsageError):
            return

    def enqueue(self, *issues: int, **fields: object) -> None:
        """Enqueue issues as an operator does."""
        request = EnqueueRequest(issues=issues, **fields)  # type: ignore[arg-type]
        enqueue(self.clone.store, self.clone.forge, self.clone.settings, request, "ada")

    def agents(self) -> list[Key]:
        """List the agents that run, in the order of their start."""
        return [key for key in self.runner.live if key[1].isdigit()]

    def jobs(self) -> list[Key]:
        """List the jobs that run, in the order of their start."""
        return [key for key in self.runner.live if not key[1].isdigit()]

    def end_agent(self, key: Key, how: str) -> None:
        """Let an agent come to its end in one of several ways."""
        order = self.runner.live[key]
        issue = int(key[1])
        PLAYS[how](order, issue)
        code = 1 if how == "fails" else 0
        if how == "hands-back":
            at, keys = self.clone.clock.now(), {"reason": "no key"}
            self.runner.post(
                key, Milestone(phase="review", status=MilestoneStatus.BLOCKED, gen=key[2], at=at, keys=keys)
            )
        self.runner.end(key, RunEnd(code=code, at=self.clone.clock.now()))

    def end_job(self, key: Key) -> None:
        """Let a gate or a suite judge the tree that it stands in."""
        order = self.runner.live[key]
        tree = Path(order.cwd)
        broken = sorted(path.stem for path in (tree / "tests").glob("test_m*.py"))
        code = int((tree / "bad.txt").exists()) if key[1].startswith("gate-") else int(bool(broken))
        inner = "".join(_CASE.format(name=name, inner='<failure message="no"/>') for name in broken)
        passing = _CASE.format(name="test_fine", inner="")
        (Path(order.folder) / "report").write_text(f"<testsuite>{inner}{passing}</testsuite>")
        self.runner.end(key, RunEnd(code=code, at=self.clone.clock.now()))

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
        self.asked(lambda: resume_scheduler(self.clone.store, "ada"))
        for _ in range(TICKS_TO_REST):
            driver = self.living()[0]
            driver.fate.dies_at = driver.fate.interlude = None
            for key in self.agents():
                self.end_agent(key, way)
            for key in self.jobs():
                self.end_job(key)
            if not driver.tick() and not self.runner.live:
                break
        else:
            raise AssertionError("it does not come to rest")
        for driver in self.living():
            driver.leave()
        last = Townsman(self)
        last.leave()
        self._expect_rest(self.properties.look(at_rest=True))

    def _expect_rest(self, state: State) -> None:
        told = {issue: (str(e.status), e.batch, e.reason, e.hold) for issue, e in state.entries.items()}
        if not state.control.paused:
            assert is_settled(state), (
                f"something stands still: {told}, {[(b.id, b.status, b.reason) for b in state.batches.values()]}"
            )
        assert not state.drivers, state.drivers
        assert not state.jobs, state.jobs
        assert not self.runner.runs(), self.runner.runs()
        named = {member.tree for member in state.members.values()}
        held = {str(path) for path in self.clone.trees.owners()}
        assert held <= named, f"trees that no record names: {held - named}"
        self._p5_nothing_of_the_evicted(state)

    def _p5_nothing_of_the_evicted(self, state: State) -> None:
        shipped = {m.issue for m in state.members.values() if m.status is MemberStatus.SHIPPED}
        paths = set(run_git(self.repo, "ls-tree", "-r", "--name-only", "main").splitlines())
        for issue in ISSUES:
            if issue not in shipped:
                assert f"file{issue}.txt" not in paths, f"P5: work of {issue} is in the target, and it has not shipped"
        done = [i for i, entry in state.entries.items() if entry.status is EntryStatus.DONE]
        assert set(done) <= shipped, f"done without having shipped: {set(done) - shipped}"
