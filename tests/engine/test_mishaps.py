"""Runs that fail for their surroundings: once more, uncharged, from a clean tree alone."""

from gitsched.domain.words import EntryStatus
from tests.engine.world import World


def test_a_31_a_run_that_failed_for_its_environment_is_tried_once_more_uncharged(world: World) -> None:
    """A-31: no rung, no run of any budget; the second attempt counts and lands."""
    world.configure("[ladder]\nrecoveries = 0\n[budget.day]\nruns = 1\n")
    world.issues(1)
    world.agent(1, "true", gen=0, ends="exit 127")
    world.agent(1, "echo 1 > file1.txt", gen=1)
    world.enqueue(1, solo=True)
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    assert world.started() == ["1 0", "1 1"]
    member = world.member(1, "i1")
    assert (member.recoveries, member.retries["environment"], member.usage["runs"]) == (0, 1, 1)
    (costs,) = world.state.costs.values()
    assert costs.profiles["fake"]["runs"] == 1


def test_a_31_a_second_time_or_with_work_uncommitted_it_waits_for_a_person(world: World) -> None:
    """A-31: parked with the reason and the next command; what was uncommitted is saved."""
    world.issues(1, 2)
    world.agent(1, "true", ends="exit 127")
    world.agent(2, "true", ends="echo half > half.txt; exit 127")
    world.enqueue(1, solo=True)
    world.run()
    world.enqueue(2, solo=True)
    world.unpause()
    world.run()
    assert [(world.entry(n).status, world.entry(n).reason) for n in (1, 2)] == [
        (EntryStatus.PARKED, "environment:missing-tool"),
        (EntryStatus.PARKED, "environment:missing-tool"),
    ]
    assert world.started() == ["1 0", "1 1", "2 0"]
    answer = world.why(1)
    assert "Its surroundings failed it; it was tried once more, uncharged." in answer.sentences
    assert answer.next == "gitsched doctor"
    assert [issue for _, issue in world.events("work-preserved")] == [2]
