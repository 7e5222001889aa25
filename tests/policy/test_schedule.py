"""When booked work may start, what follows when it could not, and what may merge in the morning."""

from typing import Any

import pytest

from gitsched.domain.dispatch_effects import EndRun, MoveSchedule, YieldSlot
from gitsched.domain.effects import FormSolo
from gitsched.domain.merging import BY_ITSELF
from gitsched.domain.records import Record, Schedule
from gitsched.domain.schedules import Harvest, Misfire, Overrun, ScheduleStatus
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, RunStatus
from gitsched.policy.admit import admissions
from gitsched.policy.booked import booked, holds, schedule_of
from gitsched.policy.harvest import mechanism_of
from gitsched.policy.schedule import closing_times, next_opening, opening_times, schedule_steps
from tests.policy.situations import a_batch, a_lease, a_member, a_situation, a_state, an_entry, settings

S = ScheduleStatus
HOUR = 'timeout = "1h"\n'
OPENS, CLOSES = "2026-01-01T22:00:00.000Z", "2026-01-02T06:00:00.000Z"
NEXT = "2026-01-02T22:00:00.000Z"


def a_schedule(status: ScheduleStatus = S.RUNNING, **fields: Any) -> Schedule:
    """Book issue 1 for the night of the first of January, UTC."""
    given = {"id": "s1", "issues": (1,), "window": "22:00-06:00", "zone": "UTC", "opens_at": OPENS, "closes_at": CLOSES}
    return Schedule(status=status, **{**given, **fields})


def waits(schedule: Schedule, now: str, config: str = HOUR) -> tuple[str, ...]:
    """Name why issue 1 waits at that instant; nothing when it starts."""
    found = admissions(a_situation(a_state(schedule, an_entry(1)), settings(config), now=now))
    assert (1 in found.waits) is not (FormSolo(1) in found.effects)
    return found.waits.get(1, ())


def steps(schedule: Schedule, *records: Record, now: str = "2026-01-01T23:00:00.000Z") -> list[Any]:
    """List what the schedule needs next."""
    return list(schedule_steps(a_situation(a_state(schedule, *records), now=now)))


def step(schedule: Schedule, *records: Record, now: str = "2026-01-01T23:00:00.000Z") -> tuple[str, str | None]:
    """Give the one step and its reason."""
    (only,) = steps(schedule, *records, now=now)
    assert isinstance(only, MoveSchedule)
    assert only.source == schedule.status
    return only.step, only.reason


def test_a_26_a_start_must_fit_its_window() -> None:
    """A-26: 05:30 too late for 60 minutes, 04:59 and 05:00 not, 21:59 too early; with the overrun stated it starts."""
    assert waits(a_schedule(), "2026-01-02T05:30:00.000Z") == (f"window:{NEXT}",)
    assert waits(a_schedule(), "2026-01-02T04:59:00.000Z") == ()
    assert waits(a_schedule(), "2026-01-02T05:00:00.000Z") == ()
    assert waits(a_schedule(S.WAITING), "2026-01-01T21:59:00.000Z") == (f"window:{OPENS}",)
    for overrun in Overrun:
        assert waits(a_schedule(overrun=overrun), "2026-01-02T05:30:00.000Z") == ()
        assert waits(a_schedule(overrun=overrun), CLOSES) == (f"window:{NEXT}",)


def test_a_26_past_the_latest_start_nothing_begins_by_itself() -> None:
    """A-26: neither a member of a window that is open, nor a schedule that was asleep when it opened."""
    late = a_schedule(latest_start_s=3600)
    assert waits(late, "2026-01-01T22:59:00.000Z") == ()
    assert waits(late, "2026-01-01T23:01:00.000Z") == (f"window:{NEXT}",)
    asleep = a_schedule(S.WAITING, latest_start_s=3600)
    assert step(asleep, an_entry(1), now="2026-01-01T23:30:00.000Z") == ("rebook", "missed-latest-start")
    for misfire in (Misfire.RUN, Misfire.ASK):
        asks = a_schedule(S.WAITING, latest_start_s=3600, misfire=misfire)
        assert step(asks, an_entry(1), now="2026-01-01T23:30:00.000Z") == (S.HUMAN_REQUIRED, "missed-latest-start")


@pytest.mark.parametrize(
    ("misfire", "wanted"),
    [
        (Misfire.WAIT, ("rebook", "missed-window")),
        (Misfire.RUN, ("run-now", "missed-window")),
        (Misfire.ASK, (S.HUMAN_REQUIRED, "missed-window")),
    ],
)
def test_a_26_a_missed_window_follows_its_rule(misfire: Misfire, wanted: tuple[str, str]) -> None:
    """A-26: nobody drove between opening and closing."""
    assert step(a_schedule(S.WAITING, misfire=misfire), an_entry(1), now="2026-01-02T09:00:00.000Z") == wanted


def test_a_moment_without_a_window_does_not_close() -> None:
    """It opens at its moment and stays open; a latest start that has passed asks for a person."""
    once = a_schedule(S.WAITING, window=None, at=OPENS, closes_at=None)
    assert steps(once, an_entry(1), now="2026-01-01T21:00:00.000Z") == []
    assert waits(once, "2026-01-01T21:00:00.000Z") == (f"window:{OPENS}",)
    assert step(once, an_entry(1), now="2026-03-01T00:00:00.000Z") == (S.DISPATCHING, None)
    late = a_schedule(S.WAITING, window=None, at=OPENS, closes_at=None, latest_start_s=60)
    assert step(late, an_entry(1), now="2026-03-01T00:00:00.000Z") == (S.HUMAN_REQUIRED, "missed-latest-start")
    going = a_schedule(S.RUNNING, window=None, at=OPENS, closes_at=None)
    assert waits(going, "2026-03-01T00:00:00.000Z") == ()
    assert next_opening(going, "2026-03-01T00:00:00.000Z") == OPENS


def test_each_state_leads_to_the_next_one() -> None:
    """Submitted, validated, scheduled, waiting; an approval that is asked for is waited for."""
    assert step(a_schedule(S.SUBMITTED)) == (S.VALIDATED, None)
    assert step(a_schedule(S.VALIDATED)) == (S.SCHEDULED, None)
    assert steps(a_schedule(S.VALIDATED, needs_approval=True)) == []
    assert step(a_schedule(S.APPROVED, needs_approval=True, bound={"base": "x"})) == (S.SCHEDULED, None)
    assert step(a_schedule(S.SCHEDULED)) == (S.WAITING, None)
    assert steps(a_schedule(S.WAITING), an_entry(1), now="2026-01-01T20:00:00.000Z") == []
    assert step(a_schedule(S.WAITING), an_entry(1)) == (S.DISPATCHING, None)
    assert steps(a_schedule(S.HUMAN_REQUIRED)) == steps(a_schedule(S.SUCCEEDED)) == []


def test_reasons_say_what_a_booked_issue_waits_for() -> None:
    """An approval, a person, a cancellation; one that has ended says nothing."""
    now = "2026-01-01T23:00:00.000Z"
    assert waits(a_schedule(S.VALIDATED, needs_approval=True), now) == ("approval",)
    assert waits(a_schedule(S.HUMAN_REQUIRED, reason="approval-void:base"), now) == ("held:approval-void:base",)
    assert waits(a_schedule(S.CANCEL_REQUESTED), now) == ("held:cancelled",)
    assert waits(a_schedule(S.SUCCEEDED), now) == ()
    assert waits(a_schedule(issues=(2,)), now) == ()


def test_a_driver_wakes_when_a_window_opens_and_when_it_closes() -> None:
    """Instants for the plan; what is past or has ended is none of them."""
    waiting = a_situation(a_state(a_schedule(S.WAITING), an_entry(1)), settings(HOUR), now="2026-01-01T12:00:00.000Z")
    assert admissions(waiting).wakes_at == (OPENS,)
    going = a_situation(a_state(a_schedule(), an_entry(1)), settings(HOUR), now="2026-01-01T23:00:00.000Z")
    assert list(closing_times(going)) == [CLOSES]
    assert list(opening_times(going)) == [NEXT]
    over = a_situation(a_state(a_schedule(S.CANCELLED)), now="2026-01-03T23:00:00.000Z")
    assert list(closing_times(over)) == list(opening_times(over)) == []
    once = a_schedule(S.RUNNING, window=None, at=OPENS, closes_at=None)
    assert list(opening_times(a_situation(a_state(once), now="2026-01-03T23:00:00.000Z"))) == []


def test_the_first_start_makes_it_run_and_results_end_it() -> None:
    """A batch that waits for its merge is a result; all at rest without any is a failure."""
    batch = a_schedule(S.DISPATCHING, issues=(), batches=("b1",))
    assert step(batch, a_batch(1), a_member(1)) == (S.RUNNING, None)
    assert steps(batch, a_batch(1, status=BatchStatus.READY), a_member(1)) == []
    merged = a_batch(1, status=BatchStatus.AWAITING_MERGE)
    assert step(batch, merged, a_member(1, MemberStatus.LANDED)) == (S.SUCCEEDED, "1 of 1 came to a result")
    blocked = a_batch(1, status=BatchStatus.BLOCKED, reason="x")
    assert step(batch, blocked, a_member(1)) == (S.FAILED, "0 of 1 came to a result")
    alone = a_schedule(S.RUNNING)
    assert step(alone, an_entry(1, EntryStatus.DONE)) == (S.SUCCEEDED, "1 of 1 came to a result")
    assert step(alone, an_entry(1, EntryStatus.PARKED)) == (S.FAILED, "0 of 1 came to a result")
    assert step(alone, an_entry(1, hold="later")) == (S.FAILED, "0 of 1 came to a result")
    assert steps(alone, an_entry(1)) == []


def test_the_end_of_a_window_ends_runs_only_where_that_was_stated() -> None:
    """`stop` ends what works and gives back what has not started; else runs go on, the rest is booked again."""
    after = "2026-01-02T06:00:00.000Z"
    records = (a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1))
    stops = a_schedule(issues=(), batches=("b1",), overrun=Overrun.STOP)
    assert steps(stops, *records, now=after) == [EndRun("b1", 1, 0, "window-closed")]
    ending = a_lease(1, reason="window-closed")
    assert steps(stops, *records[:2], ending, now=after) == []
    assert steps(stops, *records[:2], a_lease(1, reason="stalled"), now=after) == []
    fresh = a_lease(1, RunStatus.ASSIGNED)
    assert steps(stops, *records[:2], fresh, now=after) == [YieldSlot("b1", 1, 0, "window-closed")]
    assert steps(stops, *records[:2], a_lease(1, RunStatus.VERIFYING), now=after) == []
    finishes = a_schedule(issues=(), batches=("b1",), overrun=Overrun.FINISH)
    assert steps(finishes, *records, now=after) == []
    assert step(finishes, a_batch(1), a_member(1), now=after) == ("rebook", "window-closed")
    assert steps(finishes, a_batch(1), a_member(1, MemberStatus.VERIFIED), now=after) == []
    proving = a_batch(1, status=BatchStatus.VALIDATING)
    assert steps(finishes, proving, a_member(1, MemberStatus.LANDED), now=after) == []
    assert step(a_schedule(), an_entry(1), now=after) == ("rebook", "window-closed")


def test_a_29_a_cancel_ends_in_exactly_one_state() -> None:
    """A-29: runs are ended first; what had come to a result by then stays a success, all else is cancelled."""
    cancel = a_schedule(S.CANCEL_REQUESTED, issues=(), batches=("b1",))
    assert steps(cancel, a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1)) == [EndRun("b1", 1, 0, "cancelled")]
    assert step(cancel, a_batch(1), a_member(1)) == (S.CANCELLED, "cancelled")
    merged = a_batch(1, status=BatchStatus.AWAITING_MERGE)
    assert step(cancel, merged, a_member(1, MemberStatus.LANDED)) == (S.SUCCEEDED, "1 of 1 came to a result")
    proving, landed = a_batch(1, status=BatchStatus.VALIDATING), a_member(1, MemberStatus.LANDED)
    assert steps(cancel, proving, landed) == [], "nothing is left to be held: the proof decides"
    assert step(cancel, proving, a_member(1)) == (S.CANCELLED, "cancelled")
    not_begun = a_batch(1, status=BatchStatus.READY)
    assert step(cancel, not_begun, landed) == (S.CANCELLED, "cancelled")
    blocked = a_batch(1, status=BatchStatus.BLOCKED)
    assert step(cancel, blocked, landed) == (S.CANCELLED, "cancelled")
    by_hand = a_lease(1, worked_by="ada")
    assert step(cancel, a_batch(1), a_member(1, MemberStatus.RUNNING), by_hand) == (S.CANCELLED, "cancelled")


def test_a_schedule_holds_its_batches_and_the_solo_batches_of_its_issues() -> None:
    """By name, and by the issue that a batch was formed of."""
    state = a_state(a_schedule(batches=("b1",), issues=(7,)), a_batch(1), a_member(1))
    state = state.put(a_batch(7, id="i7")).put(an_entry(7, EntryStatus.ASSIGNED, batch="i7"))
    schedule = state.schedules["s1"]
    assert holds(schedule, state, "b1", 99)
    assert holds(schedule, state, None, 7)
    assert holds(schedule, state, "i7", None)
    assert not holds(schedule, state, "b9", None)
    assert schedule_of(state, "b1", 1) is schedule
    assert schedule_of(state, "b2", 2) is None
    assert [unit.batch.id for unit in booked(state, schedule) if unit.batch is not None] == ["b1", "i7"]


def test_a_30_nothing_merges_before_it_is_harvested_and_then_in_order() -> None:
    """A-30: what the engine would merge waits; let go, one after the other; `auto` leaves it as it is configured."""
    direct = settings('[ship]\nmerge = "direct"\n')
    first = a_batch(1, status=BatchStatus.AWAITING_MERGE)
    second = a_batch(2, id="b2", status=BatchStatus.AWAITING_MERGE)

    def asked(schedule: Schedule, batch: Any = second, config: Any = direct) -> str:
        return str(mechanism_of(a_situation(a_state(schedule, first, second), config), batch))

    both = a_schedule(S.SUCCEEDED, issues=(), batches=("b1", "b2"))
    assert asked(both) == asked(both, first) == "manual"
    let_go = a_schedule(S.SUCCEEDED, issues=(), batches=("b1", "b2"), released={"b1": 1, "b2": 2})
    assert asked(let_go, first) == "direct"
    assert asked(let_go, first, settings()) == "direct"
    assert asked(let_go) == "manual"
    gone = a_state(let_go, a_batch(1, status=BatchStatus.DONE), second)
    assert mechanism_of(a_situation(gone, direct), second) == BY_ITSELF
    auto = a_schedule(S.SUCCEEDED, issues=(), batches=("b1", "b2"), harvest=Harvest.AUTO)
    assert asked(auto) == "direct"
    assert asked(a_schedule(S.CANCELLED, issues=(), batches=("b1", "b2"))) == "direct"
    assert asked(a_schedule(issues=(9,)), config=settings()) == "manual"
