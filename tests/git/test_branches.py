"""A branch is created, or moved from where it is known to stand, and never taken from another worktree."""

import subprocess
from pathlib import Path

from tests.git.trees import Trees, given, refused, trees
from tests.real_git import Git

__all__ = ["trees"]


def test_a_branch_of_another_worktree_is_not_taken(trees: Trees, git: Git, tmp_path: Path) -> None:
    """R-22: refused with the path that holds the branch; branch and worktree stay as they are."""
    other = tmp_path / "mine"
    trees.git("worktree", "add", "-q", "-b", "gitsched/b1/m1-i1", other)
    (other / "mine.txt").write_text("mine\n")
    head = trees.commit("later.txt")
    detail = refused(trees.all.acquire("b1/1/0", head, "gitsched/b1/m1-i1", trees.base), "branch-checked-out")
    assert str(other) in detail
    assert git(other, "rev-parse", "HEAD") == trees.base
    assert git(other, "status", "--porcelain") == "?? mine.txt"
    assert trees.all.owners() == {}


def test_a_branch_in_the_middle_of_a_rebase_elsewhere_is_not_taken(trees: Trees, git: Git, tmp_path: Path) -> None:
    other = tmp_path / "mine"
    trees.git("worktree", "add", "-q", "-b", "topic", other)
    (other / "README.md").write_text("theirs\n")
    git(other, "commit", "-q", "-a", "-m", "Theirs")
    trees.commit("README.md", "ours\n")
    subprocess.run(["git", "rebase", "main"], cwd=other, capture_output=True, check=False)
    assert str(other) in refused(trees.all.acquire("b1/1/0", trees.base, "topic"), "branch-checked-out")


def test_the_branch_of_the_users_checkout_is_not_taken(trees: Trees) -> None:
    assert str(trees.repo) in refused(trees.all.acquire("b1/1/0", trees.base, "main"), "branch-checked-out")


def test_a_branch_is_moved_only_from_where_it_is_known_to_stand(trees: Trees) -> None:
    trees.git("branch", "gitsched/b1/m1-i1")
    head = trees.commit("later.txt")
    elsewhere = trees.all.acquire("b1/1/0", head, "gitsched/b1/m1-i1")
    assert trees.base[:12] in refused(elsewhere, "branch-exists")
    refused(trees.all.acquire("b1/1/0", head, "gitsched/b1/m1-i1", head), "branch-exists")
    assert trees.git("rev-parse", "gitsched/b1/m1-i1") == trees.base
    given(trees.all.acquire("b1/1/0", head, "gitsched/b1/m1-i1", trees.base))
    assert trees.git("rev-parse", "gitsched/b1/m1-i1") == head


def test_a_branch_that_stands_at_the_commit_already_is_used(trees: Trees) -> None:
    trees.git("branch", "gitsched/b1/m1-i1")
    assert trees.member(1).branch == "gitsched/b1/m1-i1"


def test_a_branch_whose_name_cannot_be_is_refused_in_gits_words(trees: Trees) -> None:
    trees.git("branch", "gitsched")
    assert "refs/heads/gitsched" in refused(trees.all.acquire("b1/1/0", trees.base, "gitsched/b1/x"), "branch-exists")
    assert trees.all.owners() == {}
