"""The names of a batch's branches, where something is there already."""

from tests.engine.world import World
from tests.real_git import run_git


def test_branches_that_an_earlier_store_left_are_left_alone(world: World) -> None:
    """The batch takes other names, and so does who joins it; nothing is moved, and nothing of it lands."""
    world.configure('[ship]\nmerge = "manual"\n')
    run_git(world.repo, "checkout", "-q", "-b", "gitsched/b1/m1-i1")
    (world.repo / "old.txt").write_text("old\n")
    old = world.commit("Old work")
    run_git(world.repo, "branch", "gitsched/b1/integration", old)
    run_git(world.repo, "checkout", "-q", "main")
    run_git(world.repo, "branch", "gitsched/b1.2", old)
    gate = world.barrier("go")
    world.issues(1, 2, 3)
    world.agents(1, 3)
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    world.enqueue(1, 2)
    world.tick()
    world.enqueue(3, batch="b1")
    gate.open()
    world.run()
    world.expect_landed(1, 2, 3)
    assert world.batch().integration.branch == "gitsched/b1.3/integration"
    assert [world.member(n).branch for n in (1, 2, 3)] == [f"gitsched/b1.3/m{n}-i{n}" for n in (1, 2, 3)]
    assert "old.txt" not in world.paths("gitsched/b1.3/integration")
    for name in ("gitsched/b1/m1-i1", "gitsched/b1/integration", "gitsched/b1.2"):
        assert run_git(world.repo, "rev-parse", name) == old
