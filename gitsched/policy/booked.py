"""Booked: what a schedule holds, and how far each of it has come."""

from typing import NamedTuple

from gitsched.domain.records import Batch, Entry, Lease, Schedule
from gitsched.domain.schedules import ENDED_SCHEDULES
from gitsched.domain.state import State
from gitsched.domain.words import ENDED_ENTRIES, RESOLVED_MEMBERS, BatchStatus, EntryStatus

_RESULTS = frozenset(
    {
        BatchStatus.AWAITING_MERGE,
        BatchStatus.MERGED,
        BatchStatus.DEPLOYED,
        BatchStatus.REPORTED,
        BatchStatus.DONE,
    }
)
_AT_REST = _RESULTS | {BatchStatus.BLOCKED, BatchStatus.DISSOLVED, BatchStatus.STOPPED}


class Booked(NamedTuple):
    """A unit of a schedule: a batch, or an issue that has none yet."""

    batch: Batch | None
    entry: Entry | None

    @property
    def is_result(self) -> bool:
        """Say whether it came to something that can be harvested, or merged already."""
        if self.batch is not None:
            return self.batch.status in _RESULTS
        return self.entry is not None and self.entry.status in (EntryStatus.SHIPPED, EntryStatus.DONE)

    @property
    def is_at_rest(self) -> bool:
        """Say whether nothing moves it without a person."""
        if self.batch is not None:
            return self.batch.status in _AT_REST
        ends = ENDED_ENTRIES | {EntryStatus.PARKED, EntryStatus.BLOCKED}
        return self.entry is None or self.entry.status in ends or self.entry.hold is not None

    @property
    def has_started(self) -> bool:
        """Say whether any of it has begun."""
        return self.batch is not None and self.batch.status not in (BatchStatus.FORMING, BatchStatus.READY)


def booked(state: State, schedule: Schedule) -> tuple[Booked, ...]:
    """List what a schedule holds, batches first."""
    batches = [Booked(batch, None) for name in schedule.batches if (batch := state.batches.get(name)) is not None]
    entries = (state.entries.get(issue) for issue in schedule.issues)
    return (*batches, *(Booked(_home(state, entry), entry) for entry in entries if entry is not None))


def _home(state: State, entry: Entry) -> Batch | None:
    return state.batches.get(entry.batch) if entry.batch is not None else None


def has_all_landed(state: State, schedule: Schedule) -> bool:
    """Say whether all that still moves is proven or shipped next: no member is left that a cancel could hold."""
    moving = [unit for unit in booked(state, schedule) if not unit.is_at_rest]
    return bool(moving) and all(_has_landed(state, unit) for unit in moving)


def _has_landed(state: State, unit: Booked) -> bool:
    if unit.batch is None or not unit.has_started:
        return False
    return all(member.status in RESOLVED_MEMBERS for member in state.members_of(unit.batch))


def holds(schedule: Schedule, state: State, batch: str | None, issue: int | None) -> bool:
    """Say whether a batch, or an issue alone or in a batch of its own, belongs to a schedule."""
    if batch is not None and batch in schedule.batches:
        return True
    if issue is not None:
        return issue in schedule.issues
    found = state.batches.get(batch or "")
    return found is not None and any(slot.issue in schedule.issues for slot in found.members)


def schedule_of(state: State, batch: str | None, issue: int) -> Schedule | None:
    """Find the schedule that says when a unit starts; one that has ended says nothing any more."""
    found = (s for _, s in sorted(state.schedules.items()) if s.status not in ENDED_SCHEDULES)
    return next((schedule for schedule in found if holds(schedule, state, batch, issue)), None)


def leases_of(state: State, schedule: Schedule) -> list[Lease]:
    """List the runs of a schedule that an agent does, in the order of their units."""
    found = [lease for _, lease in sorted(state.leases.items()) if lease.worked_by is None]
    return [lease for lease in found if holds(schedule, state, lease.batch, lease.issue)]
