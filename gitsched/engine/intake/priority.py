"""`reprioritize`: who comes first when a slot is free."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Entry
from gitsched.domain.state import Draft
from gitsched.domain.words import TERMINAL_BATCHES, TERMINAL_ENTRIES, BatchKind, EntryStatus
from gitsched.engine.intake import values
from gitsched.engine.intake.names import BatchUnit, unit_of
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.ports.store import Store


class PriorityRequest(Struct, frozen=True):
    """Which issue or batch, and its new priority; higher comes first."""

    unit: str
    priority: int


class PriorityAnswer(Struct, frozen=True, kw_only=True):
    """What has the priority now."""

    unit: str
    before: int
    priority: int


def reprioritize(store: Store, request: PriorityRequest, actor: str) -> PriorityAnswer:
    """Change the priority of a batch, or of an issue that stands alone; it keeps its age.

    Raises RefusedError for what is over, and for a member of a batch of several: there the batch's priority counts.
    """
    priority = values.checked_priority(request.priority)

    def build(draft: Draft) -> PriorityAnswer:
        unit = unit_of(draft.state, request.unit)
        if isinstance(unit, BatchUnit):
            return _batch(draft, draft.state.batches[unit.batch], priority)
        return _entry(draft, draft.state.entries[unit.issue], priority)

    return transact(store, actor, build)


def _batch(draft: Draft, batch: Batch, priority: int) -> PriorityAnswer:
    asked = f"{batch.id} was to have priority {priority}."
    if batch.status in TERMINAL_BATCHES:
        raise RefusedError(asked, f"It is over: {batch.status}.", f"`gitsched show {batch.id}` tells how it ended.")
    changed = replace(batch, priority=priority)
    rows = [draft.state.entries[slot.issue] for slot in batch.members if batch.kind is BatchKind.SOLO]
    own = [replace(row, priority=priority) for row in rows if row.batch == batch.id]
    sentence = f"Give {batch.id} priority {priority}"
    if priority != batch.priority:
        draft.note(
            EventName.REPRIORITIZED, sentence, changed, *own, batch=batch.id, before=batch.priority, priority=priority
        )
    return PriorityAnswer(unit=batch.id, before=batch.priority, priority=priority)


def _entry(draft: Draft, entry: Entry, priority: int) -> PriorityAnswer:
    asked = f"Issue {entry.issue} was to have priority {priority}."
    if entry.status in TERMINAL_ENTRIES or entry.status is EntryStatus.SHIPPED:
        raise RefusedError(asked, f"It is {entry.status}.", f"`gitsched show {entry.issue}` tells how it ended.")
    batch = draft.state.batches.get(entry.batch or "")
    if batch is not None and batch.kind is BatchKind.SOLO:
        return _batch(draft, batch, priority)
    if batch is not None:
        against = f"It is a member of {batch.id}, whose priority counts for all its members."
        raise RefusedError(asked, against, f"`gitsched reprioritize {batch.id} {priority}` changes that.")
    if priority != entry.priority:
        draft.note(
            EventName.REPRIORITIZED,
            f"Give issue {entry.issue} priority {priority}",
            replace(entry, priority=priority),
            issue=entry.issue,
            before=entry.priority,
            priority=priority,
        )
    return PriorityAnswer(unit=str(entry.issue), before=entry.priority, priority=priority)
