"""Schedules on the whole engine: deaths, cancels, wake-ups and ends of windows; each comes to one state."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gitsched.cli.looking import situation_of
from gitsched.domain.schedules import Overrun, Schedule, ScheduleStatus
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.engine.intake.booking import Booking, add_schedule, cancel_schedule
from gitsched.ports.store import Entry as JournalEntry
from gitsched.wiring.clone import Clone
from tests.engine.drive import until
from tests.engine.relay import Relay
from tests.engine.world import PERSON, World

NIGHT = "22:00-06:00"
Show = Callable[[str], None]


class ReachedError(Exception):
    """What a driver was run for has happened."""


@pytest.fixture
def show(world: World, hermetic: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Give the test the clock of every process."""
    file = hermetic / "clock"
    file.write_text("2026-12-01T12:00:00Z")
    monkeypatch.setenv("GITSCHED_TEST_CLOCK", str(file))
    world.configure("[stall]\nkill_grace = '2s'\n")

    def set_to(instant: str) -> None:
        file.write_text(instant)

    return set_to


def book(world: World, *units: int | str, overrun: Overrun | None = None) -> Schedule:
    """Book units for the night, UTC."""
    booking = Booking(units=tuple(map(str, units)), window=NIGHT, zone="UTC", overrun=overrun)
    clone = Clone(world.repo)
    return add_schedule(clone.store, situation_of(clone), booking, PERSON)


def schedule(world: World, name: str = "s1") -> Schedule:
    """Read a schedule."""
    return world.state.schedules[name]


def drive_until(world: World, name: str) -> None:
    """Run a driver that ends like one that died once it has told of this event."""

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == name for event in entry.events):
            raise ReachedError

    with pytest.raises(ReachedError):
        world.driver().run(Until.STOPPED, None, on_entry)


def test_a_26_a_driver_that_waits_wakes_when_the_window_opens(world: World, show: Show) -> None:
    """A-26: two seconds before the opening nothing starts; the driver sleeps, wakes at the opening and works."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    book(world, 1)
    show("2026-12-01T21:59:58Z")
    world.run()
    (spawned,) = world.told("spawned")
    assert "2026-12-01T22:00:00" <= spawned.at < "2026-12-01T22:00:30"
    assert schedule(world).status is ScheduleStatus.SUCCEEDED
    assert world.batch("i1").status is BatchStatus.AWAITING_MERGE
    world.stop("i1")
    world.run()


@pytest.mark.parametrize("step", ["schedule-dispatching", "batch-started", "assigned"])
def test_a_29_a_death_between_dispatching_and_running_is_settled_by_the_next_tick(
    world: World, show: Show, step: str
) -> None:
    """A-29: whichever step was the last one recorded, one run, one result."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    book(world, 1)
    show("2026-12-01T23:00:00Z")
    drive_until(world, step)
    world.run()
    assert schedule(world).status is ScheduleStatus.SUCCEEDED
    assert world.started() == ["1 0"] or world.started() == ["1 1"]
    assert [name for name, _ in world.events("schedule-ended")] == ["schedule-ended"]
    world.stop("i1")
    world.run()


def test_a_29_a_cancel_that_comes_as_the_agent_ends_leaves_one_state(world: World, show: Show) -> None:
    """A-29: whichever is first, the cancel or the end: the work is kept, the slot is free, one final state."""
    gate = world.barrier("go")
    world.issues(1)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.enqueue(1, solo=True)
    book(world, 1)
    show("2026-12-01T23:00:00Z")
    world.tick()
    cancel_schedule(Clone(world.repo).store, "s1", PERSON)
    gate.open()
    world.run()
    finals = [event.fields["to"] for event in (*world.told("schedule-ended"), *world.told("schedule-cancelled"))]
    assert finals in (["succeeded"], ["cancelled"])
    assert str(schedule(world).status) == finals[0]
    assert not world.state.leases
    kept = world.entry(1)
    assert kept.hold == ("cancelled" if finals == ["cancelled"] else None)
    world.stop("i1")
    world.run()


def test_a_29_a_cancelled_run_is_ended_and_its_work_kept(world: World, show: Show) -> None:
    """A-29: TERM, the member waits with its commits, is held, and goes on when it is let go."""
    world.issues(1)
    half = "echo half > half.txt; git add -A; git commit -q -m Half"
    world.agent(1, f'{half}; echo up >> "{world.scripts}/up"; sleep 50')
    world.enqueue(1, solo=True)
    book(world, 1)
    show("2026-12-01T23:00:00Z")

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "spawned" for event in entry.events):
            cancel_schedule(Clone(world.repo).store, "s1", PERSON)

    world.driver().run(Until.IDLE, None, on_entry)
    assert schedule(world).status is ScheduleStatus.CANCELLED
    member = world.member(1, "i1")
    assert (member.status, member.hold) == (MemberStatus.WAITING, "cancelled")
    assert world.waits(1) == ("held:cancelled",)
    world.agents(1)
    world.resume("1")
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    assert "half.txt" in world.paths() or not world.lines("up")


def test_a_26_the_end_of_a_window_ends_what_was_booked_to_end(world: World, show: Show) -> None:
    """A-26: `--overrun stop`: at the end of the window the agent is ended, and the next night goes on in its tree."""
    world.issues(1)
    world.agent(1, "echo half > half.txt; git add -A; git commit -q -m Half; sleep 50", gen=0)
    world.agent(1, "echo rest > rest.txt", gen=1)
    world.enqueue(1, solo=True)
    book(world, 1, overrun=Overrun.STOP)
    show("2026-12-02T05:59:55Z")

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "schedule-waiting" and event.fields["reason"] for event in entry.events):
            raise ReachedError

    with pytest.raises(ReachedError):
        world.driver().run(Until.IDLE, None, on_entry)
    assert (schedule(world).status, schedule(world).opens_at) == (ScheduleStatus.WAITING, "2026-12-02T22:00:00.000Z")
    assert world.member(1, "i1").reason == "window-closed"
    assert not world.state.leases
    show("2026-12-02T22:00:01Z")
    world.run()
    assert {"half.txt", "rest.txt"} <= world.paths("gitsched/i1/integration")
    assert schedule(world).status is ScheduleStatus.SUCCEEDED
    world.stop("i1")
    world.run()


def test_a_clock_that_jumps_over_a_window_has_missed_it(world: World, show: Show) -> None:
    """A machine that slept from noon to the next noon: the window is told as missed, the next one is waited for."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    book(world, 1)
    world.tick()
    show("2026-12-02T12:00:00Z")
    world.tick()
    assert [event.fields["reason"] for event in world.told("schedule-missed")] == ["missed-window"]
    assert world.waits(1) == ("window:2026-12-02T22:00:00.000Z",)
    assert world.started() == []


def ends(world: World) -> list[tuple[str, str]]:
    """List the states in which the schedule has ended, with their reasons: one, whatever happened."""
    told = [*world.told("schedule-ended"), *world.told("schedule-cancelled")]
    return [(str(event.fields["to"]), str(event.fields["reason"])) for event in told]


BERLIN = [
    ("autumn", "2026-10-24T12:00:00Z", "2026-10-24T20:00:01Z", "2026-10-25T04:59:30Z", "2026-10-25T21:00:00.000Z"),
    ("spring", "2027-03-27T12:00:00Z", "2027-03-27T21:00:01Z", "2027-03-28T03:59:30Z", "2027-03-28T20:00:00.000Z"),
]
"""Nights in which the clocks change: noon, just opened, half a minute before it closes, and the next opening."""


@pytest.mark.parametrize(("noon", "opened", "late", "again"), [row[1:] for row in BERLIN], ids=[r[0] for r in BERLIN])
def test_a_night_in_which_the_clocks_change_ends_in_one_state(
    world: World, show: Show, noon: str, opened: str, late: str, again: str
) -> None:
    """Nine hours or seven, 22:00 to 06:00 by the wall: what does not fit its end waits for the next one's opening."""
    show(noon)
    world.issues(1, 2)
    world.agents(1, 2)
    for issue, at in ((1, opened), (2, late)):
        world.enqueue(issue, solo=True)
        clone = Clone(world.repo)
        booking = Booking(units=(str(issue),), window=NIGHT, zone="Europe/Berlin")
        add_schedule(clone.store, situation_of(clone), booking, PERSON)
        if issue == 1:
            world.tick()
            assert world.started() == []
            show(at)
            world.run()
        else:
            show(at)
    world.tick()
    assert ends(world) == [("succeeded", "1 of 1 came to a result")]
    assert world.started() == ["1 0"]
    assert world.waits(2) == (f"window:{again}",)
    show(again)
    world.run()
    assert ends(world) == [("succeeded", "1 of 1 came to a result")] * 2
    for batch in ("i1", "i2"):
        world.stop(batch)
    world.run()


@pytest.mark.parametrize("overrun", [None, Overrun.FINISH, Overrun.STOP])
def test_a_machine_that_sleeps_in_the_middle_of_a_run_wakes_to_one_state(
    world: World, show: Show, overrun: Overrun | None
) -> None:
    """At work at midnight, woken at noon: it ends by itself, or at once where that was stated."""
    gate = world.barrier("go")
    world.issues(1)
    half = f"echo half > half.txt; git add -A; git commit -q -m Half; echo up >> '{world.scripts}/up'"
    world.agent(1, f"{half}; read -r _ < {gate}; echo 1 > file1.txt", gen=0)
    world.agent(1, "echo 1 > file1.txt")
    world.enqueue(1, solo=True)
    book(world, 1, overrun=overrun)
    show("2026-12-01T23:59:00Z")
    world.tick()
    until(world.repo, lambda: world.lines("up") != [])
    show("2026-12-02T12:00:00Z")
    clock = Relay(world.clone.clock, slept_s=lambda _: 12 * 3600.0)
    if overrun is not Overrun.STOP:
        gate.open()
    with suppress(ReachedError):
        world.driver_with(clock=clock).run(Until.IDLE, None, _raising_when_it_waits)
    assert world.told("stalled") == []
    if overrun is Overrun.STOP:
        assert (schedule(world).status, ends(world)) == (ScheduleStatus.WAITING, [])
        assert not world.state.leases
        assert world.waits(1) == ("window:2026-12-02T22:00:00.000Z",)
        show("2026-12-02T22:00:01Z")
        world.run()
    assert ends(world) == [("succeeded", "1 of 1 came to a result")]
    assert schedule(world).status is ScheduleStatus.SUCCEEDED
    assert {"half.txt", "file1.txt"} <= world.paths("gitsched/i1/integration")
    assert not world.state.leases
    world.stop("i1")
    world.run()


def _raising_when_it_waits(entry: JournalEntry) -> None:
    if any(event.name == "schedule-waiting" and event.fields["reason"] for event in entry.events):
        raise ReachedError
