"""An open pull request on GitHub, as its checks, approvals and target change under it."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, PullRequestState
from gitsched.errors import ConfigError
from tests.github.hub_world import HubWorld


def test_g_06_an_allowed_squash_keeps_the_links_of_each_member(world: HubWorld) -> None:
    """G-06: refused with the reason; allowed, one commit for three members, whose links are all in the body."""
    with pytest.raises(ConfigError, match="loses which member wrote what"):
        world.shipped(3, 4, 5, merge="direct", more='method = "squash"\n')
    world.shipped(3, 4, 5, merge="direct", more='method = "squash"\nallow_squash = true\n')
    body = world.body()
    assert [line for line in body.splitlines() if line.startswith("Closes")] == ["Closes #3", "Closes #4", "Closes #5"]
    for issue in (3, 4, 5):
        assert (world.member(issue).landed or "?")[:12] in body
    assert world.batch().status is BatchStatus.DONE
    assert len(world.remote.git.git("rev-list", "main", "^main~1").splitlines()) == 1
    assert [world.forge_issue(n).is_open for n in (3, 4, 5)] == [False] * 3


def test_g_12_what_has_merged_is_accepted_whatever_is_said_of_it(world: HubWorld) -> None:
    """G-12: the request still carries a label that blocks, and a red check: merged is looked at first."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, more='draft = "never"\n')
    number = world.request().number
    world.remote.protect()
    world.remote.merge_by_person(number, "rebase")
    world.remote.label(number, "epic", "ci-failed")
    world.remote.check(world.head(), conclusion="failure")
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_g_20_a_check_of_another_commit_does_not_count(world: HubWorld) -> None:
    """G-20: green on the commit before, skipped on the head: the head's own decides, and its green stands before it."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, 4, merge="direct", more='draft = "never"\n')
    world.remote.check(world.remote.git.git("rev-parse", f"{world.head()}~1"))
    world.run()
    assert world.batch().reason == "check-pending:ci"
    world.remote.check(world.head(), conclusion="skipped")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, "check-skipped:ci")
    world.remote.check(world.head())
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_w_10_a_suite_that_is_said_to_be_complete_is_not_taken_as_complete(world: HubWorld) -> None:
    """W-10: whatever event came, the listing of the head decides; that the event is a hint, policy/deliveries says."""
    world.remote.protect(contexts=("ci", "lint"))
    world.shipped(3, merge="direct", more='draft = "never"\n')
    world.remote.check(world.head(), "ci")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, "check-pending:lint")
    world.remote.check(world.head(), "lint")
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_g_21_a_renamed_check_is_told_apart_from_one_that_runs(world: HubWorld) -> None:
    """G-21: it never starts: after its start limit the batch blocks with the names that did report."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, merge="direct", more='draft = "never"\n')
    world.remote.check(world.head(), "ci (3.14)")
    world.run()
    assert world.batch().reason == "check-pending:ci"
    world.time.advance(world.clone.settings.watch.check_start_s + 60)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "check-missing:ci")
    assert "ci (3.14)" in str(world.told("batch-blocked")[-1].fields["detail"])


def test_g_22_g_38_an_approval_stays_until_a_push_and_is_not_carried_over_it(world: HubWorld) -> None:
    """G-22, G-38: 15 commits on the target spend no approval and no suite; then a conflict is met once.

    The forge shows the approval of the old head at the new one all the same.
    """
    world.remote.protect(approvals=1)
    world.configure('[ship]\nmerge = "manual"\ndraft = "never"\n')
    world.issue(3)
    world.issue(4)
    world.agent(3)
    world.agent(4, "echo 4 > clash.txt")
    world.enqueue(3, 4, batch="b1")
    world.run()
    assert world.batch().reason == "approval-missing"
    world.time.advance(60)  # who reviews takes longer than a driver does from one look to the next
    world.remote.review(world.request().number)
    world.run()
    before, suites = world.head(), len(world.batch().suite)
    assert world.batch().reason is None
    for count in range(15):
        world.remote.commit("main", {f"news{count}.txt": "news\n"})
    world.run()
    assert (world.head(), world.batch().reason, len(world.batch().suite)) == (before, None, suites)
    world.remote.commit("main", {"clash.txt": "theirs\n"})
    world.run()
    assert world.head() != before
    assert len(world.told("batch-rebased")) == 1
    assert len(world.batch().suite) > suites
    assert world.batch().reason == "approval-missing"
    world.time.advance(60)
    world.remote.review(world.request().number, by="eve")
    world.run()
    assert world.batch().reason is None


def test_nobody_is_asked_for_a_review_again(world: HubWorld) -> None:
    """G-05 (reviewers): a draft that becomes ready asks nobody: the repository's own rules do."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, merge="manual")
    world.run()
    assert world.request().state is PullRequestState.DRAFT
    world.remote.check(world.head())
    for _ in range(3):
        world.run()
    assert world.request().state is PullRequestState.OPEN
    assert len(world.told("pr-ready")) == 1
    assert not world.hub.audit.requests("POST", "requested_reviewers")


def test_g_16_a_second_conflict_splits_the_batch_and_loses_nothing(world: HubWorld) -> None:
    """G-16: it is rebased once; then two halves go on with what has landed: nobody runs again, both ship but for 4.

    Their settings, priority and profile are the whole's, a group is in one of them, and the whole's request is closed.
    """
    world.configure('[ship]\nmerge = "direct"\n')
    world.remote.protect(contexts=("ci",))
    for issue, script in ((3, ""), (4, "echo 4 > clash.txt"), (5, ""), (6, ""), (7, "")):
        world.issue(issue)
        world.agent(issue, script)
    world.enqueue(3, 4, 5, 6, 7, batch="b1", priority=7, groups=((6, 7),))
    world.run()
    world.remote.commit("main", {"clash.txt": "theirs\n"})
    world.run()
    world.expect_landed(3, 5, 6, 7)
    assert len(world.told("batch-rebased")) == 1
    started, request = sorted(world.started()), world.request().number
    world.remote.commit("main", {"file5.txt": "theirs as well\n"})
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DISSOLVED, "conflicts-again")
    assert world.remote.model.issues[request].closed_at is not None
    assert [event.fields["members"] for event in world.told("batch-split")] == [[3, 5], [6, 7]]
    world.expect_landed(3, batch="b2")
    world.expect_landed(6, 7, batch="b3")
    assert (world.batch("b3").groups, world.batch("b3").priority) == (((6, 7),), 7)
    assert world.batch("b3").settings_hash == world.batch("b1").settings_hash
    assert world.member(5, "b2").reason == "landing-conflict"
    assert world.entry(5).status is EntryStatus.PARKED
    assert sorted(world.started()) == started, "nobody has run again"
    for batch in ("b2", "b3"):
        world.remote.check(world.request(batch).head)
        world.run()
    for batch in ("b2", "b3"):
        world.remote.check(world.request(batch).head)
    world.run()
    assert [world.batch(batch).status for batch in ("b2", "b3")] == [BatchStatus.DONE] * 2
    assert {"file3.txt", "file6.txt", "file7.txt"} <= world.forge_paths()
    shown = world.remote.git.git(
        "log", "-5", "--format=%s %(trailers:key=Gitsched-Batch,valueonly,separator=%x2C)", "main"
    )
    assert "Work on 6 (#6) b3" in shown.splitlines()


def test_a_second_conflict_of_one_piece_is_a_persons_business_and_loses_nothing(world: HubWorld) -> None:
    """It is rebased once; then a batch that cannot be cut blocks, and what has landed stays where it is."""
    world.configure('[ship]\nmerge = "manual"\n')
    for issue, script in ((3, "echo 3 > file3.txt"), (4, "echo 4 > clash.txt")):
        world.issue(issue)
        world.agent(issue, script)
    world.enqueue(3, 4, batch="b1")
    world.run()
    world.remote.commit("main", {"clash.txt": "theirs\n"})
    world.run()
    world.expect_landed(3)
    head = world.head()
    world.remote.commit("main", {"file3.txt": "theirs as well\n"})
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "conflicts-again")
    assert world.why_batch().next == "gitsched abandon b1 --keep"
    assert world.remote.tip(world.batch().integration.branch) == head
    world.expect_landed(3)
