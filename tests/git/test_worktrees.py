"""A tree is handed out clean, on its own branch, and nothing of the user's is touched."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitsched.adapters.git.worktrees import GitWorktrees
from gitsched.ports.worktrees import Identity, Tree
from tests.git.trees import Trees, given, trees
from tests.real_git import Git

__all__ = ["trees"]

IDENTITY = Identity("gitsched", "gitsched@example.org")


def snapshot(repo: Path, git: Git) -> dict[str, object]:
    """Return all that rule 7 protects in a checkout, to the byte."""
    return {
        "status": git(repo, "status", "--porcelain=v2"),
        "index": (repo / ".git/index").read_bytes(),
        "HEAD": (repo / ".git/HEAD").read_bytes(),
        "config": (repo / ".git/config").read_bytes(),
        "stash": git(repo, "stash", "list"),
        "branches": git(repo, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"),
        "files": {p.name: p.read_bytes() for p in repo.iterdir() if p.is_file()},
    }


def test_a_tree_is_clean_on_its_own_branch_outside_the_checkout(trees: Trees, git: Git) -> None:
    tree = trees.member(1)
    assert tree == Tree(path=tree.path, branch="gitsched/b1/m1-i1", head=trees.base)
    assert not tree.path.is_relative_to(trees.repo)
    assert git(tree.path, "status", "--porcelain", "--branch") == "## gitsched/b1/m1-i1"
    assert (tree.path / "README.md").read_bytes() == (trees.repo / "README.md").read_bytes()


def test_without_a_branch_the_tree_is_detached(trees: Trees, git: Git) -> None:
    tree = given(trees.all.acquire("b1/suite", trees.base, None))
    assert tree.branch is None
    assert git(tree.path, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD"


def test_a_dirty_checkout_stays_as_it_is_to_the_byte(trees: Trees, git: Git) -> None:
    """R-14: status, index, HEAD, stash, config and foreign branches are byte for byte as before."""
    trees.commit("a.txt")
    trees.git("checkout", "-q", "-b", "mine")
    (trees.repo / "a.txt").write_text("stashed\n")
    trees.git("stash")
    (trees.repo / "a.txt").write_text("changed\n")
    (trees.repo / "new.txt").write_text("staged\n")
    trees.git("add", "new.txt")
    (trees.repo / "untracked.txt").write_text("untracked\n")
    before = snapshot(trees.repo, git)
    for index in (1, 2, 3):
        tree = trees.member(index)
        (tree.path / "work.txt").write_text("work\n")
        trees.all.look_at_checkout()
        assert trees.work.commit_all(tree.path, ["work.txt"], "Work", IDENTITY)
        assert trees.all.release(tree.path) is None
        trees.git("branch", "-q", "-D", f"gitsched/b1/m{index}-i{index}")
    assert snapshot(trees.repo, git) == before


def test_a_commit_that_is_made_again_at_the_same_instant_is_the_same(trees: Trees) -> None:
    """What a run left is committed as of its end: after a kill in between the same commit comes out."""
    made = []
    for index in (1, 2):
        tree = trees.member(index)
        (tree.path / "work.txt").write_text("work\n")
        made.append(trees.work.commit_all(tree.path, ["work.txt"], "Work", IDENTITY._replace(at_s=1_700_000_000)))
    assert made[0] == made[1]


def test_eight_at_once_all_start_and_no_branch_has_an_upstream(trees: Trees, git: Git) -> None:
    """R-20: of 8 trees made at once none is lost, and no member branch has an upstream."""
    trees.git("config", "branch.autoSetupMerge", "always")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(trees.member, range(1, 9)))
    assert len({tree.path for tree in made}) == 8
    assert {git(tree.path, "status", "--porcelain") for tree in made} == {""}
    upstreams = trees.git("for-each-ref", "--format=%(upstream)", "refs/heads/gitsched")
    assert upstreams.split() == []
    assert "branch.gitsched" not in trees.git("config", "-l")


def test_a_held_config_lock_is_waited_for(trees: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-20: git's own lock on its configuration delays a tree and does not lose it.

    The lock is given back once git has failed by it.
    """
    trees.git("config", "extensions.worktreeConfig", "true")
    trees.git("config", "--worktree", "core.sparseCheckout", "true")
    lock, failures = trees.repo / ".git/worktrees/gitsched-1/config.worktree.lock", tmp_path / "failures"
    real = shutil.which("git")
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f"""#!/bin/sh
case "$*" in *"worktree add"*)
    if [ ! -e '{failures}' ]; then
        echo "error: could not lock config file config.worktree: File exists" >'{failures}'
        mkdir -p '{lock.parent}' && cat '{failures}' >&2 && exit 255
    fi
esac
exec {real} "$@"
"""
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    assert trees.member(1).path.name == "gitsched-1"
    assert failures.exists()


def test_the_callers_git_variables_reach_nothing(trees: Trees, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-24: started inside a hook, every commit lands on the member branch and none in the hook's repository."""
    hooked = trees.repo.parent / "hooked"
    hooked.mkdir()
    git(hooked, "init", "-q")
    (hooked / "README.md").write_text("other\n")
    before = sorted(path for path in hooked.rglob("*"))
    monkeypatch.setenv("GIT_DIR", str(hooked / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(hooked))
    monkeypatch.setenv("GIT_INDEX_FILE", str(hooked / ".git/index"))
    tree = trees_of_hook(trees)
    (tree.path / "work.txt").write_text("work\n")
    commit = trees.work.commit_all(tree.path, trees.work.uncommitted(tree.path), "Work", IDENTITY)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert git(trees.repo, "rev-parse", "gitsched/b1/m1-i1") == commit
    assert sorted(path for path in hooked.rglob("*")) == before


def trees_of_hook(trees: Trees) -> Tree:
    """Acquire by a pool that was set up under the hook's variables."""
    all_ = GitWorktrees(trees.repo / ".git", trees.root)
    return given(all_.acquire("b1/1/0", trees.base, "gitsched/b1/m1-i1"))


@pytest.mark.parametrize(
    "name", ["with space", "quo\"te's", "new\nline", "-dash", "\u00fcml\u00e4ut \u65e5\u672c", "a\\b"]
)
def test_odd_paths_everywhere(repo: Path, tmp_path: Path, git: Git, name: str) -> None:
    """A repository, a root and files with any of these names are like all others."""
    moved = tmp_path / f"{name} repo"
    repo.rename(moved)
    trees = Trees(moved, tmp_path / f"{name} root")
    trees.commit(f"dir{name}/{name}")
    trees.base = trees.git("rev-parse", "HEAD")
    tree = trees.member(1)
    (tree.path / name).write_text("new\n")
    (tree.path / f"dir{name}" / name).write_text("changed\n")
    assert trees.work.uncommitted(tree.path) == tuple(sorted([name, f"dir{name}/{name}"]))
    assert trees.work.rescue(tree.path, "refs/gitsched/rescue/b1/1/1") is not None
    assert trees.work.commit_all(tree.path, trees.work.uncommitted(tree.path), "Work", IDENTITY)
    assert git(tree.path, "status", "--porcelain") == ""
    assert trees.all.owners() == {tree.path: "b1/1/0"}
    assert trees.all.release(tree.path) is None
    assert trees.member(2).path == tree.path
    assert trees.all.remove(tree.path) is None
    assert not tree.path.exists()
