"""`schedule add`, `cancel`, `resume` and `approve`: an operator's words on booked work."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.instants import Instant
from gitsched.domain.records import Schedule
from gitsched.domain.schedules import ENDED_SCHEDULES, Harvest, Misfire, Overrun, ScheduleStatus
from gitsched.domain.state import Draft, State
from gitsched.domain.words import TERMINAL_BATCHES, TERMINAL_ENTRIES, EntryStatus
from gitsched.domain.zones import zone_named
from gitsched.engine.intake.enqueue import EnqueueAnswer
from gitsched.engine.intake.names import BatchUnit, unit_of
from gitsched.engine.intake.transact import transact
from gitsched.engine.packet import packet_of
from gitsched.engine.perform.moving import note_step, with_window
from gitsched.errors import RefusedError, UnknownUnitError, UsageError
from gitsched.policy.booked import booked, schedule_of
from gitsched.policy.order import Candidate
from gitsched.policy.schedule import time_limit_s
from gitsched.policy.situation import Situation
from gitsched.policy.window import Unclear, moment_in, window_of
from gitsched.ports.refs import Refs
from gitsched.ports.store import Store

_DAY_MIN = 24 * 60


class Booking(Struct, frozen=True, kw_only=True):
    """What is asked for, as a person writes it."""

    units: tuple[str, ...]
    window: str | None = None
    zone: str | None = None
    at: str | None = None
    latest_start_s: float | None = None
    overrun: Overrun | None = None
    misfire: Misfire = Misfire.WAIT
    harvest: Harvest | None = None
    needs_approval: bool = False


def add_schedule(
    store: Store,
    situation: Situation,
    booking: Booking,
    actor: str,
    enter: Callable[[Draft], EnqueueAnswer] | None = None,
) -> Schedule:
    """Book batches and issues; either all of it is written or nothing.

    `enter` puts issues into the queue first, in the same transaction, so that none of them starts before its window.
    Raises UsageError for a bad value or an unclear time, RefusedError for what cannot be booked.
    """
    plain = _read(booking, situation.current, situation.facts.zone)

    def build(draft: Draft) -> Schedule:
        answer = enter(draft) if enter is not None else None
        units = _units(draft.state, (*booking.units, *(_entered(answer) if answer is not None else ())))
        schedule = replace(
            plain,
            id=_next_id(draft.state),
            issues=units[0],
            batches=units[1],
            created_at=draft.at,
            updated_at=draft.at,
        )
        _refuse_misfit(
            Situation(state=draft.state, facts=situation.facts, current=situation.current, sealed=situation.sealed),
            schedule,
        )
        sentence = f"Book {', '.join((*units[1], *map(str, units[0])))} as schedule {schedule.id}"
        draft.note(EventName.SCHEDULE_ADDED, sentence, schedule, schedule=schedule.id, window=schedule.window)
        valid = note_step(draft, schedule, ScheduleStatus.VALIDATED, None)
        if schedule.needs_approval:
            return valid
        return note_step(draft, with_window(valid, draft.at), ScheduleStatus.SCHEDULED, None)

    return transact(store, actor, build)


def _entered(answer: EnqueueAnswer) -> Sequence[str]:
    return (answer.batch,) if answer.batch is not None else tuple(str(issue) for issue in answer.entries)


def _read(booking: Booking, settings: Settings, host_zone: str) -> Schedule:
    name = booking.zone or settings.schedule.tz or host_zone
    zone = zone_named(name)
    if zone is None:
        raise UsageError(f"'{name}' was given as a time zone.", "There is no such zone.", "Name one as Europe/Berlin.")
    if booking.window is None and booking.at is None:
        raise UsageError(
            "Work was to be booked.", "Neither a window nor a moment is named.", "Give --window 22:00-06:00, or --at."
        )
    if booking.window is not None and window_of(booking.window) is None:
        raise UsageError(
            f"'{booking.window}' was given as a window.", "It is none.", "Write two times of day: 22:00-06:00."
        )
    return Schedule(
        id="",
        status=ScheduleStatus.SUBMITTED,
        window=booking.window,
        zone=name,
        at=_moment(booking.at, zone, name) if booking.at is not None else None,
        latest_start_s=int(booking.latest_start_s) if booking.latest_start_s is not None else None,
        overrun=booking.overrun,
        misfire=booking.misfire,
        harvest=booking.harvest or Harvest(settings.schedule.harvest),
        needs_approval=booking.needs_approval,
    )


def _moment(text: str, zone: tzinfo, name: str) -> Instant:
    found = moment_in(text, zone, name)
    if isinstance(found, Unclear):
        raise UsageError(f"'{text}' in {name} was given as a moment.", found.why, found.remedy)
    return found


def _units(state: State, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Read what is named as issues that stand alone, and batches. Raises RefusedError."""
    issues: list[int] = []
    batches: list[str] = []
    for name in names:
        unit = unit_of(state, name)
        asked = f"'{name}' was to be booked."
        if isinstance(unit, BatchUnit):
            batch = state.batches[unit.batch]
            if batch.status in TERMINAL_BATCHES:
                raise RefusedError(asked, f"It is over: {batch.status}.", f"`gitsched show {name}` tells how it ended.")
            batches.append(batch.id)
        else:
            entry = state.entries[unit.issue]
            if entry.status in TERMINAL_ENTRIES or entry.status is EntryStatus.PARKED:
                raise RefusedError(asked, f"It is {entry.status}.", f"`gitsched why {name}` tells what it waits for.")
            if entry.batch is not None:
                batches.append(entry.batch)
            else:
                issues.append(entry.issue)
    booked_already = (schedule_of(state, batch, 0) for batch in batches)
    known = next((s for s in (*booked_already, *(schedule_of(state, None, n) for n in issues)) if s is not None), None)
    if known is not None:
        listed = ", ".join(names)
        against = f"Part of it is booked already, by {known.id}."
        raise RefusedError(f"{listed} was to be booked.", against, f"`gitsched schedule cancel {known.id}` ends that.")
    return tuple(dict.fromkeys(issues)), tuple(dict.fromkeys(batches))


def _next_id(state: State) -> str:
    taken = [int(name[1:]) for name in state.schedules if name[1:].isdecimal()]
    return f"s{max(taken, default=0) + 1}"


def _refuse_misfit(situation: Situation, schedule: Schedule) -> None:
    """Refuse what could never start: a time limit that no window of this length has room for."""
    window = window_of(schedule.window) if schedule.window is not None else None
    if window is None or schedule.overrun is not None:
        return
    length_s = ((window.closes_min - window.opens_min) % _DAY_MIN) * 60
    for candidate in _candidates(situation.state, schedule):
        limit_s = time_limit_s(situation, candidate)
        if limit_s > length_s:
            raise RefusedError(
                f"Issue {candidate.issue} was to be booked for {schedule.window}.",
                f"Its agent may take {limit_s / 3600:.1f} h, and the window has {length_s / 3600:.1f} h.",
                "Say --overrun finish or --overrun stop, or give the agent a shorter `timeout`.",
            )


def _candidates(state: State, schedule: Schedule) -> list[Candidate]:
    found: list[Candidate] = []
    for unit in booked(state, schedule):
        if unit.batch is not None:
            members = state.members_of(unit.batch)
            rows = [(state.entries.get(member.issue), member) for member in members]
            found += [Candidate(entry=entry, batch=unit.batch, member=m) for entry, m in rows if entry is not None]
        elif unit.entry is not None:
            found.append(Candidate(entry=unit.entry))
    return found


def schedule_named(state: State, text: str) -> Schedule:
    """Find a schedule. Raises UnknownUnitError."""
    found = state.schedules.get(text.strip())
    if found is None:
        raise UnknownUnitError(
            f"'{text}' was named.", "There is no such schedule.", "`gitsched schedule list` shows them all."
        )
    return found


def cancel_schedule(store: Store, name: str, actor: str) -> Schedule:
    """Ask for a schedule's end; the engine ends what runs and keeps its work.

    Raises RefusedError for one that is over.
    """

    def build(draft: Draft) -> Schedule:
        schedule = schedule_named(draft.state, name)
        if schedule.status in ENDED_SCHEDULES:
            against = f"It is {schedule.status} already."
            raise RefusedError(f"Schedule {schedule.id} was to be cancelled.", against, "There is nothing left to end.")
        if schedule.status is ScheduleStatus.CANCEL_REQUESTED:
            return schedule
        asked = replace(
            schedule, status=ScheduleStatus.CANCEL_REQUESTED, reason=None, cancelled_by=actor, updated_at=draft.at
        )
        draft.note(EventName.CANCEL_REQUESTED, f"Cancel schedule {schedule.id}", asked, schedule=schedule.id)
        return asked

    return transact(store, actor, build)


def resume_schedule(store: Store, name: str, actor: str) -> Schedule:
    """Let a schedule go on that needs a person: from its next window on. Raises RefusedError for any other."""

    def build(draft: Draft) -> Schedule:
        schedule = schedule_named(draft.state, name)
        asked = f"Schedule {schedule.id} was to go on."
        if schedule.status is not ScheduleStatus.HUMAN_REQUIRED:
            raise RefusedError(
                asked, f"It is {schedule.status}.", f"`gitsched schedule show {schedule.id}` tells more."
            )
        if schedule.needs_approval and not schedule.bound:
            raise RefusedError(
                asked, "Its approval is void.", f"`gitsched schedule show {schedule.id}` has a new token."
            )
        late = replace(with_window(schedule, draft.at), latest_start_s=None)
        going = replace(late, status=ScheduleStatus.SCHEDULED, reason=None, updated_at=draft.at)
        draft.note(EventName.SCHEDULE_RESUMED, f"Let schedule {schedule.id} go on", going, schedule=schedule.id)
        return going

    return transact(store, actor, build)


def schedule_with_token(situation: Situation, refs: Refs, issues: Mapping[int, Issue], token: str) -> str:
    """Name the schedule whose packet, as things are, has a token. Raises RefusedError where there is none."""
    for schedule in situation.state.schedules.values():
        is_over = schedule.status in ENDED_SCHEDULES
        if not is_over and packet_of(situation, schedule, refs, issues).token == token.strip():
            return schedule.id
    raise RefusedError(
        f"The token {token} was given as an approval.",
        "It is that of no packet as it is now: mistyped, or something has changed.",
        "`gitsched schedule show SCHEDULE` prints the packet and its token.",
    )


def approve_schedule(  # many-parameters: the packet is built from the forge and the refs as they are now
    store: Store, situation: Situation, refs: Refs, issues: Mapping[int, Issue], words: tuple[str, str], actor: str
) -> Schedule:
    """Approve a schedule by the token of its packet; `words` are its name and the token.

    Raises RefusedError for a token that is not of the packet as it is now.
    """
    name, token = words

    def build(draft: Draft) -> Schedule:
        schedule = schedule_named(draft.state, name)
        asked = f"Schedule {schedule.id} was to be approved."
        show = f"`gitsched schedule show {schedule.id}` prints the packet and its token."
        if schedule.status in ENDED_SCHEDULES or schedule.status is ScheduleStatus.CANCEL_REQUESTED:
            raise RefusedError(asked, f"It is {schedule.status}.", "Book it again: `gitsched schedule add`.")
        seen = Situation(state=draft.state, facts=situation.facts, current=situation.current, sealed=situation.sealed)
        packet = packet_of(seen, schedule, refs, issues)
        if token.strip() != packet.token:
            raise RefusedError(asked, "The token is not that of the packet as it is now: something has changed.", show)
        approved = replace(
            schedule,
            status=ScheduleStatus.APPROVED,
            reason=None,
            bound=dict(packet.aspects),
            approved_by=actor,
            approved_at=draft.at,
            updated_at=draft.at,
        )
        sentence = f"Approve schedule {schedule.id} with token {packet.token}"
        draft.note(EventName.SCHEDULE_APPROVED, sentence, approved, schedule=schedule.id, token=packet.token)
        return note_step(draft, with_window(approved, draft.at), ScheduleStatus.SCHEDULED, None)

    return transact(store, actor, build)
