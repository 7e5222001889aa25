"""What runs leave, and what kills leave of runs, on the whole engine: nothing is lost, and nothing of others ships."""

import pytest

from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.engine.driver import Until
from tests.engine.relay import Killed, Relay, killed_after
from tests.engine.world import World

OUTSIDE = "mkdir -p src; echo a > src/a.py; git add -A; git commit -q -m In; echo b > outside.txt\nexit 0\n"


def test_changes_outside_the_declared_files_ship_once_they_are_accepted(world: World) -> None:
    """They are held; `resume` commits them, and the member lands with them."""
    world.issue(1, files=("src/**",))
    (world.scripts / "1.sh").write_text(OUTSIDE)
    world.enqueue(1)
    world.run()
    assert world.member(1, "i1").hold == "out-of-scope"
    world.resume("1")
    world.run()
    world.expect_landed(1, batch="i1")
    assert {"src/a.py", "outside.txt"} <= world.paths()


def test_what_was_accepted_is_not_lost_when_the_driver_dies(world: World) -> None:
    """The commit was made and not recorded: the next driver finds it on the branch."""
    world.issue(1, files=("src/**",))
    (world.scripts / "1.sh").write_text(OUTSIDE)
    world.enqueue(1)
    world.run()
    world.resume("1")
    with pytest.raises(Killed):
        world.driver_with(work=Relay(world.clone.work, commit_all=killed_after(1))).run(Until.ONCE)
    assert world.member(1, "i1").status is MemberStatus.VERIFYING
    world.run()
    world.expect_landed(1, batch="i1")
    assert {"src/a.py", "outside.txt"} <= world.paths()


def test_nothing_is_committed_for_an_agent_that_left_its_branch(world: World) -> None:
    """HEAD is detached at a sibling's commits, which have not landed: nothing of them ships with the member."""
    world.configure("[ladder]\nmember_recoveries = 0\n")
    world.issues(1, 2)
    waits = world.barrier("waits")
    begun = world.barrier("begun")
    world.agent(1, f"echo 1 > f1; git add -A; git commit -q -m One; echo go > {begun}; read -r _ < {waits}")
    (world.scripts / "2.sh").write_text(
        f"read -r _ < {begun}; git checkout -q --detach gitsched/b1/m1-i1; echo 2 > f2; echo go > {waits}; exit 0\n"
    )
    world.enqueue(1, 2)
    world.run()
    assert world.member(2).status is MemberStatus.EVICTED
    (told,) = [event for event in world.told("verify-incomplete", 2) if event.fields.get("detail")]
    assert "detached" in str(told.fields["detail"])
    world.expect_landed(1)
    assert "f2" not in world.paths()
    assert world.batch().status is BatchStatus.DONE


def test_a_tree_that_its_agent_removed_is_not_asked(world: World) -> None:
    """The commits are on the branch: they land."""
    world.issue(1)
    remove = f'd=$PWD; cd /; git -C {world.repo} worktree remove --force "$d"'
    (world.scripts / "1.sh").write_text(f"echo a > a; git add -A; git commit -q -m A; {remove}; exit 0\n")
    world.enqueue(1)
    world.run()
    world.expect_landed(1, batch="i1")
    assert "a" in world.paths()
