"""`stop` and `abandon`: an operator ends an issue, or a batch."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.machines import BATCH
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import (
    LEFT_MEMBERS,
    TERMINAL_BATCHES,
    TERMINAL_ENTRIES,
    BatchKind,
    BatchStatus,
    EntryStatus,
    MemberStatus,
)
from gitsched.engine.intake.names import BatchUnit, batch_named, unit_of
from gitsched.engine.intake.pausing import OPERATOR
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy.compose import present
from gitsched.policy.evictions import exit_of
from gitsched.ports.store import Store

_REBUILDABLE = frozenset(
    {
        BatchStatus.EXECUTING,
        BatchStatus.VALIDATING,
        BatchStatus.ATTRIBUTING,
        BatchStatus.EVICTING,
        BatchStatus.REVIEWING,
        BatchStatus.AWAITING_MERGE,
        BatchStatus.BLOCKED,
    }
)
"""From here the commits of a landed member can still be taken off the integration branch."""


class StopRequest(Struct, frozen=True):
    """Which issue or batch."""

    unit: str


class StopAnswer(Struct, frozen=True, kw_only=True):
    """What is stopped now."""

    issues: tuple[int, ...]
    batch: str | None
    """The batch, where it is ended as a whole."""


def stop(store: Store, request: StopRequest, actor: str) -> StopAnswer:
    """End an issue, its group with it, or a whole batch. Work is kept on its branch; agents are ended by the engine.

    Raises RefusedError for what is over already, or has merged, or cannot be taken off its branch any more.
    """

    def build(draft: Draft) -> StopAnswer:
        unit = unit_of(draft.state, request.unit)
        if isinstance(unit, BatchUnit):
            return stop_batch(draft, draft.state.batches[unit.batch])
        return _stop_issue(draft, draft.state.entries[unit.issue])

    return transact(store, actor, build)


def _stop_issue(draft: Draft, entry: Entry) -> StopAnswer:
    _refuse_ended(entry)
    member = draft.state.member_of_issue(entry.issue)
    if member is None:
        _stop_entry(draft, replace(entry, reason=OPERATOR))
        return StopAnswer(issues=(entry.issue,), batch=None)
    batch = draft.state.batches[member.batch]
    if batch.kind is BatchKind.SOLO:
        return stop_batch(draft, batch)
    leaving = [other for other in present(draft.state, batch) if other.issue in (member.issue, *member.group)]
    for other in leaving:
        _refuse_bound(batch, other)
        _stop_member(draft, other)
    return StopAnswer(issues=tuple(other.issue for other in leaving), batch=None)


def _refuse_ended(entry: Entry) -> None:
    asked = f"Issue {entry.issue} was to be stopped."
    if entry.status in TERMINAL_ENTRIES:
        why = f"It is over already: {entry.status}."
        raise RefusedError(asked, why, f"`gitsched enqueue {entry.issue}` begins it anew.")
    if entry.status is EntryStatus.SHIPPED:
        raise RefusedError(asked, "Its work has merged.", f"`gitsched show {entry.issue}` tells how.")


def _refuse_bound(batch: Batch, member: Member) -> None:
    if member.status is MemberStatus.LANDED and batch.status not in _REBUILDABLE:
        raise RefusedError(
            f"Issue {member.issue} was to be stopped.",
            f"It has landed, and {batch.id} is {batch.status} with its commits.",
            f"`gitsched stop {batch.id}` stops the whole batch.",
        )


def _stop_member(draft: Draft, member: Member) -> None:
    """End a member and its entry. `landed` stays set where its commits are on the integration branch."""
    exit_ = replace(exit_of(member, kind="stopped", reason=OPERATOR), at=draft.at)
    if member.head is not None:
        draft.keeps.append(member.head)
    entry = draft.state.entries[member.issue]
    stopped = replace(member, status=MemberStatus.STOPPED, reason=OPERATOR, hold=None, updated_at=draft.at)
    kept = replace(entry, reason=OPERATOR, batch=None, branch=exit_.branch, evidence=(*entry.evidence, exit_))
    draft.note(
        EventName.MEMBER_STOPPED,
        f"Stop issue {member.issue} of {member.batch}",
        stopped,
        *_rebuilding(draft, member),
        batch=member.batch,
        issue=member.issue,
        gen=member.gen,
        reason=OPERATOR,
    )
    if entry.status not in TERMINAL_ENTRIES:
        _stop_entry(draft, kept)


def _rebuilding(draft: Draft, member: Member) -> Iterator[Batch]:
    """Give the batch whose integration branch must be rebuilt without a member that had landed."""
    batch = draft.state.batches[member.batch]
    if member.status is MemberStatus.LANDED and batch.status in _REBUILDABLE:
        yield replace(batch, status=BatchStatus.EVICTING, updated_at=draft.at)


def _stop_entry(draft: Draft, entry: Entry) -> None:
    stopped = replace(entry, status=EntryStatus.STOPPED, hold=None, updated_at=draft.at)
    draft.note(EventName.ENTRY_STOPPED, f"Stop issue {entry.issue}", stopped, issue=entry.issue, reason=entry.reason)


def stop_batch(draft: Draft, batch: Batch) -> StopAnswer:
    """End a whole batch as part of a draft; raises RefusedError for one that is over."""
    if batch.status in TERMINAL_BATCHES:
        against = f"It is over already: {batch.status}."
        raise RefusedError(f"{batch.id} was to be stopped.", against, f"`gitsched show {batch.id}` tells how it ended.")
    stopped = replace(batch, status=BatchStatus.STOPPED, reason=OPERATOR, came_from=None, updated_at=draft.at)
    draft.note(EventName.BATCH_STOPPED, f"Stop {batch.id}", stopped, batch=batch.id, reason=OPERATOR)
    leaving = list(_unshipped(draft, batch))
    for member in leaving:
        _stop_member(draft, member)
    return StopAnswer(issues=tuple(member.issue for member in leaving), batch=batch.id)


def _unshipped(draft: Draft, batch: Batch) -> Iterator[Member]:
    for member in draft.state.members_of(batch):
        if member.status not in LEFT_MEMBERS and member.status is not MemberStatus.SHIPPED:
            yield member


class AbandonRequest(Struct, frozen=True):
    """Which batch, and whether its unshipped members are parked instead of being queued again."""

    batch: str
    keep: bool = False


class AbandonAnswer(Struct, frozen=True, kw_only=True):
    """The members that the dissolve will put where they belong."""

    batch: str
    issues: tuple[int, ...]


def abandon(store: Store, request: AbandonRequest, actor: str) -> AbandonAnswer:
    """Give a batch up; the engine then puts its unshipped members back into the queue, or parks them.

    Raises RefusedError where its work waits to be merged, TransitionError where there is nothing to give up any more.
    """

    def build(draft: Draft) -> AbandonAnswer:
        batch = batch_named(draft.state, request.batch)
        if batch.status is BatchStatus.AWAITING_MERGE:
            against = f"{batch.id} is {batch.status}: its pull request is open."
            raise RefusedError(f"{batch.id} was to be given up.", against, f"`gitsched stop {batch.id}` ends it.")
        # A draft looks at edges between different states only: one that is being given up is not given up again.
        BATCH.check(batch.status, EventName.BATCH_DISSOLVING, BatchStatus.DISSOLVING)
        given_up = replace(
            batch,
            status=BatchStatus.DISSOLVING,
            reason="abandoned",
            came_from=None,
            parks_all=request.keep,
            updated_at=draft.at,
        )
        sentence = f"Give {batch.id} up"
        draft.note(
            EventName.BATCH_DISSOLVING, sentence, given_up, batch=batch.id, reason="abandoned", keep=request.keep
        )
        return AbandonAnswer(batch=batch.id, issues=tuple(member.issue for member in _unshipped(draft, batch)))

    return transact(store, actor, build)
