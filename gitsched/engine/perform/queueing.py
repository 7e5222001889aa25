"""Queueing: what the forge and dependencies do to rows of the queue, and drivers that are gone."""

from msgspec.structs import replace

from gitsched.domain.effects import AdvanceEntry, Block, BlockEntry, ClearEntry, LoseDriver
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.domain.words import EntryStatus
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.sweep import sweep
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
    """End a row whose issue was completed elsewhere."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries.get(effect.issue)
        if entry is None or entry.status not in (EntryStatus.QUEUED, EntryStatus.BLOCKED):
            return
        done = replace(entry, status=EntryStatus.DONE, reason="external-advance", updated_at=draft.at)
        sentence = f"Issue {entry.issue} was completed by other means"
        draft.note(EventName.EXTERNAL_ADVANCE, sentence, done, issue=entry.issue, reason="external-advance")

    desk.record(intent)


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
