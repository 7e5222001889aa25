"""Schedule: when booked work may start, what follows when it could not, and what becomes of it in the morning.

1. Booked work starts in its window alone, after its approval where one is asked for.
2. A member starts only where its time limit fits into what is left of the window, or where the overrun is stated.
3. A window in which nobody drove is missed. Then comes the next one (`wait`), an end of waiting (`run`) or a person
   (`ask`); past the latest start nothing begins by itself.
4. A schedule has succeeded when something of it came to a result, and failed when all of it came to rest without one.

See docs/how-to/overnight.md.
"""

from collections.abc import Iterator
from datetime import tzinfo
from typing import Final

from gitsched.config.profiles import resolve_profile
from gitsched.domain.dispatch_effects import EndRun, MoveSchedule, YieldSlot
from gitsched.domain.effects import Effect
from gitsched.domain.instants import Instant, after
from gitsched.domain.records import Lease, Schedule
from gitsched.domain.schedules import OPEN_SCHEDULES, Misfire, Overrun, ScheduleStatus
from gitsched.domain.state import State
from gitsched.domain.words import GATHERING_BATCHES, MemberStatus, RunStatus
from gitsched.domain.zones import zone_named
from gitsched.policy.booked import Booked, booked, has_all_landed, leases_of, schedule_of
from gitsched.policy.order import Candidate
from gitsched.policy.situation import Situation, profile_of
from gitsched.policy.window import Span, span_at, window_of

REBOOK: Final = "rebook"
RUN_NOW: Final = "run-now"
MISSED: Final = "missed-window"
LATE: Final = "missed-latest-start"
WINDOW_CLOSED: Final = "window-closed"
CANCELLED: Final = "cancelled"
UNSTARTED_MEMBERS: Final = frozenset({MemberStatus.WAITING, MemberStatus.PREPARING})
ENDED_BY_SCHEDULE: Final = frozenset({WINDOW_CLOSED, CANCELLED})
"""Reasons of leases whose runs are ended before they are done; their members wait, with their trees."""


def schedule_reasons(situation: Situation, candidate: Candidate) -> Iterator[str]:
    """Name what a schedule has against a candidate's start now."""
    if not situation.state.schedules:
        return
    batch = candidate.batch.id if candidate.batch is not None else None
    schedule = schedule_of(situation.state, batch, candidate.issue)
    if schedule is None:
        return
    if schedule.status is ScheduleStatus.HUMAN_REQUIRED:
        yield f"held:{schedule.reason}"
    elif schedule.status is ScheduleStatus.CANCEL_REQUESTED:
        yield f"held:{CANCELLED}"
    elif schedule.needs_approval and not schedule.bound:
        yield "approval"
    elif not _may_begin(situation, schedule, candidate):
        yield f"window:{next_opening(schedule, situation.facts.now)}"


def _may_begin(situation: Situation, schedule: Schedule, candidate: Candidate) -> bool:
    now = situation.facts.now
    if (
        schedule.status not in OPEN_SCHEDULES
        or schedule.opens_at is None
        or now < schedule.opens_at
        or _is_late(schedule, now)
    ):
        return False
    if schedule.closes_at is None:
        return True
    limit_s = 0.0 if schedule.overrun is not None else time_limit_s(situation, candidate)
    return after(now, limit_s) <= schedule.closes_at if limit_s else now < schedule.closes_at


def time_limit_s(situation: Situation, candidate: Candidate) -> float:
    """Tell for how long a candidate's run may take at most."""
    settings = situation.settings_of(candidate.batch) if candidate.batch is not None else situation.current
    bearer = candidate.member or candidate.entry
    name = profile_of(situation, bearer)
    profile = resolve_profile(settings.agents, name, bearer.tier) if name is not None else None
    return profile.timeout_s if profile is not None else 0.0


def _is_late(schedule: Schedule, now: Instant) -> bool:
    if schedule.latest_start_s is None or schedule.opens_at is None:
        return False
    return now > after(schedule.opens_at, schedule.latest_start_s)


def zone_of(schedule: Schedule) -> tzinfo:
    """Give the zone that a schedule's window goes by; it was looked up when it was booked."""
    zone = zone_named(schedule.zone)
    assert zone is not None, schedule.zone
    return zone


def span_of(schedule: Schedule, now: Instant) -> Span | None:
    """Give the window of a schedule that is open now, or the next one; None where it has none but a moment."""
    window = window_of(schedule.window) if schedule.window is not None else None
    return None if window is None else span_at(window, zone_of(schedule), max(now, schedule.at or now))


def next_opening(schedule: Schedule, now: Instant) -> Instant:
    """Tell when booked work may start next."""
    if schedule.opens_at is not None and now < schedule.opens_at:
        return schedule.opens_at
    span = span_of(schedule, now)
    if span is None:
        return schedule.at or now
    if span.opens_at > now or schedule.status not in OPEN_SCHEDULES:
        return span.opens_at
    later = span_of(schedule, span.closes_at)
    return later.opens_at if later is not None else span.opens_at


def schedule_steps(situation: Situation) -> Iterator[Effect]:
    """Name what each schedule needs next, by its id."""
    for name in sorted(situation.state.schedules):
        schedule = situation.state.schedules[name]
        match schedule.status:
            case ScheduleStatus.SUBMITTED:
                yield _move(schedule, ScheduleStatus.VALIDATED)
            case ScheduleStatus.VALIDATED if schedule.needs_approval and not schedule.bound:
                pass
            case ScheduleStatus.VALIDATED | ScheduleStatus.APPROVED:
                yield _move(schedule, ScheduleStatus.SCHEDULED)
            case ScheduleStatus.SCHEDULED:
                yield _move(schedule, ScheduleStatus.WAITING)
            case ScheduleStatus.WAITING:
                yield from _waiting_step(situation, schedule)
            case ScheduleStatus.DISPATCHING | ScheduleStatus.RUNNING:
                yield from _open_step(situation, schedule)
            case ScheduleStatus.CANCEL_REQUESTED:
                yield from _cancel_step(situation, schedule)
            case _:
                pass


def _move(schedule: Schedule, step: str, reason: str | None = None) -> MoveSchedule:
    return MoveSchedule(schedule.id, schedule.status, step, reason)


def _waiting_step(situation: Situation, schedule: Schedule) -> Iterator[Effect]:
    now = situation.facts.now
    if schedule.opens_at is None or now < schedule.opens_at:
        return
    is_missed = schedule.closes_at is not None and now >= schedule.closes_at
    if not (is_missed or _is_late(schedule, now)):
        yield _move(schedule, ScheduleStatus.DISPATCHING)
    elif schedule.misfire is Misfire.WAIT and schedule.window is not None:
        yield _move(schedule, REBOOK, MISSED if is_missed else LATE)
    elif schedule.misfire is Misfire.RUN and schedule.latest_start_s is None:
        yield _move(schedule, RUN_NOW, MISSED)
    else:
        yield _move(schedule, ScheduleStatus.HUMAN_REQUIRED, LATE if schedule.latest_start_s else MISSED)


def _open_step(situation: Situation, schedule: Schedule) -> Iterator[Effect]:
    units = booked(situation.state, schedule)
    is_closed = schedule.closes_at is not None and situation.facts.now >= schedule.closes_at
    leases = leases_of(situation.state, schedule)
    if all(unit.is_at_rest for unit in units):
        yield _end(schedule, units)
    elif is_closed and schedule.overrun is Overrun.STOP and leases:
        yield from _end_runs(leases, WINDOW_CLOSED)
    elif is_closed and not leases and any(_waits(situation.state, unit) for unit in units):
        yield _move(schedule, REBOOK, WINDOW_CLOSED)
    elif schedule.status is ScheduleStatus.DISPATCHING and any(unit.has_started for unit in units):
        yield _move(schedule, ScheduleStatus.RUNNING)


def _end(schedule: Schedule, units: tuple[Booked, ...]) -> MoveSchedule:
    results = sum(unit.is_result for unit in units)
    status = ScheduleStatus.SUCCEEDED if results else ScheduleStatus.FAILED
    return _move(schedule, status, f"{results} of {len(units)} came to a result")


def _waits(state: State, unit: Booked) -> bool:
    """Say whether a unit still has members that wait for a start; what lands and is proven needs no window."""
    if unit.batch is None:
        return not unit.is_at_rest
    members = state.members_of(unit.batch)
    return unit.batch.status in GATHERING_BATCHES and any(member.status in UNSTARTED_MEMBERS for member in members)


def _end_runs(leases: list[Lease], reason: str) -> Iterator[Effect]:
    for lease in leases:
        if lease.status in (RunStatus.ASSIGNED, RunStatus.RECOVERING):
            yield YieldSlot(lease.batch, lease.issue, lease.gen, reason)
        elif lease.status is RunStatus.RUNNING and lease.reason is None:  # else it is being ended already
            yield EndRun(lease.batch, lease.issue, lease.gen, reason)


def _cancel_step(situation: Situation, schedule: Schedule) -> Iterator[Effect]:
    leases = leases_of(situation.state, schedule)
    if leases:
        yield from _end_runs(leases, CANCELLED)
        return
    units = booked(situation.state, schedule)
    if all(unit.is_at_rest for unit in units) and any(unit.is_result for unit in units):
        yield _end(schedule, units)
    elif not has_all_landed(situation.state, schedule):
        yield _move(schedule, ScheduleStatus.CANCELLED, CANCELLED)


def opening_times(situation: Situation) -> Iterator[Instant]:
    """Tell when windows open next, for schedules that wait for one."""
    now = situation.facts.now
    for schedule in situation.state.schedules.values():
        if schedule.status not in (*OPEN_SCHEDULES, ScheduleStatus.SCHEDULED, ScheduleStatus.WAITING):
            continue
        opens_at = next_opening(schedule, now)
        if opens_at > now:
            yield opens_at


def closing_times(situation: Situation) -> Iterator[Instant]:
    """Tell when open windows close that something ends with."""
    for schedule in situation.state.schedules.values():
        closes_at = schedule.closes_at
        if schedule.status in OPEN_SCHEDULES and closes_at is not None and closes_at > situation.facts.now:
            yield closes_at
