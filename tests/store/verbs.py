"""What the tests of the store do to a store, in one word each."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from gitsched.adapters.store.bounds import Bounds
from gitsched.adapters.store.care import GitCare
from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import VERDICT_NOTES
from gitsched.domain.instants import after
from gitsched.domain.outcomes import Applied, Transacted
from gitsched.domain.records import Batch, Control, Entry, Integration, Member, Slot
from gitsched.domain.replay import statuses_of
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.audit import audit
from tests.real_git import run_git

QUICK = Bounds(queue_s=1.0, race_s=30.0, lock_s=0.6, stale_s=1.0)


@dataclass
class TickingClock:
    """A clock that moves on by a millisecond whenever it is asked."""

    at: str = "2026-05-06T07:08:09.000Z"

    def now(self) -> str:
        self.at = after(self.at, 0.001)
        return self.at

    def monotonic_s(self) -> float:
        return 0.0


@dataclass
class Heard:
    """What a store told of healing."""

    told: list[str] = field(default_factory=list)

    def __call__(self, text: str) -> None:
        self.told.append(text)


def opened(place: Path, driver: str = "d1", **options: Any) -> GitStore:
    """Open a store with short waits and no fsync: durability has tests of its own."""
    return GitStore(place, TickingClock(), driver, **{"fsync": False, "bounds": QUICK, **options})


def begun(place: Path, **options: Any) -> GitStore:
    """Open a store and set it up."""
    store = opened(place, **options)
    store.initialise(Control())
    return store


def queued(issue: int, **fields: Any) -> Entry:
    """Make an entry."""
    return Entry(issue=issue, title=f"Mend part {issue}", status=EntryStatus.QUEUED, **fields)


def enqueue(*issues: int) -> Callable[[Draft], None]:
    """Put those issues into the queue that are not there."""

    def intent(draft: Draft) -> None:
        for issue in issues:
            if issue not in draft.state.entries:
                draft.note(EventName.ENQUEUED, f"Enqueued {issue}.", queued(issue), issue=issue)

    return intent


def raise_priority(issue: int) -> Callable[[Draft], None]:
    """Add one to an issue's priority: a lost update shows in the sum."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries[issue]
        changed = replace(entry, priority=entry.priority + 1)
        draft.note(EventName.REPRIORITIZED, f"Raised {issue}.", changed, issue=issue)

    return intent


def form(batch: str, *issues: int) -> Callable[[Draft], None]:
    """Form a batch of issues that are in the queue."""

    def intent(draft: Draft) -> None:
        slots = tuple(Slot(index=index, issue=issue) for index, issue in enumerate(issues, 1))
        made = Batch(
            id=batch,
            kind=BatchKind.BATCH,
            status=BatchStatus.FORMING,
            members=slots,
            target="main",
            integration=Integration(branch=f"gitsched/{batch}/integration"),
        )
        draft.note(EventName.BATCH_FORMED, f"Formed {batch}.", made, batch=batch)
        for slot in slots:
            member = Member(batch=batch, issue=slot.issue, index=slot.index, title="Mend", status=MemberStatus.WAITING)
            entry = replace(draft.state.entries[slot.issue], status=EntryStatus.ASSIGNED, batch=batch)
            draft.note(EventName.MEMBER_JOINED, f"{slot.issue} joined {batch}.", member, entry, batch=batch)

    return intent


def applied(outcome: Transacted) -> Applied:
    """Give the outcome back if it is one that was applied."""
    assert isinstance(outcome, Applied), outcome
    return outcome


def git_fsck(place: Path) -> None:
    """Fail unless git finds the repository whole."""
    subprocess.run(["git", "-C", place, "fsck", "--strict", "--no-dangling"], check=True, capture_output=True)


def told_truly(store: GitStore) -> list[str]:
    """Audit the journal, and list what is wrong with it."""
    history = list(GitCare(store).audited())
    cut = next((one.commit for one in history if one.cut), None)
    base = statuses_of(store.read_at(cut)) if cut is not None else {}
    return [finding.message for finding in audit(history, statuses_of(store.read()), base)]


def fan_out(repo: Path, targets: Sequence[str], depth: int) -> None:
    """Let the verdicts' notes say "theirs" of each target, in a tree of folders that deep; git's own fast-import."""
    blob = run_git(repo, "hash-object", "-w", "--stdin", stdin="theirs\n")
    paths = ["/".join([*(oid[2 * at : 2 * at + 2] for at in range(depth)), oid[2 * depth :]]) for oid in targets]
    files = "".join(f"M 100644 {blob} {path}\n" for path in paths)
    head = f"commit {VERDICT_NOTES}\ncommitter a <a@b> 0 +0000\ndata 7\ntheirs\n\ndeleteall\n"
    run_git(repo, "fast-import", "--quiet", "--force", stdin=head + files)
