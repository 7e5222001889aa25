"""Several drivers on one clone at once, one that is stopped for a while, and one whose operator leaves."""

import signal
from collections.abc import Callable
from itertools import accumulate

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.capacity import change_slots
from tests.engine.drive import INTERRUPTED, Driving, until
from tests.engine.fates import expect_the_end, prepare
from tests.engine.world import World
from tests.real_git import run_git

Drive = Callable[[], Driving]
WAITS = "while [ ! -f {scripts}/go ]; do read -t 1 x < /dev/null || true; done"


@pytest.mark.timeout(300)
def test_s_12_three_drivers_do_everything_once(world: World, drive: Drive) -> None:
    """S-12 (local), R-62, L-34: each run is started once, live runs never exceed the slots, each member lands once."""
    prepare(world)
    drivers = [drive() for _ in range(3)]
    for driver in drivers:
        driver.end()
    expect_the_end(world)


@pytest.mark.timeout(300)
def test_r_62_one_slot_and_two_drivers(world: World, drive: Drive) -> None:
    """R-62: one slot, two drivers: one agent starts, who waits shows `capacity`, and never two are live at a time."""
    world.configure(slots=1)
    change_slots(world.clone.store, 1, "ada")
    world.issues(1, 2, 3)
    gate = world.barrier("gate")
    for issue in (1, 2, 3):
        alone = f"mkdir {world.scripts}/alone; read -r _ < {gate}; rmdir {world.scripts}/alone"
        world.agent(issue, f"{alone}; echo {issue} > file{issue}.txt")
        world.enqueue(issue, solo=True)
    drivers = [drive() for _ in range(2)]
    until(world.repo, lambda: len(world.started()) == 1 and len(world.state.drivers) == 2)
    waits = {issue: world.waits(issue) for issue in (1, 2, 3)}
    assert sorted(waits.values()) == [(), ("capacity",), ("capacity",)]
    assert world.status()["slots"] == {"max": 1, "live": 1}
    gate.open(3)
    for driver in drivers:
        driver.end()
    told = [(b.id, b.status, b.reason) for b in world.state.batches.values()]
    assert [world.entry(issue).status for issue in (1, 2, 3)] == [EntryStatus.DONE] * 3, told
    assert sorted(world.started()) == ["1 0", "2 0", "3 0"]
    changes = [1 if name == "assigned" else -1 for name, _ in world.events() if name in ("assigned", "slot-released")]
    assert max(accumulate(changes)) == 1


@pytest.mark.timeout(300)
def test_s_03_a_driver_that_was_stopped_undoes_nothing(world: World, drive: Drive) -> None:
    """S-03: it is stopped in the middle of its work, another one goes on, and then it continues."""
    prepare(world)
    sleeper = drive()
    until(world.repo, lambda: len(world.started()) > 2)
    sleeper.send(signal.SIGSTOP)
    other = drive()
    try:
        other.ends_within(4.0)
    finally:
        sleeper.send(signal.SIGCONT)
    sleeper.end()
    other.end()
    expect_the_end(world)


@pytest.mark.timeout(300)
def test_r_65_the_first_interrupt_lets_agents_end(world: World, drive: Drive) -> None:
    """R-65: nothing new starts, the live agents go on to their end; the same command again continues."""
    change_slots(world.clone.store, 2, "ada")
    world.issues(1, 2, 3, 4, 5)
    for issue in (1, 2, 3, 4, 5):
        world.agent(issue, WAITS.format(scripts=world.scripts) + f"; echo {issue} > file{issue}.txt")
    world.enqueue(1, 2, 3, 4, 5)
    driving = drive()
    until(world.repo, lambda: len(world.started()) == 2)
    driving.send(signal.SIGINT)
    assert not driving.ends_within(1.0)
    (world.scripts / "go").write_text("")
    assert driving.end() == INTERRUPTED
    assert len(world.started()) == 2
    assert not world.state.leases
    assert drive().end() == 0
    world.expect_landed(1, 2, 3, 4, 5)
    assert sorted(world.started()) == [f"{issue} 0" for issue in (1, 2, 3, 4, 5)]


@pytest.mark.timeout(300)
def test_r_65_the_second_interrupt_stops_agents_and_keeps_their_work(world: World, drive: Drive) -> None:
    """R-65: agents are stopped, uncommitted work is rescued, exit is 130, no run is started twice."""
    change_slots(world.clone.store, 2, "ada")
    world.issues(1, 2, 3)
    for issue in (1, 2, 3):
        world.agent(issue, f"echo {issue} > file{issue}.txt; : > {world.scripts}/at{issue}; sleep 300", gen=0)
        world.agent(issue)
    world.enqueue(1, 2, 3)
    driving = drive()
    until(world.repo, lambda: all((world.scripts / f"at{issue}").exists() for issue in (1, 2)))
    driving.send(signal.SIGINT)
    assert not driving.ends_within(0.5)
    driving.send(signal.SIGINT)
    assert driving.end() == INTERRUPTED
    assert not world.state.leases
    assert [world.member(issue).status for issue in (1, 2, 3)] == [MemberStatus.WAITING] * 3
    assert world.member(1).reason == "interrupted"
    rescued = run_git(world.repo, "for-each-ref", "--format=%(refname)", "refs/gitsched/rescue/").splitlines()
    assert rescued == ["refs/gitsched/rescue/b1/1/1", "refs/gitsched/rescue/b1/2/1"]
    assert run_git(world.repo, "show", f"{rescued[0]}:file1.txt") == "1"
    world.agent(3, gen=0)
    assert drive().end() == 0
    world.expect_landed(1, 2, 3)
    assert world.batch().status is BatchStatus.DONE
    assert len(world.started()) == len(set(world.started())) == 5
