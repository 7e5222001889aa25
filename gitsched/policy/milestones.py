"""GitHub milestones as batches: what must change so that a batch is what its milestone says.

1. An open milestone with open issues is a batch in forming. Its members stand by issue number, unless an operator
   has ordered them; those that come later are placed likewise.
2. An issue that left the milestone leaves the batch as long as nothing was dispatched for it; later it stays, and
   that is told.
3. A due date that is reached seals it, and so does quiet for `batch.seal_after`; without an open issue nothing does.
4. The milestone of a batch that is done is closed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from gitsched.domain.ids import is_batch_id, is_reserved_batch_id
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.milestones import GitHubMilestone
from gitsched.domain.records import Batch, Member
from gitsched.domain.state import State
from gitsched.domain.words import GATHERING_BATCHES, JOINABLE_BATCHES, TERMINAL_BATCHES, BatchStatus, MemberStatus
from gitsched.policy.compose import member_order, next_number, present


class Join(Struct, frozen=True):
    """Issues are to become members of the milestone's batch, which is formed where there is none."""

    batch: str
    milestone: str
    issues: tuple[int, ...]


class Leave(Struct, frozen=True):
    """A member is to leave, because its issue left the milestone."""

    batch: str
    issue: int


class Stay(Struct, frozen=True):
    """A member's issue left the milestone, and it stays a member: an agent has been at work on it."""

    batch: str
    issue: int


class Sort(Struct, frozen=True):
    """The members are to stand by issue number, as far as they do not depend on one another."""

    batch: str


class Seal(Struct, frozen=True):
    """The batch is to be sealed."""

    batch: str
    why: str


class Wait(Struct, frozen=True):
    """The batch is due and cannot be sealed, for this reason; None: it can again."""

    batch: str
    reason: str | None


class Close(Struct, frozen=True):
    """The milestone's batch is done."""

    batch: str
    number: int


Step = Join | Leave | Stay | Sort | Seal | Wait | Close

NO_OPEN_ISSUE: Final = "no-open-issue"
DEMILESTONED: Final = "demilestoned"
"""Why the entry of an issue that left its GitHub milestone is held: nobody has said that it is wanted by itself."""

_UNFIT: Final = re.compile(r"[^a-z0-9]+")


def steps(state: State, milestone: GitHubMilestone, seal_after_s: float, now: Instant) -> Iterator[Step]:
    """List what must change for one milestone, in the order in which it is to be done."""
    batch = batch_of(state, milestone.title)
    if batch is None:
        yield from _formed(state, milestone)
    elif batch.status is BatchStatus.DONE:
        if milestone.is_open:
            yield Close(batch.id, milestone.number)
    elif batch.status not in TERMINAL_BATCHES:
        yield from _changed(state, batch, milestone)
        yield from _sealed(state, batch, milestone, seal_after_s, now)


def batch_of(state: State, title: str) -> Batch | None:
    """Find the batch that stands for a milestone: a live one, else the one that came last."""
    named = [batch for batch in state.batches_in_order() if batch.milestone == title]
    live = [batch for batch in named if batch.status not in TERMINAL_BATCHES]
    return next(iter(live or named[::-1]), None)


def _formed(state: State, milestone: GitHubMilestone) -> Iterator[Step]:
    free = _free(state, milestone.open_issues)
    if milestone.is_open and free:
        yield Join(_name(state, milestone.title), milestone.title, free)


def _free(state: State, issues: Iterable[int]) -> tuple[int, ...]:
    """List the issues that no batch has, by number."""
    homes = ((issue, state.entries.get(issue)) for issue in sorted(issues))
    return tuple(issue for issue, entry in homes if entry is None or entry.batch is None)


def _name(state: State, title: str) -> str:
    """Name a batch after its milestone: `batch/Log in` is `log-in`; a name that is taken gives way to a number."""
    name = _UNFIT.sub("-", title.rpartition("/")[2].lower()).strip("-")[:40].strip("-")
    if is_batch_id(name) and not is_reserved_batch_id(name) and not name.isdigit() and name not in state.batches:
        return name
    return f"b{next_number(state)}"


def _changed(state: State, batch: Batch, milestone: GitHubMilestone) -> Iterator[Step]:
    members = present(state, batch)
    left = [member for member in members if member.issue not in milestone.issues]
    for member in left:
        yield Leave(batch.id, member.issue) if _may_leave(batch, member, members) else Stay(batch.id, member.issue)
    known = {slot.issue for slot in batch.members}
    new = _free(state, set(milestone.open_issues) - known)
    if new and milestone.is_open and batch.status in JOINABLE_BATCHES:
        yield Join(batch.id, milestone.title, new)
        if batch.status is BatchStatus.FORMING and _is_sorted(members):
            yield Sort(batch.id)


def _may_leave(batch: Batch, member: Member, members: Sequence[Member]) -> bool:
    """Say whether nothing has been done for a member yet; the last one stays in a batch that is sealed."""
    if member.status is not MemberStatus.WAITING or member.group or batch.status not in GATHERING_BATCHES:
        return False
    return batch.status is BatchStatus.FORMING or len(members) > 1


def by_number(members: Sequence[Member]) -> tuple[int, ...]:
    """Order members by issue number, each after those that it depends on."""
    issues = sorted(member.issue for member in members)
    return member_order(issues, {member.issue: member.deps for member in members})


def _is_sorted(members: Sequence[Member]) -> bool:
    return tuple(member.issue for member in members) == by_number(members)


def _sealed(
    state: State, batch: Batch, milestone: GitHubMilestone, seal_after_s: float, now: Instant
) -> Iterator[Step]:
    if batch.status is not BatchStatus.FORMING:
        return
    is_due = milestone.due_at is not None and milestone.due_at <= now
    is_quiet = seal_after_s > 0 and seconds_between(batch.updated_at, now) >= seal_after_s
    can_be = any(member.issue in milestone.open_issues for member in present(state, batch))
    reason = NO_OPEN_ISSUE if (is_due or is_quiet) and not can_be else None
    if reason != batch.reason:
        yield Wait(batch.id, reason)
    if can_be and (is_due or is_quiet):
        yield Seal(batch.id, "due" if is_due else "quiet")
