"""What one owner left in a tree, the next one does not find; whose owner is unknown is left alone."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitsched.adapters.git.ownership import Holding
from gitsched.adapters.git.pool import Pool
from gitsched.adapters.git.tidying import make_writable
from tests.git.trees import Trees, refused, trees
from tests.real_git import Git

__all__ = ["trees"]


def test_the_next_owner_gets_a_clean_tree_of_its_own(trees: Trees, git: Git) -> None:
    """R-18: junk, a changed file and a half-done rebase of the member before are gone."""
    head = trees.commit("README.md", "ours\n")
    tree = trees.member(1, head)
    git(tree.path, "checkout", "-q", "-B", "gitsched/b1/m1-i1", trees.base)
    (tree.path / "README.md").write_text("theirs\n")
    git(tree.path, "commit", "-q", "-a", "-m", "Theirs")
    subprocess.run(["git", "rebase", "main"], cwd=tree.path, capture_output=True, check=False)
    (tree.path / "junk.txt").write_text("junk\n")
    (tree.path / "a/b").mkdir(parents=True)
    (tree.path / "a/b/junk.txt").write_text("junk\n")
    assert trees.work.unfinished(tree.path) == "rebase"
    before = trees.git("rev-parse", "gitsched/b1/m1-i1")
    assert trees.all.release(tree.path) is None
    following = trees.member(2, head)
    assert following.path == tree.path
    assert trees.work.unfinished(tree.path) is None
    assert git(tree.path, "status", "--porcelain", "--branch", "--ignored") == "## gitsched/b1/m2-i2"
    assert sorted(entry.name for entry in tree.path.iterdir()) == [".git", "README.md"]
    assert trees.git("rev-parse", "gitsched/b1/m1-i1") == before


def test_ignored_files_go_but_for_what_is_to_be_kept(trees: Trees) -> None:
    head = trees.commit(".gitignore", "node_modules\n*.log\n")
    tree = trees.member(1, head)
    for name in ("node_modules/x/index.js", "run.log", "sub/node_modules/y", "sub/nested.log"):
        (tree.path / name).parent.mkdir(parents=True, exist_ok=True)
        (tree.path / name).write_text("x\n")
    trees.all.release(tree.path)
    trees.member(2, head)
    assert sorted(entry.name for entry in tree.path.iterdir()) == [".git", ".gitignore", "README.md", "node_modules"]
    assert (tree.path / "node_modules/x/index.js").exists()


def test_what_is_to_be_kept_is_not_kept_as_a_link(trees: Trees) -> None:
    """A link that an agent made to the user's folder is taken away, the folder is not."""
    (trees.repo / "node_modules").mkdir()
    (trees.repo / "node_modules/mine.js").write_text("mine\n")
    tree = trees.member(1)
    (tree.path / "node_modules").symlink_to(trees.repo / "node_modules")
    trees.all.release(tree.path)
    trees.member(2)
    assert not os.path.lexists(tree.path / "node_modules")
    assert (trees.repo / "node_modules/mine.js").exists()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_was_hidden_from_git_does_not_survive(trees: Trees, git: Git, flag: str) -> None:
    tree = trees.member(1)
    git(tree.path, "update-index", flag, "README.md")
    (tree.path / "README.md").write_text("hidden\n")
    trees.all.release(tree.path)
    trees.member(2)
    assert (tree.path / "README.md").read_text() == (trees.repo / "README.md").read_text()


def test_a_torn_index_and_stale_locks_do_not_keep_a_tree(trees: Trees, git: Git) -> None:
    tree = trees.member(1)
    admin = trees.repo / ".git/worktrees" / tree.path.name
    trees.all.release(tree.path)
    (admin / "index").write_bytes(b"torn")
    (admin / "index.lock").touch()
    (admin / "HEAD.lock").touch()
    assert trees.member(2).path == tree.path
    assert git(tree.path, "status", "--porcelain") == ""


def test_a_sparse_checkout_of_the_owner_before_is_over(trees: Trees, git: Git) -> None:
    head = trees.commit("src/a.txt")
    tree = trees.member(1, head)
    git(tree.path, "sparse-checkout", "set", "docs")
    assert not (tree.path / "src").exists()
    trees.all.release(tree.path)
    trees.member(2, head)
    assert (tree.path / "src/a.txt").exists()


def test_a_tree_somebody_stands_in_and_one_of_unknown_owner_are_left_alone(trees: Trees) -> None:
    """R-17: neither is reset or reused; a third one is made."""
    stood_in, unknown = trees.member(1), trees.member(2)
    for tree in (stood_in, unknown):
        (tree.path / "junk.txt").write_text("junk\n")
        assert trees.all.release(tree.path) is None
    (trees.repo / ".git/gitsched/trees" / f"{unknown.path.name}.json").write_text("torn")
    words = [sys.executable, "-c", "input()"]
    with subprocess.Popen(words, cwd=stood_in.path, stdin=subprocess.PIPE) as living:
        third = trees.member(3)
        assert living.stdin is not None
        living.stdin.close()
    assert third.path not in {stood_in.path, unknown.path}
    assert (stood_in.path / "junk.txt").exists()
    assert (unknown.path / "junk.txt").exists()
    assert trees.all.owners() == {unknown.path: None, third.path: "b1/3/0"}
    assert trees.member(4).path == stood_in.path


def test_a_tree_that_was_not_given_back_is_never_taken(trees: Trees) -> None:
    """R-17: the process that acquired it may be gone for long: its owner still is its owner."""
    script = (
        "import sys; from pathlib import Path; from gitsched.adapters.git.worktrees import GitWorktrees;"
        "print(GitWorktrees(Path(sys.argv[1]), Path(sys.argv[2])).acquire('b1/1/0', sys.argv[3], None).path)"
    )
    words = [sys.executable, "-c", script, str(trees.repo / ".git"), str(trees.root), trees.base]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    held = Path(done.stdout.strip())
    assert trees.all.owners() == {held: "b1/1/0"}
    assert trees.member(2).path != held


def test_a_tree_prepared_ahead_is_handed_out_as_it_is(trees: Trees, git: Git) -> None:
    first, second = trees.member(1), trees.member(2)
    (first.path / "junk.txt").write_text("junk\n")
    trees.all.release(first.path)
    trees.all.release(second.path)
    head = trees.commit("later.txt")
    assert trees.all.prepare_ahead(head)
    assert trees.all.prepare_ahead(head)
    assert trees.all.owners() == {}
    ready = trees.member(3, head)
    assert git(ready.path, "status", "--porcelain", "--branch") == "## gitsched/b1/m3-i3"
    assert (ready.path / "later.txt").exists()


def test_nothing_is_prepared_where_no_tree_is_free_unless_one_is_to_be_made(trees: Trees) -> None:
    assert not trees.all.prepare_ahead(trees.base)
    assert trees.all.prepare_ahead(trees.base, make=True)
    assert trees.all.trees() == ()
    assert trees.member(1).path.name == "gitsched-1"


def test_beyond_its_size_the_pool_removes_what_is_given_back(repo: Path, tmp_path: Path) -> None:
    trees = Trees(repo, tmp_path / "trees", pool_size=1)
    first, second = trees.member(1), trees.member(2)
    assert trees.all.release(first.path) is None
    assert trees.all.release(second.path) is None
    assert first.path.exists()
    assert not second.path.exists()


def test_a_tree_that_resists_is_replaced(trees: Trees) -> None:
    tree = trees.member(1)
    trees.all.release(tree.path)
    (trees.repo / ".git/worktrees" / tree.path.name / "HEAD").write_text("garbage\n")
    following = trees.member(2)
    assert (following.path / "README.md").exists()
    assert trees.all.owners()[following.path] == "b1/2/0"


def test_a_commit_that_is_not_there_costs_no_tree(trees: Trees) -> None:
    tree = trees.member(1)
    trees.all.release(tree.path)
    assert "0" * 39 in refused(trees.all.acquire("b1/2/0", "0" * 39 + "1", None), "setup-failed:worktree")
    assert trees.member(3).path == tree.path


def test_a_commit_that_is_not_there_leaves_nothing_behind(trees: Trees) -> None:
    refused(trees.all.acquire("b1/2/0", "0" * 39 + "1", None), "setup-failed:worktree")
    assert trees.all.owners() == {}
    assert list((trees.repo / ".git/worktrees").glob("*")) == []


def test_a_tree_that_resists_and_cannot_be_removed_is_never_handed_out(trees: Trees) -> None:
    tree = trees.member(1)
    trees.all.release(tree.path)
    trees.git("worktree", "lock", "--reason", "looking at it", tree.path)
    (trees.repo / ".git/worktrees" / tree.path.name / "HEAD").write_text("garbage\n")
    first, second = trees.member(2), trees.member(3)
    assert tree.path not in {first.path, second.path}
    assert trees.all.owners() == {tree.path: None, first.path: "b1/2/0", second.path: "b1/3/0"}


def test_a_commit_that_cannot_be_checked_out_leaves_nothing(trees: Trees) -> None:
    """Neither in a pooled tree nor in a new one; branch and holder are as before."""
    (trees.repo / ".gitattributes").write_text("*.bin filter=broken\n")
    head = trees.commit("a.bin")
    trees.all.release(trees.member(1).path)
    trees.git("config", "filter.broken.smudge", "false")
    trees.git("config", "filter.broken.required", "true")
    refused(trees.all.acquire("b1/2/0", head, "gitsched/b1/m2-i2"), "setup-failed:worktree")
    assert not trees.all.prepare_ahead(head, make=True)
    assert trees.all.owners() == {}
    assert trees.git("branch", "--list", "gitsched/b1/m2*") == ""
    assert trees.member(3).head == trees.base


def test_a_tree_that_is_just_being_prepared_is_waited_for(trees: Trees, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = trees.member(1)
    trees.all.release(tree.path)
    pool, name = trees.all.pool, tree.path.name
    preparer = pool.claim(None, trees.base, make=False)
    assert preparer is not None
    wait_for = Pool._is_free_soon

    def finish_and_wait(self: Pool, waited: str) -> bool:
        assert preparer is not None
        pool.ledger.write(name, Holding(commit=trees.base, is_settled=True))
        preparer.lock.close()
        return wait_for(self, waited)

    monkeypatch.setattr(Pool, "_is_free_soon", finish_and_wait)
    assert trees.member(2).path == tree.path


def test_read_only_folders_can_be_cleaned(tmp_path: Path) -> None:
    folder = tmp_path / "cache/module"
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    make_writable(tmp_path)
    assert folder.stat().st_mode & 0o700 == 0o700


def test_a_full_disk_ends_no_driver_and_keeps_no_lock(trees: Trees, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-05: who holds the tree cannot be written: nothing is prepared, nothing is left, and later it is."""
    trees.all.release(trees.member(1).path)
    folder = trees.repo / ".git/gitsched/trees"
    before = set(folder.iterdir())
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", _no_space)
        assert not trees.all.prepare_ahead(trees.base)
    assert set(folder.iterdir()) == before
    assert trees.all.prepare_ahead(trees.base), "its lock was given back"


def _no_space(_descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
