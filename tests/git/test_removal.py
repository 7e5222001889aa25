"""Only what git lists as ours is removed, and then it is gone."""

import shutil
from pathlib import Path

import pytest

from tests.git.trees import Trees, trees

__all__ = ["trees"]


def test_a_removed_tree_is_gone_from_disk_and_from_gits_list(trees: Trees) -> None:
    tree = trees.member(1)
    (tree.path / "junk.txt").write_text("junk\n")
    trees.commit("README.md", "x\n")
    assert trees.all.remove(tree.path) is None
    assert not tree.path.exists()
    assert "gitsched-1" not in trees.git("worktree", "list")
    assert trees.all.owners() == {}
    assert trees.git("rev-parse", "gitsched/b1/m1-i1") == trees.base
    assert trees.all.remove(tree.path) is None


def test_nothing_behind_a_link_and_no_main_checkout_is_removed(trees: Trees, tmp_path: Path) -> None:
    """R-21: a tree path that became a link to another folder, and the main checkout, lose nothing."""
    tree = trees.member(1)
    precious = tmp_path / "precious"
    tree.path.rename(precious)
    tree.path.symlink_to(precious)
    assert str(tree.path) in str(trees.all.remove(tree.path))
    assert (precious / "README.md").exists()
    assert "checkout" in str(trees.all.remove(trees.repo))
    assert (trees.repo / "README.md").exists()
    assert trees.all.release(tree.path) is not None


@pytest.mark.parametrize("place", ["folder in the root", "a worktree of the user", "the root itself"])
def test_what_git_does_not_list_as_ours_is_not_removed(trees: Trees, tmp_path: Path, place: str) -> None:
    """R-21: only a worktree that git lists under our root is ever removed."""
    tree = trees.member(1)
    theirs = tmp_path / "theirs"
    trees.git("worktree", "add", "-q", "--detach", theirs)
    folder = tree.path.parent / "folder"
    folder.mkdir()
    goal = {"folder in the root": folder, "a worktree of the user": theirs, "the root itself": tree.path.parent}[place]
    assert str(goal) in str(trees.all.remove(goal))
    assert goal.exists()


def test_a_tree_whose_folder_is_gone_leaves_gits_list(trees: Trees) -> None:
    tree = trees.member(1)
    shutil.rmtree(tree.path)
    assert trees.all.remove(tree.path) is None
    assert "gitsched-1" not in trees.git("worktree", "list")


def test_a_locked_tree_stays_and_says_why(trees: Trees) -> None:
    tree = trees.member(1)
    trees.git("worktree", "lock", "--reason", "looking at it", tree.path)
    assert "looking at it" in str(trees.all.remove(tree.path))
    assert tree.path.exists()
