"""Uncommitted work is listed, committed and saved just as it is, and stray commits are found."""

import os
import subprocess

import pytest

from gitsched.errors import GitFailedError, RefusedError
from gitsched.policy.scope import out_of_scope
from gitsched.policy.secrets import secret_looking
from gitsched.ports.worktrees import Identity, Tree
from tests.git.trees import Trees, trees
from tests.real_git import Git

__all__ = ["trees"]

IDENTITY = Identity("gitsched", "gitsched@example.org")
RESCUE = "refs/gitsched/rescue/b1/1/1"


@pytest.fixture
def tree(trees: Trees) -> Tree:
    """Give the test a tree with a changed, a deleted, a staged, an untracked and an ignored file."""
    trees.commit(".gitignore", "*.log\n")
    trees.commit("gone.txt")
    tree = trees.member(1, trees.commit("src/a.py", "one\n"))
    (tree.path / "src/a.py").write_text("two\n")
    (tree.path / "gone.txt").unlink()
    (tree.path / "staged.txt").write_text("staged\n")
    subprocess.run(["git", "add", "staged.txt"], cwd=tree.path, check=True)
    (tree.path / "docs").mkdir()
    (tree.path / "docs/x.md").write_text("new\n")
    (tree.path / "run.log").write_text("ignored\n")
    return tree


# -- closing commit


def test_everything_but_ignored_files_is_uncommitted(trees: Trees, tree: Tree) -> None:
    assert trees.work.uncommitted(tree.path) == ("docs/x.md", "gone.txt", "src/a.py", "staged.txt")


def test_just_the_given_paths_are_committed(trees: Trees, tree: Tree, git: Git) -> None:
    """R-32: with src/** declared, a closing commit holds just src/a.py; docs/x.md is out of scope and not lost."""
    paths = trees.work.uncommitted(tree.path)
    outside = out_of_scope(paths, ["src/**"])
    assert outside == ("docs/x.md", "gone.txt", "staged.txt")
    commit = trees.work.commit_all(tree.path, ["src/a.py"], "Close", IDENTITY)
    assert commit == git(tree.path, "rev-parse", "gitsched/b1/m1-i1")
    assert git(tree.path, "show", "--name-only", "--format=%an <%ae> %cn %s", "HEAD").split("\n") == [
        "gitsched <gitsched@example.org> gitsched Close",
        "",
        "src/a.py",
    ]
    assert trees.work.uncommitted(tree.path) == outside
    assert git(tree.path, "diff", "--cached", "--name-only") == "staged.txt"


def test_deletions_and_new_files_are_committed_too(trees: Trees, tree: Tree, git: Git) -> None:
    assert trees.work.commit_all(tree.path, trees.work.uncommitted(tree.path), "Close", IDENTITY)
    assert git(tree.path, "status", "--porcelain") == ""
    assert git(tree.path, "ls-files").split() == [".gitignore", "README.md", "docs/x.md", "src/a.py", "staged.txt"]


def test_no_hook_runs_and_nothing_is_signed(trees: Trees, tree: Tree, git: Git) -> None:
    for hook in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        place = trees.repo / ".git/hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_text("#!/bin/sh\nexit 1\n")
        place.chmod(0o755)
    git(trees.repo, "config", "commit.gpgSign", "true")
    assert trees.work.commit_all(tree.path, ["src/a.py"], "Close", IDENTITY)


def test_without_a_change_there_is_no_commit(trees: Trees, tree: Tree, git: Git) -> None:
    before = git(tree.path, "rev-parse", "HEAD")
    assert trees.work.commit_all(tree.path, [], "Close", IDENTITY) is None
    assert trees.work.commit_all(tree.path, ["README.md"], "Close", IDENTITY) is None
    assert git(tree.path, "rev-parse", "HEAD") == before


def test_a_nested_repository_is_not_taken_for_a_file(trees: Trees, tree: Tree, git: Git) -> None:
    git(tree.path, "init", "-q", "nested")
    git(tree.path / "nested", "commit", "-q", "--allow-empty", "-m", "Nested")
    assert "nested/" not in trees.work.uncommitted(tree.path)
    rescued = trees.work.rescue(tree.path, RESCUE)
    assert rescued is not None
    assert rescued.left == ("nested/ (a repository of its own)",)


@pytest.mark.parametrize(
    ("words", "operation"),
    [
        (("merge", "other"), "merge"),
        (("rebase", "other"), "rebase"),
        (("cherry-pick", "other"), "cherry-pick"),
        (("revert", "--no-commit", "HEAD"), "revert"),
        (("bisect", "start"), "bisect"),
    ],
)
def test_what_git_is_in_the_middle_of_is_named(trees: Trees, git: Git, words: tuple[str, ...], operation: str) -> None:
    trees.git("checkout", "-q", "-b", "other")
    trees.commit("README.md", "theirs\n")
    trees.git("checkout", "-q", "main")
    tree = trees.member(1, trees.commit("README.md", "ours\n"))
    assert trees.work.unfinished(tree.path) is None
    subprocess.run(["git", *words], cwd=tree.path, capture_output=True, check=False)
    assert trees.work.unfinished(tree.path) == operation


def test_only_our_own_trees_are_worked_in(trees: Trees) -> None:
    with pytest.raises(RefusedError, match="no worktree of ours"):
        trees.work.uncommitted(trees.repo)


# -- rescue


def test_uncommitted_work_is_saved_and_the_tree_stays_as_it_is(trees: Trees, tree: Tree, git: Git) -> None:
    index = trees.repo / ".git/worktrees" / tree.path.name / "index"
    before = (index.read_bytes(), git(tree.path, "status", "--porcelain=v2"), git(tree.path, "rev-parse", "HEAD"))
    rescued = trees.work.rescue(tree.path, RESCUE)
    assert rescued is not None
    assert rescued.commit == git(trees.repo, "rev-parse", RESCUE)
    assert rescued.left == ()
    assert git(trees.repo, "show", f"{RESCUE}:src/a.py") == "two"
    assert git(trees.repo, "ls-tree", "-r", "--name-only", RESCUE).split() == [
        ".gitignore",
        "README.md",
        "docs/x.md",
        "src/a.py",
        "staged.txt",
    ]
    assert git(trees.repo, "rev-parse", f"{RESCUE}^") == before[2]
    after = (index.read_bytes(), git(tree.path, "status", "--porcelain=v2"), git(tree.path, "rev-parse", "HEAD"))
    assert after == before


def test_secrets_and_giants_are_left_and_named(trees: Trees, tree: Tree, git: Git) -> None:
    (tree.path / ".env.local").write_text("KEY=k\n")
    (tree.path / "giant.bin").write_bytes(b"x" * 2000)
    assert secret_looking(".env.local")
    rescued = trees.work.rescue(tree.path, RESCUE, limit_bytes=1000)
    assert rescued is not None
    assert rescued.left == (".env.local (looks like a secret)", "giant.bin (larger than 1000 bytes)")
    assert ".env.local" not in git(trees.repo, "ls-tree", "-r", "--name-only", RESCUE)
    assert "giant.bin" in git(trees.repo, "log", "-1", "--format=%B", RESCUE)
    assert (tree.path / "giant.bin").exists()


def test_a_clean_tree_needs_no_rescue_and_one_with_secrets_alone_has_no_commit(trees: Trees) -> None:
    tree = trees.member(1)
    assert trees.work.rescue(tree.path, RESCUE) is None
    (tree.path / "id_rsa").write_text("k\n")
    rescued = trees.work.rescue(tree.path, RESCUE)
    assert rescued is not None
    assert (rescued.commit, rescued.left) == (None, ("id_rsa (looks like a secret)",))
    assert trees.git("for-each-ref", "refs/gitsched") == ""


def test_a_rescue_done_twice_is_one_and_other_work_needs_another_number(trees: Trees, tree: Tree) -> None:
    first = trees.work.rescue(tree.path, RESCUE)
    assert trees.work.rescue(tree.path, RESCUE) == first
    (tree.path / "more.txt").write_text("more\n")
    with pytest.raises(RefusedError, match="next number"):
        trees.work.rescue(tree.path, RESCUE)


def test_a_conflicted_merge_is_saved_as_it_lies(trees: Trees, git: Git) -> None:
    trees.git("checkout", "-q", "-b", "other")
    trees.commit("README.md", "theirs\n")
    trees.git("checkout", "-q", "main")
    tree = trees.member(1, trees.commit("README.md", "ours\n"))
    subprocess.run(["git", "merge", "other"], cwd=tree.path, capture_output=True, check=False)
    assert trees.work.uncommitted(tree.path) == ("README.md",)
    assert trees.work.rescue(tree.path, RESCUE) is not None
    assert "<<<<<<<" in git(trees.repo, "show", f"{RESCUE}:README.md")
    assert git(tree.path, "ls-files", "-u") != ""


def test_what_a_rebase_had_put_aside_is_saved_as_well(trees: Trees, git: Git) -> None:
    trees.git("checkout", "-q", "-b", "other")
    trees.commit("README.md", "theirs\n")
    trees.git("checkout", "-q", "main")
    trees.commit("b.txt")
    tree = trees.member(1, trees.commit("README.md", "ours\n"))
    (tree.path / "b.txt").write_text("put aside\n")
    subprocess.run(["git", "rebase", "--autostash", "other"], cwd=tree.path, capture_output=True, check=False)
    assert trees.work.unfinished(tree.path) == "rebase"
    assert trees.work.rescue(tree.path, RESCUE) is not None
    saved = trees.git("rev-list", "--parents", "-1", RESCUE).split()[1:]
    assert any(trees.git("show", f"{parent}:b.txt") == "put aside" for parent in saved)


def test_a_path_that_git_does_not_take_keeps_no_other_out(trees: Trees) -> None:
    """A folder named like git's own cannot be in a commit; the work beside it can, and the commit names the rest."""
    tree = trees.member(1)
    (tree.path / "sub/.Git").mkdir(parents=True)
    for name in ("a.txt", "sub/.Git/config", "z.txt"):
        (tree.path / name).write_text(name)
    assert trees.work.rescue(tree.path, RESCUE) is not None
    assert {"a.txt", "z.txt"} <= set(trees.git("ls-tree", "-r", "--name-only", RESCUE).split())
    assert "sub/.Git/config" in trees.git("log", "-1", "--format=%B", RESCUE)
    commit = trees.work.commit_all(tree.path, ["a.txt", "gone.txt", "sub/.Git/config", "z.txt"], "Finish", IDENTITY)
    assert commit is not None
    assert set(trees.git("diff", "--name-only", f"{commit}~1", commit).split()) == {"a.txt", "z.txt"}


def test_a_full_disk_is_no_reason_to_leave_work_out(trees: Trees) -> None:
    """What stops git for another reason than the path is told, and never counted as work that cannot be saved."""
    tree = trees.member(1)
    (tree.path / "a.txt").write_text("work")
    objects = trees.repo / ".git/objects"
    name = subprocess.run(["git", "hash-object", "a.txt"], cwd=tree.path, capture_output=True, text=True, check=True)
    (objects / name.stdout[:2]).write_text("in the way of a folder")
    with pytest.raises(GitFailedError):
        trees.work.rescue(tree.path, RESCUE)


# -- what a check may not do to the tree that it judges


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_the_index_hides_is_told(trees: Trees, git: Git, flag: str) -> None:
    """L-10: a check that hides its change from git has changed the tree all the same; hiding alone changes nothing."""
    head = trees.commit("src/a.py", "one\n")
    tree = trees.member(1, head)
    git(tree.path, "update-index", flag, "src/a.py")
    assert not trees.work.tracked_changed(tree.path, head)
    (tree.path / "new.txt").write_text("not tracked\n")
    assert not trees.work.tracked_changed(tree.path, head)
    (tree.path / "src/a.py").write_text("two\n")
    assert trees.work.tracked_changed(tree.path, head)
    assert git(tree.path, "ls-files", "-v", "src/a.py")[0] in "hS"


def test_a_change_that_keeps_size_and_time_is_told_whatever_the_user_relaxes(trees: Trees, git: Git) -> None:
    head = trees.commit("src/a.py", "one\n")
    tree = trees.member(1, head)
    git(trees.repo, "config", "core.trustctime", "false")
    git(trees.repo, "config", "core.checkStat", "minimal")
    file = tree.path / "src/a.py"
    os.utime(file, (1_000_000_000, 1_000_000_000))
    git(tree.path, "update-index", "--refresh")
    other = tree.path / "src/other"  # while the first is there, so that it is another file to the kernel
    other.write_text("two\n")
    os.utime(other, (1_000_000_000, 1_000_000_000))
    other.replace(file)
    assert trees.work.tracked_changed(tree.path, head)
