"""Blocking: stop a batch until a person acts."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.machines import BATCH
from gitsched.domain.records import Batch
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus


def block(draft: Draft, batch: str, reason: str, detail: str = "") -> None:
    """Stop a batch until a person acts; one that has ended meanwhile, or is blocked for this already, is left alone."""
    now = draft.state.batches.get(batch)
    if now is None or (now.status is BatchStatus.BLOCKED and now.reason == reason):
        return
    if now.status is not BatchStatus.BLOCKED and not _can_be_blocked(now):
        return
    came_from = now.came_from if now.status is BatchStatus.BLOCKED else now.status
    blocked = replace(now, status=BatchStatus.BLOCKED, came_from=came_from, reason=reason[:200], updated_at=draft.at)
    draft.note(
        EventName.BATCH_BLOCKED,
        f"Block {batch}: {reason}"[:200],
        blocked,
        batch=batch,
        reason=reason[:200],
        detail=detail[:1000],
    )


def _can_be_blocked(batch: Batch) -> bool:
    return BATCH.holds(batch.status, EventName.BATCH_BLOCKED, BatchStatus.BLOCKED)
