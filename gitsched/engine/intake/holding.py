"""`hold` and `unhold`: keep an issue where it is, whatever its status, and let it go on."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Entry, Member, Record
from gitsched.domain.state import Draft
from gitsched.domain.words import RESOLVED_MEMBERS, TERMINAL_ENTRIES, BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake import values
from gitsched.engine.intake.names import entry_named
from gitsched.engine.intake.pausing import OPERATOR
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy.situation import first_unresolved
from gitsched.policy.stopping import ISOLATION_BREACH
from gitsched.ports.store import Store


class HoldRequest(Struct, frozen=True):
    """Which issue, and why, as one line."""

    issue: str
    reason: str = OPERATOR


class UnholdRequest(Struct, frozen=True):
    """Which issue."""

    issue: str


class HoldAnswer(Struct, frozen=True, kw_only=True):
    """How the issue stands."""

    issue: int
    hold: str | None
    resumed: str | None = None
    """The batch that could not move for this hold and goes on now."""


def hold(store: Store, request: HoldRequest, actor: str) -> HoldAnswer:
    """Keep an issue from starting and from landing; an agent at work is not ended.

    Raises RefusedError for one that is over, has landed, or has shipped.
    """
    reason = values.checked_reason(request.reason)

    def build(draft: Draft) -> HoldAnswer:
        entry = entry_named(draft.state, request.issue)
        member = draft.state.member_of_issue(entry.issue)
        _refuse_settled(entry, member)
        changes: list[Record] = [replace(entry, hold=reason)]
        if member is not None:
            changes.append(replace(member, hold=reason))
        if entry.hold != reason:
            sentence = f"Hold issue {entry.issue}: {reason}"
            draft.note(EventName.MEMBER_HELD, sentence, *changes, batch=entry.batch, issue=entry.issue, reason=reason)
        return HoldAnswer(issue=entry.issue, hold=reason)

    return transact(store, actor, build)


def _refuse_settled(entry: Entry, member: Member | None) -> None:
    asked = f"Issue {entry.issue} was to be held."
    if entry.status in TERMINAL_ENTRIES or entry.status is EntryStatus.SHIPPED:
        raise RefusedError(asked, f"It is {entry.status}.", f"`gitsched show {entry.issue}` tells how it ended.")
    if member is not None and member.status in RESOLVED_MEMBERS:
        against = f"It has landed in {member.batch} already."
        raise RefusedError(asked, against, f"`gitsched stop {entry.issue}` takes it out again.")


def unhold(store: Store, request: UnholdRequest, actor: str) -> HoldAnswer:
    """Let a held issue go on as it is. Raises RefusedError where it is not held."""

    def build(draft: Draft) -> HoldAnswer:
        entry = entry_named(draft.state, request.issue)
        if not is_held(draft, entry):
            against = f"It is not held: it is {entry.status}."
            remedy = f"`gitsched why {entry.issue}` tells what it waits for."
            raise RefusedError(f"Issue {entry.issue} was to be let go on.", against, remedy)
        return lift_hold(draft, entry)

    return transact(store, actor, build)


def is_held(draft: Draft, entry: Entry) -> bool:
    """Say whether an entry, or the member that it is, is held."""
    member = draft.state.member_of_issue(entry.issue)
    return entry.hold is not None or (member is not None and member.hold is not None)


def lift_hold(draft: Draft, entry: Entry) -> HoldAnswer:
    """Take the hold off an entry and its member; a batch that was blocked for it executes again."""
    member = draft.state.member_of_issue(entry.issue)
    changes: list[Record] = [replace(entry, hold=None)]
    if member is not None:
        # Of one that is being verified the reason says what the operator lets through; it goes once that is committed.
        is_accepted = member.status is MemberStatus.VERIFYING
        changes.append(replace(member, hold=None, reason=member.reason if is_accepted else None))
    was = entry.hold or (member.hold if member is not None else None)
    batch = _blocked_for(draft, member)
    sentence = f"Let issue {entry.issue} go on"
    draft.note(EventName.HOLD_CLEARED, sentence, *changes, batch=entry.batch, issue=entry.issue, reason=was)
    if batch is not None:
        resume_batch(draft, batch, BatchStatus.EXECUTING)
    return HoldAnswer(issue=entry.issue, hold=None, resumed=None if batch is None else batch.id)


def _blocked_for(draft: Draft, member: Member | None) -> Batch | None:
    if member is None:
        return None
    batch = draft.state.batches[member.batch]
    is_blocked = batch.status is BatchStatus.BLOCKED and (batch.reason or "").startswith("held:")
    turn = first_unresolved(draft.state.members_of(batch))
    return batch if is_blocked and turn is not None and turn.issue == member.issue else None


def resume_batch(draft: Draft, batch: Batch, status: BatchStatus, *, fresh_suite: bool = False) -> Batch:
    """Record that a blocked batch goes on from a state, and give it as it is then."""
    event = EventName.MERGE_ACCEPTED if status is BatchStatus.MERGED else EventName.BATCH_RESUMED
    resumed = replace(batch, status=status, reason=None, came_from=None, fresh_suite=fresh_suite, updated_at=draft.at)
    sentence = f"Let {batch.id} go on, which was blocked: {batch.reason}"
    control = draft.state.control
    # Somebody has looked: what turns contents into files is taken as it is found when the next one begins.
    looked = (replace(control, rules={}),) if batch.reason == ISOLATION_BREACH and control.rules else ()
    draft.note(event, sentence, resumed, *looked, batch=batch.id, reason=batch.reason, to=str(status))
    return resumed
