"""The whole live state as one immutable value, and the draft in which a change to it is built.

Maps are persistent (`immutables.Map`): a new state shares all that did not change with the old one, so that
a change costs what it changes, whatever the queue's length.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, assert_never

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import Claim, Event, EventName, FieldValue
from gitsched.domain.instants import Instant
from gitsched.domain.machines import BATCH, ENTRY, MEMBER, RUN, SCHEDULE, Machine
from gitsched.domain.records import (
    Batch,
    Control,
    DayCosts,
    Driver,
    Entry,
    Format,
    Heard,
    Job,
    Judged,
    Lease,
    Member,
    Rates,
    Record,
    Schedule,
    Settings,
    StoredVerdict,
)
from gitsched.domain.verdicts import Verdict
from gitsched.domain.words import LEFT_MEMBERS


class State(Struct, frozen=True, kw_only=True):
    """One consistent view of the store."""

    format: Format = Format()
    control: Control = Control()
    entries: Map[int, Entry] = Map()
    batches: Map[str, Batch] = Map()
    members: Map[tuple[str, int], Member] = Map()
    """By (batch, issue)."""
    settings: Map[str, Settings] = Map()
    """By batch."""
    leases: Map[tuple[str, int], Lease] = Map()
    """By (batch, issue); a released slot has none."""
    jobs: Map[tuple[str, str], Job] = Map()
    """By (batch, job name); an ended and recorded job has none."""
    judged: Map[str, Judged] = Map()
    """Verdicts that may be used again, by tree."""
    drivers: Map[str, Driver] = Map()
    heard: Map[int, Heard] = Map()
    """Comments with commands, by the comment's id."""
    costs: Map[str, DayCosts] = Map()
    """By day of the configured zone."""
    rates: Map[str, Rates] = Map()
    """By profile."""
    schedules: Map[str, Schedule] = Map()
    unreadable: Map[str, str] = Map()
    """Path of a record that does not decode → what is wrong with it."""

    def members_of(self, batch: Batch) -> tuple[Member, ...]:
        """List a batch's readable members in member order, those that left among them."""
        found = (self.members.get((batch.id, slot.issue)) for slot in batch.members)
        return tuple(member for member in found if member is not None)

    def batches_in_order(self) -> list[Batch]:
        """List the batches by id, numbers in their own order."""
        return sorted(self.batches.values(), key=lambda batch: _natural(batch.id))

    def entries_in_order(self) -> list[Entry]:
        """List the entries by issue number."""
        return [self.entries[issue] for issue in sorted(self.entries)]

    def member_of_issue(self, issue: int) -> Member | None:
        """Find the live membership of an issue: the one its entry names and that has not left."""
        entry = self.entries.get(issue)
        if entry is None or entry.batch is None:
            return None
        member = self.members.get((entry.batch, issue))
        return None if member is None or member.status in LEFT_MEMBERS else member

    def verdict_on(self, tree: str, fingerprint: str) -> StoredVerdict | None:
        """Find what a check came to on a tree, if that may stand again: a pass, or an evidenced failure."""
        judged = self.judged.get(tree)
        found = None if judged is None else judged.verdicts.get(fingerprint)
        return found if found is not None and found.verdict in (Verdict.PASSED, Verdict.FAILED) else None

    def jobs_of(self, batch: str) -> list[Job]:
        """List the jobs of a batch by name."""
        return sorted((job for key, job in self.jobs.items() if key[0] == batch), key=lambda job: job.name)

    def put(self, record: Record) -> "State":
        """Give the state with this record in the place of the one with the same path."""
        if isinstance(record, Control):
            return replace(self, control=record)
        if isinstance(record, Format):
            return replace(self, format=record)
        rows = _ROWS[type(record)]
        return replace(self, **{rows.field: getattr(self, rows.field).set(rows.key(record), record)})

    def drop(self, record: Record) -> "State":
        """Give the state without this record; a control or format record cannot be dropped."""
        assert not isinstance(record, Control | Format), "control and format are always there"
        rows = _ROWS[type(record)]
        return replace(self, **{rows.field: getattr(self, rows.field).delete(rows.key(record))})

    def current(self, record: Record) -> Record | None:
        """Find the record that stands where this one would be put."""
        if isinstance(record, Control):
            return self.control
        if isinstance(record, Format):
            return self.format
        rows = _ROWS[type(record)]
        found: Record | None = getattr(self, rows.field).get(rows.key(record))
        return found


class _Rows(NamedTuple):
    """Where the records of a kind stand in the state, and under which key."""

    field: str
    key: Callable[[Any], Any]


_ROWS: dict[type[Record], _Rows] = {
    Entry: _Rows("entries", lambda entry: entry.issue),
    Member: _Rows("members", lambda member: (member.batch, member.issue)),
    Batch: _Rows("batches", lambda batch: batch.id),
    Settings: _Rows("settings", lambda settings: settings.batch),
    Lease: _Rows("leases", lambda lease: (lease.batch, lease.issue)),
    Job: _Rows("jobs", lambda job: (job.batch, job.name)),
    Judged: _Rows("judged", lambda judged: judged.tree),
    Driver: _Rows("drivers", lambda driver: driver.id),
    Heard: _Rows("heard", lambda heard: heard.comment),
    DayCosts: _Rows("costs", lambda costs: costs.day),
    Rates: _Rows("rates", lambda rates: rates.profile),
    Schedule: _Rows("schedules", lambda schedule: schedule.id),
}


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", text))


def record_path(record: Record) -> str:
    """Name the path of a record in the state tree."""
    match record:
        case Entry():
            return f"queue/{record.issue % 256:02x}/{record.issue}"
        case Member():
            return f"batches/{record.batch}/members/{record.index}-{record.issue}"
        case Batch():
            return f"batches/{record.id}/batch"
        case Settings():
            return f"batches/{record.batch}/settings"
        case Lease():
            return f"slots/{record.batch}/{record.issue}"
        case Job():
            return f"batches/{record.batch}/jobs/{record.name}"
        case Judged():
            return f"judged/{record.tree[:2]}/{record.tree}"
        case Driver():
            return f"drivers/{record.id}"
        case Heard():
            return f"commands/{record.comment % 256:02x}/{record.comment}"
        case DayCosts():
            return f"costs/{record.day}"
        case Rates():
            return f"rates/{record.profile}"
        case Schedule():
            return f"schedules/{record.id}"
        case Control():
            return "control"
        case Format():
            return "format"
        case _:
            assert_never(record)


class RefMove(NamedTuple):
    """A ref that must move with the state: from `old` (None: it must not exist) to `new` (None: delete it)."""

    name: str
    old: str | None
    new: str | None


class Note(NamedTuple):
    """A note to be written with the state, in the place of the object's note before, if any."""

    ref: str
    target: str
    text: str


class Draft:
    """A change being built on a state: events, the records they change, and what must move with them.

    `state` already shows the changes made so far. Nothing is written until the store has taken the draft.
    """

    def __init__(self, state: State, at: Instant, actor: str = "gitsched", mark: str = "") -> None:
        """Begin an empty change on `state`; `actor` is the person or App that causes it.

        `mark` ends each id that is made where other clones may make the same one meanwhile.
        """
        self.base = state
        self.state = state
        self.at = at
        self.actor = actor
        self.mark = mark
        self.events: list[Event] = []
        self.moves: list[RefMove] = []
        self.keeps: list[str] = []
        """Commits that must stay reachable from now on."""
        self.notes: list[Note] = []
        self.changed: dict[str, Record | None] = {}
        """By path: the record to be written, or None for one to be removed."""

    def note(  # many-parameters: an event is its unit, its sentence and its records; all but two have names
        self,
        name: EventName,
        sentence: str,
        *changes: Record,
        removed: Iterable[Record] = (),
        batch: str | None = None,
        issue: int | None = None,
        gen: int | None = None,
        **fields: FieldValue,
    ) -> None:
        """Record an event and the records it changes, checking each status against its machine.

        A record that moves to another path stands in `changes` as it is then, and in `removed` as it was.
        Raises TransitionError when a status changes by an edge that no table has; nothing of the event
        is recorded then.
        """
        gone, state = tuple(removed), self.state
        claims = {record_path(record): _claim(state.current(record), name, record) for record in changes}
        claims |= {record_path(record): Claim(removed=True) for record in gone}
        for record in gone:
            state = state.drop(record)
        for record in changes:
            state = state.put(record)
        self.state = state
        self.changed |= {record_path(record): None for record in gone}
        self.changed |= {record_path(record): record for record in changes}
        told = Event(name=name, at=self.at, sentence=sentence, batch=batch, issue=issue, gen=gen)
        self.events.append(replace(told, fields=fields, claims=claims))

    def __iter__(self) -> Iterator[Event]:
        """Walk the events in the order in which they were recorded."""
        return iter(self.events)


_MACHINE_OF: dict[type[Record], Machine[Any]] = {
    Entry: ENTRY,
    Member: MEMBER,
    Batch: BATCH,
    Lease: RUN,
    Schedule: SCHEDULE,
}


def _claim(before: Record | None, event: EventName, record: Record) -> Claim:
    machine = _MACHINE_OF.get(type(record))
    if machine is None:
        return Claim()
    old, new = getattr(before, "status", None), getattr(record, "status", "")
    if old == new:
        return Claim() if before is None or record_path(before) == record_path(record) else Claim(status=new)
    if event is not EventName.JOINED:  # it takes in what another history tells edge by edge
        machine.check(old, event, new)
    return Claim(status=new)
