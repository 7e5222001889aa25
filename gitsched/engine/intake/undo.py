"""`undo`: take back the last thing that an operator did, as long as nothing has come of it.

Each record that the act changed is compared in three: as it was, as the act made it, as it is now. A field that the act
changed goes back to what it was; whatever else has happened to the record stays. Where the engine or the world has
moved on from what the act made, the act is not taken back.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import fields, replace

from gitsched.codec.records import cell_of
from gitsched.domain.events import Event, EventName
from gitsched.domain.records import Batch, Control, Entry, Format, Lease, Member, Record
from gitsched.domain.state import Draft, State, record_path
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.ports.store import Entry as JournalEntry
from gitsched.ports.store import Store

ENGINE = "gitsched"
"""Who causes what no operator asked for."""
UNDOABLE = frozenset(
    {
        *(EventName.ENQUEUED, EventName.LABEL_BLOCKED, EventName.BATCH_FORMED, EventName.MEMBER_JOINED),
        *(EventName.SEALED, EventName.REPRIORITIZED, EventName.REORDERED, EventName.MEMBER_REQUEUED),
        *(EventName.PAUSED, EventName.RESUMED, EventName.MEMBER_HELD, EventName.HOLD_CLEARED),
        *(EventName.SLOTS_CHANGED, EventName.BATCH_DISSOLVING),
    }
)
"""What a single transaction undoes wholly; an act that ended something has ended it."""
UPKEEP = frozenset(
    {
        *(EventName.MENDED, EventName.BATCH_ARCHIVED, EventName.EVIDENCE_PRUNED),
        *(EventName.COMPACTED, EventName.CHECKPOINTED, EventName.MIGRATED),
    }
)
"""Care of the store that an operator asked for: no act on the work."""
_LEDGER = frozenset(
    {
        *(EventName.COMMAND_ACCEPTED, EventName.COMMAND_REFUSED),
        *(EventName.COMMAND_ANSWERED, EventName.DELIVERY_IGNORED),
    }
)
"""What was heard stays heard: a command's row is no act on the work, and is not run again for being undone."""
_BOOKKEEPING = frozenset({"updated_at", "next_batch", "extra"})
"""Fields that say nothing about what is to be done; a number that was given out is not given out again."""
_NOT_BEGUN = (BatchStatus.FORMING, BatchStatus.READY)
_QUEUED = (EntryStatus.QUEUED, EntryStatus.BLOCKED)


class UndoAnswer(Struct, frozen=True, kw_only=True):
    """What was taken back."""

    commit: str
    sentence: str
    """How the act was told of."""
    actor: str
    at: str


class _Act(NamedTuple):
    """A transaction of an operator's, with the states before and after it."""

    entry: JournalEntry
    was: State
    made: State

    @property
    def events(self) -> tuple[Event, ...]:
        return _acts_in(self.entry)

    @property
    def sentence(self) -> str:
        return self.events[0].sentence


def undo(store: Store, actor: str) -> UndoAnswer:
    """Take the last operator's act back by a new transaction.

    Raises RefusedError where there is none, where it cannot be taken back, and where something has come of it.
    """

    def build(draft: Draft) -> UndoAnswer:
        act = _last_act(store)
        _take_back(draft, act)
        entry = act.entry
        return UndoAnswer(commit=entry.commit, sentence=act.sentence, actor=entry.actor, at=entry.at)

    return transact(store, actor, build)


def _last_act(store: Store) -> _Act:
    undone: set[object] = set()
    history = store.history()
    for entry in history:
        acts = _acts_in(entry)
        names = {event.name for event in acts}
        undone |= {event.fields.get("undoes") for event in acts if event.name is EventName.UNDONE}
        if entry.actor == ENGINE or names <= UPKEEP or EventName.UNDONE in names or entry.commit in undone:
            continue
        below = next(history, None)
        cannot = sorted(names - UNDOABLE)
        if cannot or below is None:
            raise RefusedError(
                f"The last act was to be taken back: {acts[0].sentence}.",
                f"What it did cannot be taken back: {', '.join(cannot)}.",
                "`gitsched log` shows it; `gitsched enqueue` and `gitsched requeue` begin ended work anew.",
            )
        return _Act(entry, store.read_at(below.commit), store.read_at(entry.commit))
    raise RefusedError(
        "The last act of an operator was to be taken back.", "There is none.", "`gitsched log` shows what happened."
    )


def _acts_in(entry: JournalEntry) -> tuple[Event, ...]:
    """List what was done in a transaction. A merge that a comment asked for is told of by the ledger alone."""
    return tuple(
        event
        for event in entry.events
        if event.name not in _LEDGER
        or (event.name is EventName.COMMAND_ACCEPTED and event.fields.get("verb") == "ship")
    )


def _take_back(draft: Draft, act: _Act) -> None:
    restored: list[Record] = []
    removed: list[Record] = []
    for path in sorted({path for event in act.events for path in event.claims}):
        was, made, now = (_at(state, path) for state in (act.was, act.made, draft.state))
        if was == made or _keeps_places(act, was, now):
            continue
        if was is None and made is not None:
            (restored if _stays(draft.state, made) else removed).append(_unmade(act, made, now, draft.at))
        elif was is not None and made is None:
            restored.append(_put_back(act, was, now))
        elif was is not None and made is not None:
            restored.append(_turned_back(act, was, made, now))
    first = act.events[0]
    draft.note(
        EventName.UNDONE,
        f"Take back: {act.sentence}",
        *restored,
        removed=removed,
        batch=first.batch,
        issue=first.issue,
        undoes=act.entry.commit,
        act=act.sentence,
        by=act.entry.actor,
    )


def _at(state: State, path: str) -> Record | None:
    cell = cell_of(path)
    assert cell is not None, "the journal names only paths of records"
    rows = getattr(state, cell.field)
    found: Record | None = rows if cell.key is None else rows.get(cell.key)
    return found


def _keeps_places(act: _Act, was: Record | None, now: Record | None) -> bool:
    """Say whether this is a sealed batch that members joined, and that has begun: it keeps the places that it gave."""
    joined = any(event.name is EventName.MEMBER_JOINED for event in act.entry.events)
    was_sealed = isinstance(was, Batch) and was.status is not BatchStatus.FORMING
    return joined and was_sealed and isinstance(now, Batch) and now.status not in _NOT_BEGUN


def _stays(state: State, made: Record) -> bool:
    """Say whether what the act made keeps its record all the same: a member of a batch that has begun."""
    batch = state.batches.get(made.batch) if isinstance(made, Member) else None
    return batch is not None and batch.status not in _NOT_BEGUN


def _unmade(act: _Act, made: Record, now: Record | None, at: str) -> Record:
    """Give a record that the act made, as it is to be removed. Raises RefusedError when something came of it."""
    if now is None or _essence(now) != _essence(made):
        raise _moved(act, made, now)
    if isinstance(now, Member):
        return replace(now, status=MemberStatus.WITHDRAWN, reason="undone", updated_at=at)
    return now


def _put_back(act: _Act, was: Record, now: Record | None) -> Record:
    if now is not None:
        raise _moved(act, was, now)
    return was


def _turned_back(act: _Act, was: Record, made: Record, now: Record | None) -> Record:
    changed = [f.name for f in fields(made) if getattr(was, f.name) != getattr(made, f.name)]
    essential = [name for name in changed if name not in _BOOKKEEPING]
    if now is None or any(getattr(now, name) != getattr(made, name) for name in essential):
        raise _moved(act, made, now)
    return replace(now, **{name: getattr(was, name) for name in essential})


def _essence(record: Record) -> Record:
    """Leave out what may change without anything coming of it: times, and a label that keeps a row out."""
    if isinstance(record, Entry):
        status = EntryStatus.QUEUED if record.status in _QUEUED else record.status
        return replace(record, status=status, reason=None, updated_at="")
    if isinstance(record, Member | Batch):
        return replace(record, updated_at="")
    return record


def _moved(act: _Act, made: Record, now: Record | None) -> RefusedError:
    asked = f"The last act was to be taken back: {act.sentence}."
    unit = _named(made)
    if now is None:
        return RefusedError(asked, f"Since then {unit} has gone.", "`gitsched log` shows what happened.")
    differing = ", ".join(_differences(made, now))
    remedy = f"`gitsched why {unit.split()[-1]}` tells where it is; `gitsched stop {unit.split()[-1]}` ends it."
    general = "`gitsched log` shows what happened."
    return RefusedError(
        asked,
        f"Since then {unit} has moved: {differing}.",
        general if isinstance(made, Control | Format) else remedy,
    )


def _named(record: Record) -> str:
    if isinstance(record, Entry | Member | Lease):
        return f"issue {record.issue}"
    return f"batch {record.id}" if isinstance(record, Batch) else f"the record {record_path(record)}"


def _differences(made: Record, now: Record) -> Iterator[str]:
    for field in fields(made):
        before, after = getattr(made, field.name), getattr(now, field.name)
        if field.name not in _BOOKKEEPING and before != after:
            yield f"its {field.name.replace('_', ' ')} is {after}, it was {before}"
