"""Batches on GitHub, from their pull request to the end: the real adapter and engine against the fake."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, PullRequestState
from gitsched.errors import RefusedError
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import leave_to_forge
from tests.engine.suites import PARTS, parts
from tests.github.hub_world import HubWorld
from tests.real_git import run_git


def expect_done(world: HubWorld, *issues: int) -> None:
    """Check that a batch went all the way, once."""
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DONE, None)
    assert [world.entry(n).status for n in issues] == [EntryStatus.DONE] * len(issues)
    assert [world.forge_issue(n).is_open for n in issues] == [False] * len(issues)
    assert {f"file{n}.txt" for n in issues} <= world.forge_paths()
    assert len(world.remote.pulls()) == 1


def test_direct_merges_once_the_required_checks_are_green(world: HubWorld) -> None:
    """G-05, G-24: a draft until then; each issue is closed and told once, and the branches of the batch go."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, 4, merge="direct")
    assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, "check-pending:ci")
    assert world.request().state is PullRequestState.DRAFT
    assert [line for line in world.body().splitlines() if line.startswith("Closes")] == ["Closes #3", "Closes #4"]
    world.remote.check(world.head())
    world.run()
    expect_done(world, 3, 4)
    assert [len(world.told_on(n)) for n in (3, 4)] == [1, 1]
    assert world.remote.tip(world.batch().integration.branch) is None
    assert run_git(world.repo, "rev-parse", "main") != world.remote.tip("main")


def test_auto_leaves_it_to_github(world: HubWorld) -> None:
    """Mechanism `auto`: asked for once the draft is ready; GitHub merges, and the batch goes on by itself."""
    world.remote.protect(contexts=("ci", "lint"))
    world.shipped(3, merge="auto", more='draft = "never"\n')
    pull = world.remote.model.issues[world.request().number].pull
    assert pull is not None
    assert pull.auto_merge is not None
    assert world.batch().pr is not None
    assert [event for event, _ in world.events("pr-parked")] == ["pr-parked"]
    assert leave_to_forge(Clone(world.repo), world.batch()) == "auto", "`gitsched ship` asks for that, once"
    assert len(world.told("pr-parked")) == 1
    world.remote.check(world.head(), "lint")
    world.remote.check(world.head(), "ci")
    world.run()
    expect_done(world, 3)
    with pytest.raises(RefusedError, match="It is done"):
        leave_to_forge(Clone(world.repo), world.batch())


def test_queue_leaves_it_to_githubs_queue(world: HubWorld) -> None:
    """Mechanism `queue`: put in once, merged by GitHub, proven by its tree although every commit is another."""
    world.remote.protect(queue=True)
    world.shipped(3, 4, merge="queue")
    number = world.request().number
    world.run()
    world.remote.merge_queue(number)
    world.run()
    expect_done(world, 3, 4)


def test_label_leaves_it_to_something_else(world: HubWorld) -> None:
    """G-07, mechanism `label:NAME`: refused where there is no such label; labelled once, whoever merges is believed."""
    world.shipped(3, merge="label:ship")
    assert world.batch().reason == "no-merge-mechanism"
    world.remote.issue(1, labels=["ship"])
    world.resume("b1")
    world.run()
    assert "ship" in world.request().labels
    world.remote.merge_by_person(world.request().number, "squash")
    world.run()
    expect_done(world, 3)


def test_g_13_nothing_merges_by_itself_by_default(world: HubWorld) -> None:
    """G-13: `manual`: the batch waits with the command; merged by a person with a merge commit it goes on to done."""
    world.shipped(3)
    assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, None)
    world.run()
    assert world.remote.model.issues[world.request().number].closed_at is None
    assert f"gitsched pr merge {world.request().number}" in world.why_batch().next
    world.merge()
    world.run()
    expect_done(world, 3)


def test_g_12_a_squash_onto_a_moved_target_is_proven(world: HubWorld) -> None:
    """G-12: merged by a person as one commit onto a target that had moved: proven by the combined patch."""
    world.shipped(3, 4)
    world.remote.commit("main", {"news.txt": "news\n"})
    world.remote.merge_by_person(world.request().number, "squash")
    world.run()
    expect_done(world, 3, 4)
    assert [event.fields["proof"] for event in world.told("merge-accepted")] == [
        "the merge commit has the combined patch"
    ]


def test_g_15_closed_without_a_merge_and_merged_two_days_later(world: HubWorld) -> None:
    """G-15: its members fail; reopened and merged after all they are shipped, and who waits for them may go on."""
    world.shipped(3)
    world.issue(5)
    world.agents(5)
    world.enqueue(5, deps=(3,), solo=True)
    number = world.request().number
    world.remote.close(number)
    world.run()
    assert (world.entry(3).status, world.entry(3).reason) == (EntryStatus.FAILED, "pr-closed-unmerged")
    assert world.entry(5).reason == "dep-failed:3"
    world.time.advance(2 * 86_400)
    world.remote.reopen(number)
    world.remote.merge_by_person(number, "rebase")
    world.run()
    assert world.batch("b1").status is BatchStatus.DONE
    assert world.entry(3).status is EntryStatus.DONE
    assert world.entry(5).status not in (EntryStatus.BLOCKED, EntryStatus.FAILED)


def test_g_16_a_conflict_is_met_by_rebasing_the_same_request(world: HubWorld) -> None:
    """G-16, G-38 (the first conflict): rebased onto the new target, judged again, pushed into the same request."""
    world.configure('[ship]\nmerge = "manual"\n')
    world.issue(3)
    world.issue(4)
    world.agent(3)
    world.agent(4, "echo 4 > clash.txt")
    world.enqueue(3, 4, batch="b1")
    world.run()
    number, before = world.request().number, world.head()
    for count in range(15):
        world.remote.commit("main", {f"news{count}.txt": "news\n"})
    world.run()
    assert (world.head(), len(world.told("batch-rebased"))) == (before, 0)
    world.remote.commit("main", {"clash.txt": "theirs\n"})
    world.run()
    assert world.request().number == number
    assert len(world.remote.pulls()) == 1
    assert len(world.told("batch-rebased")) == 1
    assert world.head() != before
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    world.expect_landed(3)
    assert [exit_.reason for exit_ in world.batch().evictions] == ["landing-conflict"]
    world.merge()
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.remote.git.git("show", "main:clash.txt") == "theirs"


def test_g_17_a_foreign_push_is_not_overwritten_and_not_merged(world: HubWorld) -> None:
    """G-17: blocked, both commits are named, and the foreign one stays."""
    world.shipped(3, merge="manual")
    ours = world.head()
    foreign = world.remote.commit(world.batch().integration.branch, {"foreign.txt": "x\n"})
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "pr-head-moved")
    detail = str(world.told("batch-blocked")[-1].fields["detail"])
    assert ours in detail
    assert foreign in detail
    world.resume("b1")
    world.run()
    assert world.batch().reason == "pr-head-moved"
    assert world.remote.tip(world.batch().integration.branch) == foreign


@pytest.mark.parametrize("names_tests", [True, False])
def test_g_18_a_red_required_check(world: HubWorld, names_tests: bool) -> None:
    """G-18: where it names tests it is a red suite with that evidence; where it does not it blocks with its name."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, 4, more='draft = "never"\n')
    check = world.remote.check(world.head(), conclusion="failure")
    if names_tests:
        check.output = {"title": "1 failed", "summary": "", "text": "FAILED file3.txt::test_three - assert 0"}
    world.run()
    if names_tests:
        assert world.told("suite-failed")[-1].fields["check"] == "ci"
        assert [event.fields["suspects"] for event in world.told("attributed")] == [[3]]
    else:
        assert world.batch().reason == "checks-red:ci"


def test_g_07_what_cannot_be_is_said_before_a_request_is_opened(world: HubWorld) -> None:
    """G-07: no auto-merge in the repository, or squashes alone: blocked at once, with what is offered."""
    world.hub.repository("acme/shop", allow_auto_merge=False)
    world.shipped(3, 4, merge="auto")
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "no-merge-mechanism")
    assert not world.remote.pulls()
    world.hub.repository("acme/shop", allow_rebase_merge=False, allow_merge_commit=False)
    world.configure('[ship]\nmerge = "direct"\n')
    world.resume("b1", reload=True)
    world.run()
    assert world.batch().reason == "no-merge-mechanism"
    assert "squash" in str(world.told("batch-blocked")[-1].fields["detail"])
    world.configure('[ship]\nmerge = "direct"\nmethod = "squash"\nallow_squash = true\n')
    world.resume("b1", reload=True)
    world.run()
    expect_done(world, 3, 4)


def test_g_08_a_parked_request_that_lost_its_mechanism(world: HubWorld) -> None:
    """G-08: blocked once it has been gone for ten minutes, and not before."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, merge="auto", more='draft = "never"\n')
    world.remote.stop_auto_merge(world.request().number)
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    world.time.advance(500)
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    world.time.advance(200)
    world.run()
    assert world.batch().reason == "no-merge-mechanism"


def test_a_check_that_stays_red_for_what_passes_here_is_searched_once(world: HubWorld) -> None:
    """Its tests pass by themselves and the suite passes again: then a person is needed, and nothing runs for ever."""
    parts(world, t="true")
    world.remote.protect(contexts=("ci",))
    ship = '[ship]\nmerge = "manual"\ndraft = "never"\n'
    world.configure(ship, suite=PARTS)
    for issue in (3, 4):
        world.issue(issue)
    world.agents(3, 4)
    world.enqueue(3, 4, batch="b1")
    world.run()
    check = world.remote.check(world.head(), conclusion="failure")
    check.output = {"title": "1 failed", "summary": "", "text": "FAILED checks/t::checks::t - assert 0"}
    world.run()
    assert len(world.told("suite-failed")) == 1
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "checks-red:ci")
