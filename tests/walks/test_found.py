"""What walks found, each as the case that it was."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.domain.runs import RunEnd
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.ordering import OrderRequest, order
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.wiring.clone import Clone
from gitsched.wiring.marks import clone_mark
from tests.walks.plays import PLAYS
from tests.walks.town import ISSUES, Town
from tests.walks.townsman import Townsman

SIX = ISSUES[:6]
CALLS = range(1, 14)


def overtake(town: Town, call: int | str) -> None:
    """Let one driver tick, and another one a whole tick in the middle of it, before that call to the world."""
    one, other = town.living()[0], Townsman(town)
    one.fate.interlude_at = one.fate.calls + call if isinstance(call, int) else call
    one.fate.interlude = other.tick
    one.tick()
    one.fate.interlude = None
    other.leave()


@pytest.mark.long
def test_two_drivers_end_the_runs_of_a_stopped_batch(town: Town) -> None:
    """The lease is gone when the first driver comes to stop its agent: that is no error."""
    for number, call in enumerate(CALLS, 1):
        town.enqueue(1, 2, 3, batch=f"b{number:02}")
        town.living()[0].tick()
        town.asked(lambda: stop(town.clone.store, StopRequest(max(town.state.batches)), "ada"))
        overtake(town, call)
        town.look()
    town.come_to_rest()


@pytest.mark.long
def test_a_gate_that_another_driver_has_settled_is_not_counted_again(town: Town) -> None:
    """The first driver comes with the first result when the second run of the gate is under way, or over."""
    for issue in SIX:
        town.enqueue(issue, solo=True)
    town.living()[0].tick()
    for _ in SIX:
        for key in town.agents():
            town.end_agent(key, "bad")
        town.living()[0].tick()
        for key in town.jobs():
            town.end_job(key)
        overtake(town, "keep_evidence")
        town.look()
    town.come_to_rest("bad")
    told = {(member.gates["unit"].verdict, member.gates["unit"].runs) for member in town.state.members.values()}
    assert told == {("failed", 2)}


def test_a_run_that_was_settled_and_not_forgotten_while_its_gates_are_due(town: Town) -> None:
    """The driver dies right before it forgets a complete run, which holds its slot until its gates are done."""
    town.enqueue(1, solo=True)
    town.living()[0].tick()
    town.end_agent(town.agents()[0], "good")
    town.living()[0].fate.dies_at = "forget"
    town.living()[0].tick()
    assert town.runner.runs() == {("i1", "1"): 0}
    town.living()
    assert town.runner.runs() == {}
    town.come_to_rest()


def test_what_a_rival_left_when_it_died_is_cleared_away_by_the_one_that_lives(town: Town) -> None:
    """Nobody begins anew: the driver that finds the other one gone sweeps."""
    town.enqueue(1, solo=True)
    town.living()[0].tick()
    survivor = Townsman(town)
    town.end_agent(town.agents()[0], "good")
    town.living()[0].fate.dies_at = "forget"
    town.living()[0].tick()
    town.drivers = [survivor]
    survivor.tick()
    assert ("i1", "1") not in town.runner.runs()
    town.come_to_rest()


def test_a_last_word_that_comes_right_before_the_fence_counts(town: Town) -> None:
    """The worker is seen to be gone, and what it wrote last was not yet: the run is settled and not made again."""
    town.enqueue(1, solo=True)
    driver = town.living()[0]
    driver.tick()
    (key,) = town.agents()
    PLAYS["good"](town.runner.live[key], 1)
    town.runner.lose_worker(key, with_agent=True)
    end = RunEnd(code=0, at=town.clone.clock.now())
    driver.fate.interlude_at = "fence"
    driver.fate.interlude = lambda: town.clone.run_refs.amend(*key, lambda record: replace(record, end=end))
    driver.tick()
    assert town.state.members["i1", 1].gen == key[2]
    town.come_to_rest()
    assert [started for started in town.runner.started if started[1] == "1"] == [key]


def test_the_forge_is_asked_again_although_nothing_has_moved_there(town: Town) -> None:
    """It did not answer once: the driver that asked goes on by itself when it answers again."""
    town.enqueue(1, solo=True)
    driver = town.living()[0]
    driver.fate.forge_is_away = True
    driver.tick()
    assert not town.runner.started
    driver.fate.forge_is_away = False
    driver.tick()
    assert town.runner.started == [("i1", "1", 0)]
    town.come_to_rest()


def test_a_clone_that_works_apart_is_the_host_that_it_was(made: Path) -> None:
    """Two clones on one machine are two hosts, with the remote and without: neither takes the other's trees for its."""
    mark = clone_mark(made / ".git")
    assert Clone(made).processes.own().host.endswith(f"+{mark}")


def test_an_order_is_told_by_the_journal(town: Town) -> None:
    """The members' records move to other places; the journal is true all the same, as `fsck` finds at rest."""
    town.enqueue(1, 2, 3, batch="b1", leave_open=True)
    town.asked(lambda: order(town.clone.store, OrderRequest("b1", (3, 1, 2)), "ada"))
    assert [slot.issue for slot in town.state.batches["b1"].members] == [3, 1, 2]
    town.come_to_rest()


def test_who_pauses_while_a_run_is_being_made_ready_is_heard(town: Town) -> None:
    """The tree is there and the prompt is written: the run does not start, and does when the pause is over."""
    town.enqueue(1, solo=True)
    driver = town.living()[0]
    driver.fate.interlude_at = "acquire"
    driver.fate.interlude = lambda: pause(town.clone.store, PauseRequest(), "ada")
    driver.tick()
    assert (town.runner.started, str(town.state.members["i1", 1].status)) == ([], "preparing")
    town.look()
    resume_scheduler(town.clone.store, "ada")
    driver.tick()
    assert town.runner.started == [("i1", "1", 0)]
    town.come_to_rest()
