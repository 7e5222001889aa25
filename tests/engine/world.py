"""The engine's world in verbs: a real repository, real agents (shell scripts), the real engine on the local forge.

    world.issue(1, "Add a"); world.agent(1, "echo a > a.txt")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)

An agent's script runs in its worktree under `sh -eu`; afterwards everything is committed, and it ends as `ends` says.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.adapters.forge.tracker import Tracker
from gitsched.cli.looking import picture_of
from gitsched.domain.effects import Merge
from gitsched.domain.events import Event
from gitsched.domain.forge import Issue, IssueDraft, PullRequestView
from gitsched.domain.records import Batch, Control, Entry, Member
from gitsched.domain.state import State
from gitsched.domain.words import TERMINAL_BATCHES, MemberStatus
from gitsched.engine.driver import Driver, Ending, Until
from gitsched.engine.intake.capacity import change_slots
from gitsched.engine.intake.ending import AbandonRequest, StopRequest, abandon, stop
from gitsched.engine.intake.enqueue import EnqueueAnswer, EnqueueRequest, enqueue
from gitsched.engine.intake.holding import HoldRequest, UnholdRequest, hold, unhold
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.engine.intake.requeueing import RequeueRequest, requeue
from gitsched.engine.intake.resuming import ResumeRequest, resume
from gitsched.engine.perform.table import perform
from gitsched.errors import RefusedError
from gitsched.policy.diagnose import diagnose
from gitsched.policy.precondition import Precondition
from gitsched.ports.store import Entry as JournalEntry
from gitsched.view.status import status_document
from gitsched.view.why import Why, reasons_of_entry, why
from gitsched.wiring.clone import Clone
from gitsched.wiring.doctor import checkup_of
from gitsched.wiring.operator import desk_of
from tests.engine.barrier import Barrier
from tests.engine.relay import without_guard
from tests.engine.scripts import AGENT, CONFIG, GITSCHED, SUITE
from tests.real_git import run_git

PERSON = "ada"


class World:
    """One repository and what people, agents and the engine do with it."""

    def __init__(self, repo: Path, home: Path) -> None:
        """Stand on a repository with one commit on main."""
        self.repo = repo
        self.scripts = home / "agents"
        self.scripts.mkdir()
        self.trees = home / "trees"
        self._slots, self._completion, self._more = 4, "exit", SUITE
        (self.scripts / "agent").write_text(AGENT.format(scripts=self.scripts, gitsched=GITSCHED))
        (repo / "suite.sh").write_text("exit 0\n")
        self.commit("Add a suite")
        self.configure()
        self.clone.store.initialise(Control(slots_max=self._slots))

    def commit(self, message: str) -> str:
        """Commit everything in the user's checkout, as the user."""
        run_git(self.repo, "add", "-A")
        run_git(self.repo, "commit", "-q", "-m", message)
        return run_git(self.repo, "rev-parse", "HEAD")

    def configure(self, more: str = "", *, slots: int = 4, completion: str = "exit", suite: str = SUITE) -> None:
        """Write gitsched.toml: `more` in TOML beside what every world has."""
        merge = "" if "[ship]" in more else '[ship]\nmerge = "direct"\n'
        text = CONFIG.format(
            slots=slots,
            scripts=self.scripts,
            completion=completion,
            trees=self.trees,
            more=f"{suite}\n{merge}\n{more}",
        )
        (self.repo / "gitsched.toml").write_text(text)
        (self.repo / ".git" / "info" / "exclude").write_text("gitsched.toml\n")
        self.clone = Clone(self.repo)

    def issue(self, number: int, title: str = "", body: str = "", **fields: object) -> None:
        """Open issues up to this number; this one with the given title, body, labels, files and deps."""
        tracker = self.tracker
        draft = IssueDraft(title=title or f"Issue {number}", body=body, **fields)  # type: ignore[arg-type]
        while (made := tracker.new_issue(draft)) < number:
            pass
        assert made == number, f"issue {number} was to be opened, the forge is at {made}"

    def issues(self, *numbers: int) -> None:
        """Open issues that need nothing special, in order."""
        for number in numbers:
            self.issue(number)

    def agent(self, issue: int, script: str = "", *, gen: int | None = None, ends: str = "exit 0") -> None:
        """Say what the agent of an issue does; by default it writes a file of its own and exits well."""
        body = script or f"echo {issue} > file{issue}.txt"
        name = f"{issue}.sh" if gen is None else f"{issue}.{gen}.sh"
        commit = f'git add -A; git commit -q -m "Work on {issue}" || true'
        (self.scripts / name).write_text(f"{body}\n{commit}\n{ends}\n")

    def agents(self, *issues: int) -> None:
        """Let these issues' agents do their plain work."""
        for issue in issues:
            self.agent(issue)

    def enqueue(self, *issues: int, **fields: object) -> EnqueueAnswer:
        """Enqueue issues as `gitsched enqueue` does."""
        request = EnqueueRequest(issues=issues, **fields)  # type: ignore[arg-type]
        return enqueue(self.clone.store, self.clone.forge, self.clone.settings, request, PERSON)

    @property
    def tracker(self) -> Tracker:
        """Give the local forge as a person uses it."""
        return Tracker(self.repo / ".git", self.clone.clock, PERSON)

    def requeue(self, issue: int, *allow: str, into: str | None = None) -> None:
        """Send a parked issue back to work as `gitsched requeue` does."""
        request = RequeueRequest(issue=str(issue), into=into, allow=allow)
        requeue(self.clone.store, self.clone.settings, request, PERSON)

    def resume(self, unit: str, *, reload: bool = False) -> None:
        """Let a blocked batch or a held issue go on."""
        resume(self.clone.store, self.clone.settings, ResumeRequest(unit, reload=reload), PERSON)

    def stop(self, unit: str) -> None:
        """End an issue or a batch."""
        stop(self.clone.store, StopRequest(unit), PERSON)
        self.clone.wake_all()

    def abandon(self, batch: str = "b1", *, keep: bool = False) -> None:
        """Give a batch up."""
        abandon(self.clone.store, AbandonRequest(batch, keep=keep), PERSON)
        self.clone.wake_all()

    def hold(self, issue: int) -> None:
        """Keep an issue where it is."""
        hold(self.clone.store, HoldRequest(str(issue)), PERSON)

    def unhold(self, issue: int) -> None:
        """Let a held issue go on."""
        unhold(self.clone.store, UnholdRequest(str(issue)), PERSON)

    def slots(self, count: int) -> None:
        """Let that many agents work at once, from now on."""
        change_slots(self.clone.store, count, PERSON)

    def pause(self) -> None:
        """Start nothing new."""
        pause(self.clone.store, PauseRequest(), PERSON)
        self.clone.wake_all()

    def unpause(self) -> None:
        """Start new runs again."""
        resume_scheduler(self.clone.store, PERSON)
        self.clone.wake_all()

    def merge(self, batch: str = "b1") -> None:
        """Merge a batch's pull request as `gitsched pr merge` does."""
        with desk_of(Clone(self.repo)) as desk:
            perform(Merge(batch), desk)

    def waits(self, issue: int) -> tuple[str, ...]:
        """List every reason why an issue does not run, as `gitsched why` finds them."""
        picture = picture_of(Clone(self.repo))
        return reasons_of_entry(picture, picture.state.entries[issue])

    def refusal(self, call: Callable[[], object]) -> str:
        """Give the words in which something is refused; it must be."""
        with pytest.raises(RefusedError) as refused:
            call()
        return str(refused.value)

    def why(self, issue: int) -> Why:
        """Explain an issue as `gitsched why` does."""
        picture = picture_of(Clone(self.repo))
        return why(picture, picture.state.entries[issue])

    def why_batch(self, batch: str = "b1") -> Why:
        """Explain a batch as `gitsched why` does."""
        picture = picture_of(Clone(self.repo))
        return why(picture, picture.state.batches[batch])

    def status(self) -> dict[str, Any]:
        """Give what `gitsched status --json --all` prints."""
        return status_document(picture_of(Clone(self.repo)), include_ended=True)

    def doctor(self) -> tuple[Precondition, ...]:
        """Look at every precondition, as `gitsched doctor` does."""
        return diagnose(checkup_of(Clone(self.repo)))

    def driver_with(self, **ports: object) -> Driver:
        """Make a driver of which some ports are changed: `trees=Relay(world.clone.trees, acquire=…)`."""
        clone = Clone(self.repo)
        return Driver(replace(clone.surroundings(), **ports), clone.settings, without_guard)

    def driver(self) -> Driver:
        """Make a driver of its own process's kind."""
        return Clone(self.repo).driver(without_guard)

    def tick(self) -> Ending:
        """Make one pass."""
        return self.driver().run(Until.ONCE)

    def run(self, issues: Collection[int] | None = None) -> Ending:
        """Drive until nothing can move without a person."""
        return self.driver().run(Until.IDLE, issues)

    @property
    def state(self) -> State:
        """Read the state as a new process would."""
        return Clone(self.repo).store.read()

    def entry(self, issue: int) -> Entry:
        """Read one row of the queue."""
        return self.state.entries[issue]

    def batch(self, batch: str = "b1") -> Batch:
        """Read one batch."""
        return self.state.batches[batch]

    def member(self, issue: int, batch: str = "b1") -> Member:
        """Read one member."""
        return self.state.members[batch, issue]

    def journal(self, batch: str | None = None) -> list[JournalEntry]:
        """Read the journal, oldest first."""
        entries = list(Clone(self.repo).store.history(f"batches/{batch}" if batch else None))
        return entries[::-1]

    def events(self, name: str | None = None) -> list[tuple[str, int | None]]:
        """List (event, issue), oldest first; only those of this name when one is given."""
        found = [(str(event.name), event.issue) for entry in self.journal() for event in entry.events]
        return [event for event in found if name is None or event[0] == name]

    def told(self, name: str, issue: int | None = None) -> list[Event]:
        """List the events of this name, and of this issue when one is given, oldest first."""
        found = [event for entry in self.journal() for event in entry.events if event.name == name]
        return [event for event in found if issue in (None, event.issue)]

    def lines(self, file: str) -> list[str]:
        """Read what scripts have appended to a file beside the agents' scripts."""
        path = self.scripts / file
        return path.read_text().splitlines() if path.exists() else []

    def barrier(self, name: str) -> Barrier:
        """Make a place where scripts wait, with `read -r _ < PATH`, until the test opens it."""
        return Barrier(self.scripts / name)

    def started(self) -> list[str]:
        """List `issue gen` of every agent that was started, in order."""
        file = self.scripts / "started"
        return file.read_text().splitlines() if file.exists() else []

    def forge_issue(self, number: int) -> Issue:
        """Read an issue from the forge."""
        return Clone(self.repo).forge.issues([number])[number]

    def request(self, batch: str = "b1") -> PullRequestView:
        """Read a batch's pull request from the forge."""
        request = self.batch(batch).pr
        seen = Clone(self.repo).forge.pull_request(request.number) if request is not None else None
        assert seen is not None, f"{batch} has no pull request"
        return seen

    def show(self, path: str, ref: str = "main") -> str:
        """Read a file of a branch."""
        return run_git(self.repo, "show", f"{ref}:{path}")

    def paths(self, ref: str = "main") -> set[str]:
        """List the files of a branch."""
        return set(run_git(self.repo, "ls-tree", "-r", "--name-only", ref).splitlines())

    def expect_landed(self, *issues: int, batch: str = "b1") -> None:
        """Check that exactly these members landed or shipped, in this order."""
        members = self.state.members_of(self.state.batches[batch])
        done = [m.issue for m in members if m.status in (MemberStatus.LANDED, MemberStatus.SHIPPED)]
        assert done == list(issues), (
            f"landed {done}, wanted {list(issues)}: {[(m.issue, m.status, m.reason) for m in members]}"
        )

    def expect_clean(self) -> None:
        """Check that nothing is left behind: no lease, job, driver, run ref, lock, worktree or temporary ref."""
        state = self.state
        assert not state.leases, dict(state.leases)
        assert not state.jobs, dict(state.jobs)
        assert not state.drivers, dict(state.drivers)
        refs = run_git(self.repo, "for-each-ref", "--format=%(refname)").splitlines()
        assert not [ref for ref in refs if ref.startswith("refs/gitsched/runs/")], refs
        assert not list((self.repo / ".git" / "refs").rglob("*.lock"))
        held = {str(path) for path in Clone(self.repo).trees.owners()}
        open_ids = {batch.id for batch in state.batches.values() if batch.status not in TERMINAL_BATCHES}
        told = {member.tree for member in state.members.values() if member.batch in open_ids}
        assert held <= told, f"trees that no record names: {held - told}"
