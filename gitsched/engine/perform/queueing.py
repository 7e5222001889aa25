"""Queueing: what the forge and dependencies do to rows of the queue, and drivers that are gone."""

from msgspec.structs import replace

from gitsched.domain.effects import Block, LoseDriver
from gitsched.domain.events import EventName
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.queue_effects import AdvanceEntry, BlockEntry, ClearEntry, Withdraw
from gitsched.domain.records import Member
from gitsched.domain.state import Draft
from gitsched.domain.words import EntryStatus
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.ending import evict
from gitsched.engine.sweep import sweep
from gitsched.policy.compose import present
from gitsched.policy.dissolve import withdrawal
from gitsched.policy.entries import CLOSED, EXTERNAL_ADVANCE, is_waiting
from gitsched.policy.evictions import exit_of
from gitsched.policy.situation import basis_of


def block_entry(effect: BlockEntry, desk: Desk) -> None:
    """Keep a row out with its reason."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries.get(effect.issue)
        if entry is None or entry.status not in (EntryStatus.QUEUED, EntryStatus.BLOCKED):
            return
        if entry.status is EntryStatus.BLOCKED and entry.reason == effect.reason:
            return
        kept = replace(entry, status=EntryStatus.BLOCKED, reason=effect.reason, updated_at=draft.at)
        sentence = f"Block issue {entry.issue}: {effect.reason}"
        draft.note(effect.event, sentence, kept, issue=entry.issue, reason=effect.reason)

    desk.record(intent)


def clear_entry(effect: ClearEntry, desk: Desk) -> None:
    """Put a row back into the queue."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries.get(effect.issue)
        if entry is None or entry.status is not EntryStatus.BLOCKED:
            return
        back = replace(entry, status=EntryStatus.QUEUED, reason=None, updated_at=draft.at)
        sentence = f"Queue issue {entry.issue} again: {entry.reason} is gone"
        draft.note(effect.event, sentence, back, issue=entry.issue, reason=entry.reason)

    desk.record(intent)


def advance_entry(effect: AdvanceEntry, desk: Desk) -> None:
    """End a row whose issue was completed elsewhere, once the forge has said so again: nothing undoes that end."""
    if not _is_completed(desk, effect.issue):
        return

    def intent(draft: Draft) -> None:
        entry = draft.state.entries.get(effect.issue)
        if entry is None or entry.status not in (EntryStatus.QUEUED, EntryStatus.BLOCKED):
            return
        done = replace(entry, status=EntryStatus.DONE, reason=EXTERNAL_ADVANCE, updated_at=draft.at)
        sentence = f"Issue {entry.issue} was completed by other means"
        draft.note(EventName.EXTERNAL_ADVANCE, sentence, done, issue=entry.issue, reason=EXTERNAL_ADVANCE)

    desk.record(intent)


def withdraw(effect: Withdraw, desk: Desk) -> None:
    """Take a member whose issue was closed out of its batch, and its group with it; work that it has is kept."""
    key = (effect.batch, effect.issue)
    if effect.is_done and not _is_completed(desk, effect.issue):
        return

    def intent(draft: Draft) -> None:
        member = draft.state.members.get(key)
        if member is None or not is_waiting(draft.state, member):
            return
        reason = EXTERNAL_ADVANCE if effect.is_done else CLOSED
        entry, is_parked = draft.state.entries[member.issue], member.cut is not None and not effect.is_done
        gone, back = withdrawal(member, entry, reason, is_parked=is_parked, at=draft.at)
        if effect.is_done:
            back = replace(back, status=EntryStatus.DONE, reason=reason)
        event = EventName.EXTERNAL_ADVANCE if effect.is_done else EventName.MEMBER_WITHDRAWN
        sentence = f"Take issue {member.issue} out of {member.batch}: it was closed on the forge"
        draft.note(event, sentence, gone, back, batch=member.batch, issue=member.issue, gen=member.gen, reason=reason)
        _take_group_along(draft, member)

    desk.record(intent)


def _is_completed(desk: Desk, number: int) -> bool:
    """Ask the forge again; one that it knows as open meanwhile, or that cannot be read, was not completed for sure."""
    found = desk.around.forge.issues([number])
    issue = None if isinstance(found, Unreachable) else found.get(number)
    return issue is not None and not issue.is_open and not issue.as_not_planned


def _take_group_along(draft: Draft, member: Member) -> None:
    others = [o for o in present(draft.state, draft.state.batches[member.batch]) if o.issue in member.group]
    along = (exit_of(other, kind="evicted", reason=f"group-of:{member.issue}") for other in others)
    exits = tuple(replace(exit_, counts=False) for exit_ in along)
    if exits:
        evict(draft, exits)


def lose_driver(effect: LoseDriver, desk: Desk) -> None:
    """Mark a driver that is gone, and clear away what it left between two steps."""

    def intent(draft: Draft) -> None:
        driver = draft.state.drivers.get(effect.driver)
        if driver is None:
            return
        sentence = f"Driver {driver.id} on {driver.host} is gone"
        draft.note(EventName.DRIVER_LOST, sentence, removed=[driver], driver=driver.id, host=driver.host)

    if was_applied(desk.record(intent)):
        sweep(desk)


def block_batch(effect: Block, desk: Desk) -> None:
    """Stop a batch until a person acts, if it is still as it was when that was decided."""

    def intent(draft: Draft) -> None:
        now = draft.state.batches.get(effect.batch)
        if now is not None and basis_of(now, draft.state.members_of(now)) == effect.basis:
            block(draft, effect.batch, effect.reason, effect.detail)

    desk.record(intent)
