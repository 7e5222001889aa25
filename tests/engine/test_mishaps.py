"""Runs that fail for their surroundings: once more, uncharged, from a clean tree alone."""

from gitsched.cli.selecting import Selection, chosen_issues
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


def test_a_31_a_draft_about_a_failure_is_opened_once_and_never_queued(world: World) -> None:
    """A-31: with the evidence and the label; it is in no queue, and opening all there is does not take it."""
    world.configure("[ladder]\nrecoveries = 0\n[follow_up]\nenabled = true\n[labels]\nblock = []\n")
    world.issues(1, 2)
    world.agent(1, "sleep 0", ends="exit 3")
    world.agent(2, "true", ends="exit 0")
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)
    world.run()
    world.run()
    assert [world.entry(n).status for n in (1, 2)] == [EntryStatus.FAILED, EntryStatus.PARKED]
    drafts = {world.entry(n).evidence[-1].follow_up for n in (1, 2)}
    assert drafts == {3, 4}
    draft = world.forge_issue(3)
    assert (draft.labels, draft.is_open) == (("draft",), True)
    assert "refs/gitsched/evidence/" in draft.body
    assert world.forge_issue(4).title.startswith("Follow up #")
    assert set(world.state.entries) == {1, 2}
    assert chosen_issues(world.clone.forge, Selection(all_open=True), world.repo) == (1, 2)
    world.tracker.edit_issue(3, remove_labels=["draft"])
    assert chosen_issues(world.clone.forge, Selection(all_open=True), world.repo) == (1, 2, 3)
    assert len(world.clone.forge.issues()) == 4
