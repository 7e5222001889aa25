"""Commits that a run made elsewhere than on its branch are found, named and can be kept."""

import shutil
import subprocess
from pathlib import Path

from gitsched.ports.worktrees import Identity
from tests.git.trees import Trees, trees
from tests.real_git import Git

__all__ = ["trees"]

IDENTITY = Identity("gitsched", "gitsched@example.org")


def agent_git(where: Path, *words: str | Path) -> str:
    """Run git as an agent of the run does."""
    done = subprocess.run(["git", *map(str, words)], cwd=where, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def agent_commit(where: Path, name: str) -> str:
    """Commit one new file as an agent of the run does; give the commit."""
    (where / name).write_text(f"{name}\n")
    agent_git(where, "add", name)
    agent_git(where, "commit", "-q", "-m", f"Add {name}")
    return agent_git(where, "rev-parse", "HEAD")


def test_commits_in_a_nested_worktree_are_named_and_stay(trees: Trees, git: Git) -> None:
    """R-33: the member branch is empty, the stray branch and its commits are named and stay reachable."""
    tree = trees.member(1)
    agent_git(tree.path, "worktree", "add", "-q", "-b", "side", tree.path / "nested")
    first, second = (agent_commit(tree.path / "nested", name) for name in ("one.txt", "two.txt"))
    assert trees.work.uncommitted(tree.path) == ()
    assert git(tree.path, "rev-list", f"{trees.base}..gitsched/b1/m1-i1") == ""
    strays = trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1")
    assert strays == {"side": (first, second)}
    trees.all.release(tree.path)
    trees.member(2)
    git(trees.repo, "checkout", "-q", "side")
    assert git(trees.repo, "rev-parse", "HEAD") == second


def test_commits_in_a_detached_nested_worktree_are_named(trees: Trees) -> None:
    """R-33: also without a branch."""
    tree = trees.member(1)
    agent_git(tree.path, "worktree", "add", "-q", "--detach", tree.path / "nested")
    commit = agent_commit(tree.path / "nested", "one.txt")
    strays = trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1")
    assert strays == {f"worktree {tree.path / 'nested'}": (commit,)}


def test_commits_on_another_local_branch_are_named(trees: Trees) -> None:
    tree = trees.member(1)
    agent_git(tree.path, "checkout", "-q", "-b", "side/way")
    commit = agent_commit(tree.path, "one.txt")
    agent_git(tree.path, "checkout", "-q", "gitsched/b1/m1-i1")
    strays = trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1")
    assert strays == {"side/way": (commit,)}


def test_commits_beside_every_branch_are_named(trees: Trees) -> None:
    tree = trees.member(1)
    agent_git(tree.path, "checkout", "-q", "--detach")
    commit = agent_commit(tree.path, "one.txt")
    strays = trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1")
    assert strays == {f"worktree {tree.path}": (commit,)}


def test_the_newest_commits_that_an_owner_made_are_named_wherever_it_made_them(trees: Trees) -> None:
    """Amended, reset away, on no branch, or in a nested tree: each is named once, by what stands on top of it."""
    tree = trees.member(1)
    assert trees.work.made_commits(tree.path, trees.base) == ()
    first, second = (agent_commit(tree.path, name) for name in ("one.txt", "two.txt"))
    assert trees.work.made_commits(tree.path, trees.base) == (second,)
    agent_git(tree.path, "reset", "-q", "--hard", first)
    third = agent_commit(tree.path, "three.txt")
    agent_git(tree.path, "checkout", "-q", "--detach", trees.base)
    beside = agent_commit(tree.path, "beside.txt")
    agent_git(tree.path, "worktree", "add", "-q", "--detach", tree.path / "nested", trees.base)
    below = agent_commit(tree.path / "nested", "below.txt")
    assert set(trees.work.made_commits(tree.path, trees.base)) == {second, third, beside, below}
    shutil.rmtree(tree.path)
    assert set(trees.work.made_commits(tree.path, trees.base)) == {second, third, beside, below}, (
        "also without a folder"
    )


def test_what_a_rewritten_log_invents_is_not_named(trees: Trees) -> None:
    """Nothing that is not there may be asked to be kept."""
    tree = trees.member(1)
    commit = agent_commit(tree.path, "one.txt")
    log = Path(agent_git(tree.path, "rev-parse", "--git-path", "logs/HEAD"))
    with log.open("a") as file:
        file.write(f"{commit} {'1' * 40} Ada <a@x> 1 +0000\tcommit: Invented\n")
        file.write(f"{commit} --all Ada <a@x> 1 +0000\tcommit: Invented\n")
    assert trees.work.made_commits(tree.path, trees.base) == (commit,)
    assert trees.work.made_commits(trees.repo, trees.base) == (), "no tree of ours"


def test_commits_in_a_worktree_elsewhere_are_named_where_git_was_called_there(trees: Trees, tmp_path: Path) -> None:
    """R-33: only where the run was; not in trees of the pool, which are others' to tell of."""
    tree, other = trees.member(1), trees.member(2)
    agent_git(tree.path, "worktree", "add", "-q", "-b", "side", tmp_path / "side")
    commit = agent_commit(tmp_path / "side", "one.txt")
    agent_commit(other.path, "two.txt")
    places = {str((tmp_path / "side").resolve()), str(other.path.resolve())}
    assert trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1") == {}
    assert trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1", places) == {"side": (commit,)}


def test_what_an_earlier_owner_of_the_tree_made_is_not_told_again(trees: Trees) -> None:
    """The pool hands trees out again, and their logs go on."""
    first = trees.member(1)
    agent_git(first.path, "checkout", "-q", "-b", "side")
    agent_commit(first.path, "one.txt")
    agent_git(first.path, "checkout", "-q", "-")
    assert agent_git(first.path, "branch", "--show-current") == "gitsched/b1/m1-i1"
    assert set(trees.work.stray_commits(first.path, trees.base, "gitsched/b1/m1-i1")) == {"side"}
    trees.all.release(first.path)
    second = trees.member(2)
    assert second.path == first.path
    assert trees.work.stray_commits(second.path, trees.base, "gitsched/b1/m2-i2") == {}


def test_the_members_own_commits_and_those_of_others_are_no_strays(trees: Trees) -> None:
    tree = trees.member(1)
    agent_commit(tree.path, "own.txt")
    trees.git("checkout", "-q", "-b", "users")
    trees.commit("users.txt")
    other = trees.member(2)
    (other.path / "x.txt").write_text("x\n")
    trees.work.commit_all(other.path, ["x.txt"], "Other member", IDENTITY)
    agent_git(tree.path, "worktree", "add", "-q", "--detach", tree.path / "reading", "users")
    assert trees.work.stray_commits(tree.path, trees.base, "gitsched/b1/m1-i1") == {}


def test_a_commit_made_in_a_tree_is_told_from_one_brought_into_it(trees: Trees) -> None:
    """R-58 (git's part): by HEAD's reflog; a fast-forward makes nothing."""
    tree = trees.member(1)
    made = agent_commit(tree.path, "own.txt")
    assert trees.work.made_here(tree.path, made)
    other = trees.member(2)
    agent_git(other.path, "merge", "-q", "gitsched/b1/m1-i1")
    assert agent_git(other.path, "rev-parse", "HEAD") == made
    assert not trees.work.made_here(other.path, made)
    assert not trees.work.made_here(tree.path, trees.base)
