"""Trees lie under a root of their own, outside of everything of the user's."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.adapters.git.registry import listed, repository_key
from gitsched.adapters.git.worktrees import GitWorktrees
from tests.git.trees import Trees, given, refused, trees
from tests.real_git import Git, run_git

__all__ = ["trees"]


@pytest.mark.parametrize("inside", [".", "sub/trees", ".git/trees"])
def test_a_root_inside_the_checkout_is_refused(trees: Trees, inside: str) -> None:
    pool = GitWorktrees(trees.repo / ".git", trees.repo / inside)
    detail = refused(pool.acquire("b1/1/0", trees.base, "x"), "worktree-root")
    assert "worktrees.dir" in detail
    assert trees.git("status", "--porcelain") == ""
    assert not pool.prepare_ahead(trees.base, make=True)


def test_a_root_inside_a_linked_checkout_or_behind_a_link_is_refused(trees: Trees, tmp_path: Path) -> None:
    other = tmp_path / "other"
    trees.git("worktree", "add", "-q", "--detach", other)
    (tmp_path / "link").symlink_to(trees.repo)
    for root in (other / "trees", tmp_path / "link/trees"):
        refused(GitWorktrees(trees.repo / ".git", root).acquire("b1/1/0", trees.base, "x"), "worktree-root")


def test_a_root_that_cannot_be_written_names_the_step_and_leaves_nothing(trees: Trees, tmp_path: Path) -> None:
    """R-15: no tree, no branch, no fall-back to another place; the reason names the failed step."""
    (tmp_path / "file").write_text("no folder\n")
    pool = GitWorktrees(trees.repo / ".git", tmp_path / "file/trees")
    detail = refused(pool.acquire("b1/1/0", trees.base, "gitsched/b1/m1-i1"), "worktree-root")
    assert "making the folder" in detail
    assert trees.git("branch", "--list", "gitsched/*") == ""
    assert len(trees.git("worktree", "list").splitlines()) == 1


def test_a_root_that_fails_later_leaves_nothing_either(trees: Trees) -> None:
    """R-15: the folder vanished after it had been judged good; making the tree is the step that fails."""
    tree = trees.member(1)
    trees.all.remove(tree.path)
    trees.all.pool.folder.rmdir()
    trees.all.pool.folder.write_text("in the way\n")
    refused(trees.all.acquire("b1/2/0", trees.base, "gitsched/b1/m2-i2"), "setup-failed:worktree")
    assert trees.git("branch", "--list", "gitsched/b1/m2*") == ""
    assert trees.all.owners() == {}


def test_the_root_is_under_the_state_directory_by_default(trees: Trees, hermetic: Path) -> None:
    tree = given(GitWorktrees(trees.repo / ".git").acquire("b1/1/0", trees.base, None))
    key = repository_key(trees.repo / ".git")
    assert tree.path.parent == hermetic / "home/.local/state/gitsched" / key
    assert key.startswith("repo-")


def test_free_space_is_told_before_any_tree_is_made(trees: Trees) -> None:
    assert trees.all.free_bytes() == pytest.approx(shutil.disk_usage(trees.repo).free, rel=0.05)


def test_a_bare_repository_has_trees_too(trees: Trees, git: Git, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", trees.repo, bare)
    pool = GitWorktrees(bare, trees.root)
    tree = given(pool.acquire("b1/1/0", trees.base, "gitsched/b1/m1-i1"))
    assert git(tree.path, "status", "--porcelain") == ""
    assert pool.look_at_checkout().path is None
    assert pool.breaches(pool.look_at_checkout(), pool.look_at_checkout(), ("commit",)) is None
    assert pool.copy_list(tree.path, [".env"]) != ()
    assert given(pool.acquire("b1/2/0", trees.base, "main")).branch == "main"


def test_a_root_behind_a_link_is_used_where_it_really_is(trees: Trees, tmp_path: Path) -> None:
    """Homes are often links; git names a worktree by its real place."""
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    pool = GitWorktrees(trees.repo / ".git", tmp_path / "home/trees")
    tree = given(pool.acquire("b1/1/0", trees.base, "gitsched/b1/m1-i1"))
    assert tree.path.is_relative_to(tmp_path.resolve() / "real/trees")
    assert pool.release(tree.path) is None
    assert given(pool.acquire("b1/2/0", trees.base, "gitsched/b1/m2-i2")).path == tree.path


@pytest.mark.parametrize("is_like", [lambda oid: oid[0] == "0", lambda oid: oid[-1] == "0"], ids=["first", "last"])
def test_a_head_keeps_the_zeros_at_its_ends(trees: Trees, is_like: Callable[[str], bool]) -> None:
    written = (trees.git("commit-tree", "-m", f"Try {number}", f"{trees.base}^{{tree}}") for number in range(500))
    head = next(oid for oid in map(str.strip, written) if is_like(oid))
    tree = given(trees.all.acquire("b1/1/0", head, None))
    assert [one.head for one in trees.all.trees() if one.path == tree.path] == [head]


def test_a_tree_that_has_no_commit_yet_has_no_head(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "empty")
    assert [one.head for one in listed(tmp_path / "empty/.git")] == [""]
