"""What people do to the target while a batch stands on it is neither undone nor taken for ours."""

from gitsched.domain.words import BatchStatus
from tests.engine.world import World
from tests.real_git import run_git


def test_what_the_target_has_given_up_is_not_brought_back(world: World) -> None:
    """The operator takes a commit back from the target while a batch stands on it: the batch is rebased off it."""
    before = run_git(world.repo, "rev-parse", "HEAD")
    (world.repo / "leaked.txt").write_text("a secret")
    world.commit("Leak a secret")
    run_git(world.repo, "checkout", "-q", "--detach")
    world.issues(1, 2)
    world.agents(2)
    world.agent(1, f"echo 1 > file1.txt; git update-ref refs/heads/main {before}")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    assert run_git(world.repo, "rev-list", "--count", f"{before}..main") == "2"
    assert "leaked.txt" not in run_git(world.repo, "ls-tree", "--name-only", "main").split()
    assert world.told("rebasing")


def test_a_target_that_is_gone_has_a_reason_of_its_own(world: World) -> None:
    """Deleted while the batch ran: it waits for the branch, is resumed, and ships."""
    base = run_git(world.repo, "rev-parse", "HEAD")
    run_git(world.repo, "checkout", "-q", "-b", "elsewhere")
    world.issues(1)
    world.agent(1, "echo 1 > file1.txt; git update-ref -d refs/heads/main")
    world.enqueue(1, batch="b1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "target-missing")
    run_git(world.repo, "branch", "main", base)
    world.resume("b1")
    world.run()
    world.expect_landed(1)
