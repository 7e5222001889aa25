"""What is copied into a tree comes without links and goes into no commit."""

import os
import subprocess
from pathlib import Path

from gitsched.ports.worktrees import Identity
from tests.git.trees import Trees, given, refused, trees
from tests.real_git import Git

__all__ = ["trees"]

IDENTITY = Identity("gitsched", "gitsched@example.org")


def with_submodule(trees: Trees, git: Git, tmp_path: Path) -> str:
    """Give the repository a submodule at libs/sub with one file; give the commit that has it."""
    sub = tmp_path / "sub"
    sub.mkdir()
    git(sub, "init", "-q")
    (sub / "inner.txt").write_text("inner\n")
    git(sub, "add", "-A")
    git(sub, "commit", "-q", "-m", "Inner")
    trees.git("submodule", "--quiet", "add", sub, "libs/sub")
    trees.git("commit", "-q", "-m", "Add a submodule")
    return trees.git("rev-parse", "HEAD")


def test_submodule_and_copy_are_there_and_never_committed(trees: Trees, git: Git, tmp_path: Path) -> None:
    """R-25: the tree has the submodule and the copied file; neither copy nor dependency folder is committed."""
    trees.commit(".gitignore", "deps\n")
    head = with_submodule(trees, git, tmp_path)
    (trees.repo / ".env.test").write_text("KEY=k\n")
    (trees.repo / "deps").mkdir()
    (trees.repo / "deps/lib.js").write_text("lib\n")
    config = (trees.repo / ".git/config").read_bytes()
    tree = trees.member(1, head)
    assert trees.all.copy_list(tree.path, [".env.test"]) == ()
    assert (tree.path / "libs/sub/inner.txt").read_text() == "inner\n"
    assert (tree.path / ".env.test").read_text() == "KEY=k\n"
    assert not (tree.path / ".env.test").is_symlink()
    assert not (tree.path / "deps").exists()
    (tree.path / "deps").mkdir()
    (tree.path / "deps/own.js").write_text("own\n")
    assert git(tree.path, "status", "--porcelain") == ""
    git(tree.path, "add", "-A")
    assert git(tree.path, "diff", "--cached", "--name-only") == ""
    assert trees.work.uncommitted(tree.path) == ()
    assert (trees.repo / "deps/lib.js").read_text() == "lib\n"
    assert (trees.repo / ".git/config").read_bytes() == config


def test_a_copied_file_that_a_rule_takes_back_is_left_out_all_the_same(trees: Trees) -> None:
    head = trees.commit(".gitignore", "!.env.test\n")
    (trees.repo / ".env.test").write_text("KEY=k\n")
    tree = trees.member(1, head)
    assert trees.all.copy_list(tree.path, [".env.test"]) == ()
    assert trees.work.uncommitted(tree.path) == ()
    assert trees.work.rescue(tree.path, "refs/gitsched/rescue/b1/1/1") is None


def test_a_folder_is_copied_with_its_files_and_what_is_tracked_is_left(trees: Trees) -> None:
    head = trees.commit("conf/tracked.toml", "committed\n")
    (trees.repo / "conf/tracked.toml").write_text("changed\n")
    (trees.repo / "conf/local #1.toml").write_text("local\n")
    (trees.repo / "conf/deep").mkdir()
    (trees.repo / "conf/deep/x").write_text("x\n")
    tree = trees.member(1, head)
    assert trees.all.copy_list(tree.path, ["conf"]) == ()
    assert (tree.path / "conf/tracked.toml").read_text() == "committed\n"
    assert (tree.path / "conf/deep/x").read_text() == "x\n"
    assert trees.work.uncommitted(tree.path) == ()
    exclude = (trees.repo / ".git/info/exclude").read_text()
    assert "/conf/local\\ \\#1.toml\n" in exclude
    assert trees.all.copy_list(tree.path, ["conf"]) == ()
    assert (trees.repo / ".git/info/exclude").read_text() == exclude


def test_an_ignored_file_needs_no_rule_of_ours(trees: Trees) -> None:
    head = trees.commit(".gitignore", ".env*\n")
    (trees.repo / ".env.test").write_text("KEY=k\n")
    exclude = (trees.repo / ".git/info/exclude").read_bytes()
    assert trees.all.copy_list(trees.member(1, head).path, [".env.test"]) == ()
    assert (trees.repo / ".git/info/exclude").read_bytes() == exclude


def test_no_link_is_followed_out(trees: Trees, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("outside\n")
    (trees.repo / "out").symlink_to(tmp_path / "outside")
    (trees.repo / "real").write_text("real\n")
    (trees.repo / "in").symlink_to("real")
    (trees.repo / "folder").mkdir()
    (trees.repo / "folder/loop").symlink_to("..")
    (trees.repo / "folder/ok").write_text("ok\n")
    (trees.repo / "hidden").symlink_to(".git")
    tree = trees.member(1)
    problems = trees.all.copy_list(tree.path, ["out", "in", "folder", "hidden", "missing"])
    assert [problem.split("'")[1] for problem in problems] == ["out", "folder/loop", "hidden", "missing"]
    assert (tree.path / "in").read_text() == "real\n"
    assert not (tree.path / "in").is_symlink()
    assert sorted(entry.name for entry in tree.path.iterdir()) == [".git", "README.md", "folder", "in"]


def test_nothing_is_written_through_a_link_of_the_tree(trees: Trees, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (trees.repo / "conf").symlink_to(tmp_path / "outside")
    trees.git("add", "conf")
    trees.git("commit", "-q", "-m", "A link")
    head = trees.git("rev-parse", "HEAD")
    (trees.repo / "conf").unlink()
    (trees.repo / "conf").mkdir()
    (trees.repo / "conf/x").write_text("x\n")
    tree = trees.member(1, head)
    assert "lead out" in trees.all.copy_list(tree.path, ["conf/x"])[0]
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_is_no_file_is_named(trees: Trees) -> None:
    os.mkfifo(trees.repo / "pipe")
    assert trees.all.copy_list(trees.member(1).path, ["pipe"]) == ("'pipe' is not a file",)


def test_only_a_tree_of_ours_is_copied_into(trees: Trees) -> None:
    assert "no worktree of ours" in trees.all.copy_list(trees.repo, ["README.md"])[0]


# -- submodules


def test_a_submodule_is_cleaned_and_brought_to_its_commit(trees: Trees, git: Git, tmp_path: Path) -> None:
    head = with_submodule(trees, git, tmp_path)
    tree = trees.member(1, head)
    (tree.path / "libs/sub/inner.txt").write_text("changed\n")
    (tree.path / "libs/sub/junk").write_text("junk\n")
    git(tree.path / "libs/sub", "commit", "-q", "-a", "-m", "Elsewhere")
    assert trees.work.uncommitted(tree.path) == ("libs/sub",)
    trees.all.release(tree.path)
    again = trees.member(2, head)
    assert again.path == tree.path
    assert (tree.path / "libs/sub/inner.txt").read_text() == "inner\n"
    assert not (tree.path / "libs/sub/junk").exists()
    assert git(tree.path, "status", "--porcelain") == ""


def test_changes_inside_a_submodule_are_named_by_the_rescue(trees: Trees, git: Git, tmp_path: Path) -> None:
    tree = trees.member(1, with_submodule(trees, git, tmp_path))
    (tree.path / "libs/sub/junk").write_text("junk\n")
    rescued = trees.work.rescue(tree.path, "refs/gitsched/rescue/b1/1/1")
    assert rescued is not None
    assert rescued.left == ("libs/sub (a submodule with changes of its own)",)


def test_a_submodule_that_the_user_never_cloned_is_cloned_from_its_address(
    trees: Trees, git: Git, tmp_path: Path
) -> None:
    """Neither address nor anything else is written to the user's configuration."""
    head = with_submodule(trees, git, tmp_path)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", trees.repo, clone)
    config = (clone / ".git/config").read_bytes()
    git(clone, "config", "--global", "protocol.file.allow", "always")
    cloned = Trees(clone, tmp_path / "other trees")
    tree = cloned.member(1, head)
    assert (tree.path / "libs/sub/inner.txt").read_text() == "inner\n"
    assert git(tree.path / "libs/sub", "config", "remote.origin.url") == str(tmp_path / "sub")
    assert (clone / ".git/config").read_bytes() == config


def test_a_relative_address_and_a_submodules_own_submodule(trees: Trees, git: Git, tmp_path: Path) -> None:
    head = with_submodule(trees, git, tmp_path)
    top = tmp_path / "top"
    git(tmp_path, "init", "-q", top)
    trees.git("config", "receive.denyCurrentBranch", "ignore")
    subprocess.run(["git", "submodule", "--quiet", "add", "../repo", "part"], cwd=top, check=True)
    git(top, "commit", "-q", "-m", "A part")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", top, clone)
    tree = Trees(clone, tmp_path / "other trees").member(1)
    assert git(tree.path / "part", "rev-parse", "HEAD") == head
    assert (tree.path / "part/libs/sub/inner.txt").read_text() == "inner\n"


def test_a_submodule_that_cannot_be_had_leaves_nothing(trees: Trees, git: Git, tmp_path: Path) -> None:
    head = with_submodule(trees, git, tmp_path)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", trees.repo, clone)
    (tmp_path / "sub").rename(tmp_path / "gone")
    cloned = Trees(clone, tmp_path / "other trees")
    detail = refused(cloned.all.acquire("b1/1/0", head, "gitsched/b1/m1-i1"), "setup-failed:submodules")
    assert "libs/sub" in detail
    assert cloned.all.owners() == {}
    assert git(clone, "branch", "--list", "gitsched/*") == ""
    assert given(cloned.all.acquire("b1/2/0", trees.base, "gitsched/b1/m2-i2")).branch == "gitsched/b1/m2-i2"


def test_a_submodule_that_the_user_turned_off_stays_off(trees: Trees, git: Git, tmp_path: Path) -> None:
    head = with_submodule(trees, git, tmp_path)
    trees.git("config", "submodule.libs/sub.active", "false")
    assert list((trees.member(1, head).path / "libs/sub").iterdir()) == []
