"""Pull request, merge, report and teardown on the local forge, on the whole engine."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.domain.events import Event
from gitsched.domain.forge import PullRequestView
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, PullRequestState
from gitsched.engine.driver import Until
from tests.engine.relay import Call, Killed, Relay, killed_after
from tests.engine.world import World
from tests.real_git import run_git

MANUAL = '[ship]\nmerge = "manual"\n'


def shipped_by_hand(world: World, *issues: int) -> None:
    """Let a batch of these issues come to its open pull request."""
    world.configure(MANUAL)
    world.issues(*issues)
    world.agents(*issues)
    world.enqueue(*issues, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE


def test_g_01_g_04_g_27_one_closing_word_for_each_that_landed(world: World) -> None:
    """G-01, G-04, G-27: exactly `Closes #3` and `Closes #4`; who left stands apart, stays open, and keeps its branch.

    An issue that a member's own message would close is named before the merge.
    """
    world.configure(
        MANUAL + '[[gates]]\nname = "unit"\nrun = ["sh", "unit.sh"]\nevidence = "exit"\n', completion="milestone"
    )
    (world.repo / "unit.sh").write_text("test ! -f bad.txt\n")
    world.commit("Add a gate")
    world.issues(3, 4, 5, 6)
    world.agent(3, ends="gitsched done")
    world.agent(4, "echo 4 > file4.txt; git add -A; git commit -q -m 'Four' -m 'Fixes #99'", ends="gitsched done")
    world.agent(5, "echo 5 > bad.txt", ends="gitsched done")
    world.agent(6, "true", ends="gitsched hand-back --reason 'not mine'")
    world.enqueue(3, 4, 5, 6)
    world.run()
    body = world.request().body
    assert [line for line in body.splitlines() if line.startswith("Closes")] == ["Closes #3", "Closes #4"]
    assert body.lower().count("closes #") == 2
    assert "ixes #99" in body[body.index("Before you merge") :]
    evicted, handed_back = body[body.index("## Evicted") :], body[body.index("## Handed back") :]
    assert "#5" in evicted
    assert "#6" in handed_back
    world.merge()
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [world.forge_issue(n).is_open for n in (3, 4, 5, 6)] == [False, False, True, True]
    branches = run_git(world.repo, "branch", "--list", "gitsched/*", "--format=%(refname:short)").splitlines()
    assert world.member(5).branch in branches
    assert not {world.member(3).branch, world.member(4).branch, world.batch().integration.branch} & set(branches)
    assert any(world.member(5).branch in line for line in world.batch().leftovers)


def test_g_02_a_lost_answer_makes_no_second_request(world: World) -> None:
    """G-02: the request is opened and the answer is lost with the driver: the next one finds and takes it."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    forge = Relay(world.clone.forge, open_pull_request=killed_after(1))
    with pytest.raises(Killed):
        world.driver_with(forge=forge).run(Until.IDLE)
    assert world.batch().pr is None
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [pull.number for pull in world.clone.forge.pull_requests()] == [world.request().number]


@pytest.mark.parametrize("how", ["foreign", "lacking"])
def test_g_10_commits_that_do_not_match_the_members_are_not_shipped(world: World, how: str) -> None:
    """G-10: the branch got a commit of nobody's, or lost a member's: `members-mismatch`, before anything is opened."""
    (world.repo / "suite.sh").write_text(f"sh {world.scripts}/meddle\n")
    world.commit("Let the suite meddle")
    branch = "refs/heads/gitsched/b1/integration"
    tree = "git -C {repo} rev-parse {ref}^{{tree}}"
    foreign = f"git commit-tree $({tree}) -p {{ref}} -m Foreign"
    lacking = f"git commit-tree $({tree}) -p {{ref}}~2 -m 'Work on 2 (#2)'"
    command = (foreign if how == "foreign" else lacking).format(repo=world.repo, ref=branch)
    (world.scripts / "meddle").write_text(f"git -C {world.repo} update-ref {branch} $({command})\n")
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.run()
    batch = world.batch()
    wanted = "members-mismatch:foreign" if how == "foreign" else "members-mismatch:1"
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, wanted)
    assert batch.pr is None
    assert not world.clone.forge.pull_requests()
    assert run_git(world.repo, "rev-parse", branch) != batch.integration.head


def test_g_11_a_target_that_moved_is_met_by_rebasing(world: World) -> None:
    """G-11: refused at merge time, rebased, judged again on the new tree, merged; nothing of the target is lost."""
    shipped_by_hand(world, 1, 2)
    judged = world.batch().suite[-1].tree
    (world.repo / "news.txt").write_text("news\n")
    moved = world.commit("Move the target")
    world.merge()
    assert world.batch().status is BatchStatus.REBASING
    assert run_git(world.repo, "rev-parse", "main") == moved
    world.run()
    batch = world.batch()
    assert batch.status is BatchStatus.AWAITING_MERGE
    assert batch.pr is not None
    assert len(world.clone.forge.pull_requests()) == 1
    tree = run_git(world.repo, "rev-parse", f"{batch.pr.head}^{{tree}}")
    assert tree != judged
    assert (batch.suite[-1].verdict, batch.suite[-1].tree) == ("passed", tree)
    world.merge()
    assert run_git(world.repo, "rev-parse", "main^{tree}") == tree
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert {"news.txt", "file1.txt", "file2.txt"} <= world.paths()
    assert run_git(world.repo, "merge-base", "main", moved) == moved


def reported(world: World, **fields: object) -> Relay:
    """Make a forge that says of the batch's request what it is told to say."""

    def pull_request(real: Call, number: int) -> Any:
        seen = real(number)
        return replace(seen, **fields) if isinstance(seen, PullRequestView) else seen

    return Relay(world.clone.forge, pull_request=pull_request)


def test_g_12_a_merge_needs_a_time_and_a_proof(world: World) -> None:
    """G-12: without a merge time it is waited for; without a proof in the target it blocks; a squash is proven.

    Until then no branch and no issue is touched.
    """
    shipped_by_hand(world, 1, 2)
    at = world.batch().updated_at
    says: dict[str, object] = {"state": PullRequestState.MERGED, "merged_at": None}
    world.driver_with(forge=reported(world, **says)).run(Until.IDLE)
    assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, "merge-time-missing")
    assert len(world.told("pr-watch-waiting")) == 1
    ticks = [event.fields.get("ticks") for event in waits_for_its_time(world, says)]
    assert ticks == [None, 21, 41], "at the 1st, the 21st and the 41st tick"
    says = {"state": PullRequestState.MERGED, "merged_at": at, "merge_commit": world.batch().base}
    world.driver_with(forge=reported(world, **says)).run(Until.IDLE)
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "merge-unproven")
    for name in (world.member(1).branch, world.batch().integration.branch):
        assert run_git(world.repo, "rev-parse", "--verify", name)
    assert world.forge_issue(1).is_open


def waits_for_its_time(world: World, says: dict[str, object]) -> list[Event]:
    """Tick 45 times while the forge tells no merge time, and give what was logged of that."""
    for _ in range(45):
        world.driver_with(forge=reported(world, **says)).run(Until.ONCE)
    return world.told("pr-watch-waiting")


def test_g_12_a_squash_onto_a_moved_target_is_proven_by_its_patch(world: World) -> None:
    """G-12: the merge commit that the forge names has the combined patch of the batch: accepted."""
    shipped_by_hand(world, 1, 2)
    (world.repo / "news.txt").write_text("news\n")
    world.commit("Move the target")
    run_git(world.repo, "merge", "-q", "--squash", world.batch().integration.branch)
    squashed = world.commit("Squash b1")
    says = {"state": PullRequestState.MERGED, "merged_at": world.batch().updated_at, "merge_commit": squashed}
    world.driver_with(forge=reported(world, **says)).run(Until.IDLE)
    assert world.batch().status is BatchStatus.DONE
    assert [event.fields["proof"] for event in world.told("merge-accepted")] == [
        "the merge commit has the combined patch"
    ]


def test_g_13_nothing_merges_by_itself_by_default(world: World) -> None:
    """G-13: `manual`: the batch waits with the command to run, and a run ends well; after `pr merge` it is done."""
    shipped_by_hand(world, 1)
    before = run_git(world.repo, "rev-parse", "main")
    ending = world.run()
    assert not ending.went_wrong
    assert run_git(world.repo, "rev-parse", "main") == before
    assert f"gitsched pr merge {world.request().number}" in world.why_batch().next
    world.merge()
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.entry(1).status is EntryStatus.DONE


def test_g_14_a_checked_out_target_follows_and_local_changes_are_never_lost(world: World) -> None:
    """G-14: its files follow the merge; changes in the way make it wait `target-checked-out` with the command.

    `direct` as well: the run ends, nothing is stashed away, and after the command it merges.
    """
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, "echo theirs >> README.md")
    world.enqueue(1, batch="b1")
    world.run()
    assert world.batch("b1").status is BatchStatus.DONE
    assert (world.repo / "file1.txt").read_text() == "1\n"
    assert run_git(world.repo, "status", "--porcelain") == ""
    (world.repo / "README.md").write_text("mine, not committed\n")
    world.enqueue(2, batch="b2")
    world.run()
    batch = world.batch("b2")
    assert (batch.status, batch.reason) == (BatchStatus.AWAITING_MERGE, "target-checked-out")
    number = world.request("b2").number
    assert world.why(2).next == f"gitsched pr merge {number}", "also where the issue is asked about"
    assert f"gitsched pr merge {number}" in str(world.told("pr-watch-waiting")[-1].fields["detail"])
    assert len(world.told("pr-watch-waiting")) == 1
    assert (world.repo / "README.md").read_text() == "mine, not committed\n"
    assert run_git(world.repo, "stash", "list") == ""
    run_git(world.repo, "checkout", "-q", "--", "README.md")
    world.merge("b2")
    world.run()
    assert world.batch("b2").status is BatchStatus.DONE
    assert (world.repo / "README.md").read_text().endswith("theirs\n")


def test_g_15_a_request_closed_without_merge_fails_its_members(world: World) -> None:
    """G-15: its members end `pr-closed-unmerged`, who depends on them is `dep-failed`, the branches are kept."""
    shipped_by_hand(world, 1)
    world.issue(3)
    world.enqueue(3, deps=(1,), solo=True)
    world.tracker.close(world.request().number)
    ending = world.run()
    assert ending.went_wrong
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.FAILED, "pr-closed-unmerged")
    assert (world.entry(3).status, world.entry(3).reason) == (EntryStatus.BLOCKED, "dep-failed:1")
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "pr-closed-unmerged")
    for name in (world.member(1).branch, world.batch().integration.branch):
        assert run_git(world.repo, "rev-parse", "--verify", name)


def test_g_24_issues_are_closed_and_told_once(world: World) -> None:
    """G-24: 3 is closed with a link to what landed; 4, which somebody closed, is not closed or told a second time."""
    shipped_by_hand(world, 3, 4)
    world.merge()
    world.tracker.close(4)
    closed_at = world.forge_issue(4).updated_at
    world.run()
    assert [world.entry(n).status for n in (3, 4)] == [EntryStatus.DONE] * 2
    assert not world.forge_issue(3).is_open
    assert world.forge_issue(4).updated_at == closed_at
    for issue in (3, 4):
        told = world.clone.forge.comments(issue)
        assert isinstance(told, tuple)
        assert len(told) == 1
        assert (world.member(issue).landed or "")[:12] in told[0].body


def test_g_25_a_report_is_posted_once_whenever_its_driver_dies(world: World) -> None:
    """G-25: killed after a comment was posted and before it was recorded: one per member, and one for the batch."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    for call in (3, 1):
        with pytest.raises(Killed):
            world.driver_with(forge=Relay(world.clone.forge, comment=killed_after(call))).run(Until.IDLE)
        assert world.batch().status is BatchStatus.DEPLOYED
    world.run()
    assert world.batch().status is BatchStatus.DONE
    for number in (1, 2, world.request().number):
        told = world.clone.forge.comments(number)
        assert isinstance(told, tuple)
        assert len(told) == 1, told


def test_g_26_a_tree_that_resists_is_shown_and_hinders_nothing(world: World) -> None:
    """G-26: `teardown-failed` names it, the batch ends `done`, status and doctor show it, and it stays somebody's."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    stuck: list[str] = []

    def release(real: Call, path: Any, owners: Any = None) -> Any:
        is_over = world.member(1).status in (MemberStatus.LANDED, MemberStatus.SHIPPED)
        if str(path) in stuck or (is_over and str(path) == world.member(1).tree):
            stuck.append(str(path))
            return "Device or resource busy"
        return real(path, owners)

    world.driver_with(trees=Relay(world.clone.trees, release=release)).run(Until.IDLE)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    failed = world.told("teardown-failed")
    assert len(failed) == 1
    assert stuck[0] in str(failed[0].fields["left"])
    assert any(stuck[0] in line for line in batch.leftovers)
    assert stuck[0] in str(world.status()["batches"])
    assert any(stuck[0] in check.message for check in world.doctor())
    world.run()
    assert stuck[0] not in {str(path) for path in world.clone.trees.owners()}
