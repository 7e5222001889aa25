"""An agent that breaks git's own files in its worktree: its run ends under a word for it, and the others ship."""

import shutil
from pathlib import Path

import pytest

from gitsched.domain.words import EntryStatus, MemberStatus
from gitsched.ports.worktrees import Tree
from tests.engine.drive import until
from tests.engine.test_ladder import short
from tests.engine.world import World
from tests.real_git import run_git

ADMIN = 'd="$(git rev-parse --absolute-git-dir)"'
LEFT = "echo left > left.txt"
BREAKINGS = {
    "no HEAD": 'rm "$d/HEAD"',
    "garbage in HEAD": 'echo junk > "$d/HEAD"',
    "no folder": 'rm -rf "$d"',
    "no .git": "rm .git",
    "garbage in .git": "echo junk > .git",
    "no index": 'rm "$d/index"',
    "garbage in index": 'echo junk > "$d/index"',
    "no commondir": 'rm "$d/commondir"',
}
SAMPLE = ("no HEAD", "no folder", "no .git")


def breaking(how: str, then: str = "exit 0") -> str:
    """Leave a file uncommitted, break the tree, and end."""
    return f"{LEFT}; {ADMIN}; {how}; {then}"


def rescued(world: World, file: str) -> list[str]:
    """Read a file from each ref on which work of the batch was saved."""
    return [world.show(file, str(event.fields["ref"])) for event in world.told("work-preserved")]


@pytest.mark.parametrize(
    "name",
    [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.long) for name in BREAKINGS],
)
def test_a_member_that_broke_its_tree_leaves_and_the_others_ship(world: World, name: str) -> None:
    world.issues(1, 2)
    world.agent(1)
    world.agent(2, ends=breaking(BREAKINGS[name]))
    world.enqueue(1, 2)
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    assert (world.member(2).status, world.member(2).reason) == (MemberStatus.EVICTED, "tree-broken")
    assert rescued(world, "left.txt") == ["left"]
    assert "file2.txt" not in world.paths()
    (told,) = world.told("verify-incomplete", 2)[:1]
    assert str(told.fields["detail"]).startswith("tree-broken: "), told
    answer = world.why(2)
    assert "worktree" in " ".join(answer.sentences), answer
    pinned = [str(event.fields["head"]) for event in world.told("exit-detected", 2)]
    assert run_git(world.repo, "show", f"{pinned[0]}:file2.txt") == "2"
    assert not world.told("batch-blocked")
    world.expect_clean()


def test_a_solo_run_goes_on_one_rung_higher_in_the_mended_tree(world: World) -> None:
    world.issues(1)
    world.agent(1, ends=breaking(BREAKINGS["no folder"]), gen=0)
    world.agent(1, "cat left.txt file1.txt > both.txt", gen=1)
    world.enqueue(1, solo=True)
    assert not world.run().went_wrong
    assert world.entry(1).status is EntryStatus.DONE
    assert world.started() == ["1 0", "1 1"]
    assert world.show("both.txt") == "left\n1"
    assert [event.fields["reason"] for event in world.told("redispatched")] == ["tree-broken"]


def test_a_tree_that_cannot_be_mended_is_set_aside_with_its_files(world: World) -> None:
    """The next run gets another tree, on the branch as it was."""
    world.issues(1)
    world.agent(1, ends=breaking("rm .git; git init -q"), gen=0)
    world.agent(1, "test ! -e left.txt; echo more > more.txt", gen=1)
    world.enqueue(1, solo=True)
    assert not world.run().went_wrong
    assert world.entry(1).status is EntryStatus.DONE
    assert {"file1.txt", "more.txt"} <= world.paths()
    (told,) = world.told("verify-incomplete", 1)
    (left,) = Path(world.trees).glob("*/*/left.txt")
    assert str(left.parent) in str(told.fields["detail"])
    assert str(left.parent) in world.batch("i1").leftovers[0]
    shutil.rmtree(left.parent)
    assert world.clone.trees.remove(left.parent) is None, "a person has looked at it"


@pytest.mark.parametrize("work", ["sleep 60", "kill -9 $PPID; sleep 60"], ids=["stalled", "lost"])
def test_a_run_that_is_taken_over_in_a_broken_tree_goes_on_there(world: World, work: str) -> None:
    short(world, timeout="1500ms")
    world.issues(1)
    world.agent(1, breaking(BREAKINGS["no HEAD"], work), gen=0)
    world.agent(1, "grep left left.txt", gen=1)
    world.enqueue(1, solo=True)
    assert not world.run().went_wrong
    assert world.entry(1).status is EntryStatus.DONE
    assert world.show("left.txt") == "left"


def test_a_member_that_is_stopped_in_a_broken_tree_is_saved(world: World) -> None:
    world.issues(1)
    opened = world.barrier("broken")
    world.agent(1, breaking("rm .git", f'echo > "{world.scripts}/broken-now"; cat "{opened}"'), gen=0)
    world.enqueue(1, solo=True)
    world.tick()
    until(world.repo, (world.scripts / "broken-now").exists)
    world.stop("1")
    assert not world.run().went_wrong
    assert world.member(1, "i1").status is MemberStatus.STOPPED
    assert rescued(world, "left.txt") == ["left"]
    world.expect_clean()


def test_a_broken_tree_that_no_record_names_is_left_alone(world: World) -> None:
    """A driver that begins sweeps; what cannot be told to hold nothing is not given back, and nothing stops for it."""
    head = run_git(world.repo, "rev-parse", "HEAD")
    tree = world.clone.trees.acquire("b9/9/0", head, "gitsched/b9/m1-i9")
    assert isinstance(tree, Tree)
    admin = Path(run_git(tree.path, "rev-parse", "--absolute-git-dir"))
    (admin / "HEAD").rename(admin / "HEAD.away")
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    assert not world.run().went_wrong
    assert world.clone.trees.owners()[tree.path] == "b9/9/0"
    (admin / "HEAD.away").rename(admin / "HEAD")
    world.run()
    assert tree.path not in world.clone.trees.owners()
