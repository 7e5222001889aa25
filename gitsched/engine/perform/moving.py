"""Moving schedules: each step of one, recorded where it still holds; before dispatch everything is looked at again."""

from collections.abc import Iterator

from msgspec.structs import replace

from gitsched.domain.dispatch_effects import MoveSchedule
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Record, Schedule
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.state import Draft
from gitsched.domain.words import RESOLVED_MEMBERS
from gitsched.engine.desk import Desk
from gitsched.engine.packet import issues_in, packet_of
from gitsched.errors import BusyError
from gitsched.policy.booked import booked, has_all_landed
from gitsched.policy.schedule import CANCELLED, REBOOK, RUN_NOW, WINDOW_CLOSED, span_of

_EVENTS = {
    ScheduleStatus.VALIDATED: EventName.SCHEDULE_VALIDATED,
    ScheduleStatus.SCHEDULED: EventName.SCHEDULE_BOOKED,
    ScheduleStatus.WAITING: EventName.SCHEDULE_WAITING,
    ScheduleStatus.DISPATCHING: EventName.SCHEDULE_DISPATCHING,
    ScheduleStatus.RUNNING: EventName.SCHEDULE_STARTED,
    ScheduleStatus.SUCCEEDED: EventName.SCHEDULE_ENDED,
    ScheduleStatus.FAILED: EventName.SCHEDULE_ENDED,
    ScheduleStatus.HUMAN_REQUIRED: EventName.SCHEDULE_HELD,
    ScheduleStatus.CANCELLED: EventName.SCHEDULE_CANCELLED,
}


def move_schedule(effect: MoveSchedule, desk: Desk) -> None:
    """Take a schedule one step further. Raises BusyError where the forge must be asked first and gives no answer."""
    schedule = desk.state.schedules.get(effect.schedule)
    if schedule is None or schedule.status != effect.source:
        return
    starts = effect.step in (ScheduleStatus.DISPATCHING, RUN_NOW)
    void = next(_objections(desk, schedule), None) if starts else None

    def intent(draft: Draft) -> None:
        now = draft.state.schedules.get(effect.schedule)
        if now is None or now.status != effect.source or now.bound != schedule.bound:
            return
        if effect.step == ScheduleStatus.CANCELLED and has_all_landed(draft.state, now):
            return  # the last member landed meanwhile, and is not taken back: what becomes of it decides
        if void is not None:
            note_step(draft, now, ScheduleStatus.HUMAN_REQUIRED, void)
        elif effect.step == REBOOK:
            _rebook(draft, now, effect.reason)
        elif effect.step == RUN_NOW:
            begun = replace(now, opens_at=draft.at, closes_at=None)
            note_step(draft, begun, ScheduleStatus.DISPATCHING, effect.reason)
        elif effect.step == ScheduleStatus.SCHEDULED:
            note_step(draft, with_window(now, draft.at), ScheduleStatus.SCHEDULED, None)
        else:
            note_step(draft, now, ScheduleStatus(effect.step), effect.reason)

    desk.record(intent)


def note_step(draft: Draft, schedule: Schedule, status: ScheduleStatus, reason: str | None) -> Schedule:
    """Record a schedule's step, and what follows for the entries of one that is cancelled."""
    moved = replace(schedule, status=status, reason=reason, updated_at=draft.at)
    why = f": {reason}" if reason else ""
    sentence = f"Schedule {moved.id} is {status}{why}"
    held = tuple(_held(draft, schedule)) if status is ScheduleStatus.CANCELLED else ()
    draft.note(_EVENTS[status], sentence[:200], moved, *held, schedule=moved.id, reason=reason, to=str(status))
    return moved


def _held(draft: Draft, schedule: Schedule) -> Iterator[Record]:
    """Hold what is left of a cancelled schedule, so that it does not start by itself from now on."""
    state = draft.state
    for unit in booked(state, schedule):
        if unit.batch is None and unit.entry is not None and not unit.is_at_rest:
            yield replace(unit.entry, hold=CANCELLED)
        elif unit.batch is not None and not unit.is_at_rest:
            open_ones = [m for m in state.members_of(unit.batch) if m.status not in RESOLVED_MEMBERS]
            yield from (replace(member, hold=CANCELLED) for member in open_ones)
            yield from (replace(state.entries[member.issue], hold=CANCELLED) for member in open_ones)


def with_window(schedule: Schedule, now: str) -> Schedule:
    """Give a schedule with the window that is open now, or its next one; one that has only a moment opens there."""
    span = span_of(schedule, now)
    if span is None:
        return replace(schedule, opens_at=schedule.at, closes_at=None)
    opens_at = max(span.opens_at, schedule.at or span.opens_at)
    return replace(schedule, opens_at=opens_at, closes_at=span.closes_at)


def _rebook(draft: Draft, schedule: Schedule, reason: str | None) -> None:
    later = with_window(schedule, draft.at)
    if later.closes_at == schedule.closes_at and schedule.closes_at is not None:
        later = with_window(schedule, schedule.closes_at)
    if later.closes_at is None:
        note_step(draft, schedule, ScheduleStatus.HUMAN_REQUIRED, reason)
    elif reason == WINDOW_CLOSED:
        note_step(draft, later, ScheduleStatus.WAITING, reason)
    else:
        moved = replace(later, reason=reason, updated_at=draft.at)
        sentence = f"Schedule {moved.id} waits for its next window, from {moved.opens_at}: {reason}"
        draft.note(EventName.SCHEDULE_MISSED, sentence, moved, schedule=moved.id, reason=reason)


def _objections(desk: Desk, schedule: Schedule) -> Iterator[str]:
    """Name what stands against starting a schedule's work although its window is open."""
    state = desk.state
    if schedule.bound:
        numbers = issues_in(state, schedule)
        found = desk.around.forge.issues(numbers)
        if isinstance(found, Unreachable):
            raise BusyError(f"Schedule {schedule.id} was to be looked at again.", f"{found.what}: {found.detail}")
        packet = packet_of(desk.situation(state), schedule, desk.around.refs, found)
        changed = packet.changed_since(schedule.bound)
        if changed:
            yield f"approval-void:{','.join(changed)}"[:200]
    for unit in booked(state, schedule):
        if unit.batch is None:
            continue
        held_in = desk.around.refs.held_in(unit.batch.integration.branch)
        if held_in is not None:
            yield f"branch-checked-out:{unit.batch.integration.branch}"
        if desk.around.refs.resolve(branch_ref(unit.batch.target)) is None:
            yield "target-missing"
