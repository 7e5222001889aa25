"""What an agent breaks of git's own files in its tree is named and made again, and no file of the tree is lost."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.ports.worktrees import Identity, Tree
from tests.git.test_strays import agent_commit, agent_git
from tests.git.trees import Trees, trees
from tests.real_git import Git

__all__ = ["trees"]

BRANCH = "gitsched/b1/m1-i1"
Breaking = Callable[[Path, Path], object]
BREAKINGS: dict[str, tuple[Breaking, str]] = {
    "no HEAD": (lambda _, admin: (admin / "HEAD").unlink(), "HEAD"),
    "garbage in HEAD": (lambda _, admin: (admin / "HEAD").write_bytes(b"\0\xff\n"), "HEAD"),
    "HEAD at nothing": (lambda _, admin: (admin / "HEAD").write_text("1" * 40 + "\n"), "HEAD"),
    "no folder": (lambda _, admin: shutil.rmtree(admin), "git's folder"),
    "no folders at all": (lambda _, admin: shutil.rmtree(admin.parent), "git's folder"),
    "no .git": (lambda tree, _: (tree / ".git").unlink(), "`.git`"),
    "garbage in .git": (lambda tree, _: (tree / ".git").write_bytes(b"\0junk"), "`.git`"),
    "no gitdir": (lambda _, admin: (admin / "gitdir").unlink(), "`.git`"),
    "garbage in gitdir": (lambda _, admin: (admin / "gitdir").write_bytes(b"\0junk"), "`.git`"),
    "no commondir": (lambda _, admin: (admin / "commondir").unlink(), "HEAD"),
    "garbage in commondir": (lambda _, admin: (admin / "commondir").write_text("junk\n"), "HEAD"),
    "no index": (lambda _, admin: (admin / "index").unlink(), "index"),
    "garbage in index": (lambda _, admin: (admin / "index").write_text("junk\n"), "index"),
}


def admin_of(tree: Tree) -> Path:
    """Tell where git's folder for a tree is."""
    return Path(agent_git(tree.path, "rev-parse", "--absolute-git-dir"))


def test_a_whole_tree_is_left_alone(trees: Trees) -> None:
    tree = trees.member(1)
    agent_commit(tree.path, "one.txt")
    agent_git(tree.path, "checkout", "-q", "--detach")
    before = {file: file.read_bytes() for file in admin_of(tree).iterdir() if file.is_file()}
    assert trees.work.mend(tree.path, BRANCH, trees.base) is None
    assert {file: file.read_bytes() for file in admin_of(tree).iterdir() if file.is_file()} == before
    assert trees.work.mend(trees.repo, BRANCH, trees.base) is None, "no tree of ours"
    assert trees.work.mend(trees.root / "nowhere", BRANCH, trees.base) is None


@pytest.mark.parametrize("name", BREAKINGS)
def test_what_was_broken_is_made_again_and_the_work_is_saved(trees: Trees, git: Git, name: str) -> None:
    breaks, told = BREAKINGS[name]
    tree = trees.member(1)
    commit = agent_commit(tree.path, "one.txt")
    (tree.path / "one.txt").write_text("changed\n")
    (tree.path / "two.txt").write_text("unsaved\n")
    admin = admin_of(tree)
    breaks(tree.path, admin)
    found = trees.work.mend(tree.path, BRANCH, trees.base)
    assert found is not None
    assert told in found.what
    assert found.left is None
    assert trees.work.mend(tree.path, BRANCH, trees.base) is None
    assert agent_git(tree.path, "rev-parse", "--abbrev-ref", "HEAD") == BRANCH
    assert agent_git(tree.path, "rev-parse", "HEAD") == commit
    assert trees.work.uncommitted(tree.path) == ("one.txt", "two.txt")
    saved = trees.work.rescue(tree.path, "refs/gitsched/kept/x")
    assert saved is not None
    assert git(trees.repo, "show", "refs/gitsched/kept/x:two.txt") == "unsaved"
    assert trees.all.release(tree.path) is None
    again = trees.member(2)
    assert again.path == tree.path
    assert not (again.path / "two.txt").exists()


def test_where_the_branch_is_gone_as_well_head_comes_to_the_commit(trees: Trees) -> None:
    tree = trees.member(1)
    commit = agent_commit(tree.path, "one.txt")
    shutil.rmtree(admin_of(tree))
    trees.git("update-ref", "-d", f"refs/heads/{BRANCH}")
    found = trees.work.mend(tree.path, BRANCH, commit)
    assert found is not None
    assert found.left is None
    assert agent_git(tree.path, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert trees.work.uncommitted(tree.path) == ()


def test_a_tree_with_a_repository_of_its_own_is_set_aside_with_its_files(trees: Trees) -> None:
    tree = trees.member(1)
    (tree.path / ".git").unlink()
    agent_git(tree.path, "init", "-q")
    (tree.path / "two.txt").write_text("unsaved\n")
    found = trees.work.mend(tree.path, BRANCH, trees.base)
    assert found is not None
    assert found.left is not None
    trees.all.release(tree.path, ["b1/1/0"])
    other = trees.member(1)
    assert other.path != tree.path
    assert (tree.path / "two.txt").read_text() == "unsaved\n"
    assert tree.path in trees.all.owners()


def test_a_folder_that_is_another_tree_s_by_now_is_not_taken(trees: Trees) -> None:
    tree = trees.member(1)
    admin = admin_of(tree)
    (tree.path / ".git").unlink()
    other = trees.root / "other"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {admin}\n")
    (admin / "gitdir").write_text(f"{other}/.git\n")
    found = trees.work.mend(tree.path, BRANCH, trees.base)
    assert found is not None
    assert "is the folder of" in (found.left or "")
    assert (admin / "gitdir").read_text() == f"{other}/.git\n"


def test_a_tree_without_a_file_needs_no_index(trees: Trees) -> None:
    empty = trees.git("commit-tree", "-m", "Nothing", trees.git("hash-object", "-t", "tree", "-w", "/dev/null"))
    tree = trees.member(1, empty)
    (admin_of(tree) / "index").unlink(missing_ok=True)
    assert trees.work.mend(tree.path, BRANCH, empty) is None
    (tree.path / "one.txt").write_text("one\n")
    assert trees.work.commit_all(tree.path, ["one.txt"], "One", Identity("a", "a@example.org")) is not None
