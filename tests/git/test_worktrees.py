"""Trees are handed out clean, to one owner at a time, and given back or removed."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitsched.adapters.git.ownership import Holding
from gitsched.adapters.git.registry import repository_key
from gitsched.adapters.git.worktrees import GitWorktrees
from gitsched.ports.worktrees import Identity, Tree
from tests.git.trees import Trees, given, refused, trees
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


# -- handing out


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


# -- branches


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


# -- the pool


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


# -- the same owner again, another owner


def test_asking_again_gives_the_tree_as_it_stands(trees: Trees, git: Git) -> None:
    tree = trees.member(1)
    (tree.path / "work.txt").write_text("work\n")
    git(tree.path, "add", "-A")
    git(tree.path, "commit", "-q", "-m", "Work")
    (tree.path / "more.txt").write_text("more\n")
    again = trees.member(1)
    assert again.path == tree.path
    assert again.head == git(tree.path, "rev-parse", "HEAD") != trees.base
    assert (tree.path / "more.txt").exists()


def test_an_owner_that_has_a_tree_gets_no_other(trees: Trees) -> None:
    tree = trees.member(1)
    detail = refused(trees.all.acquire("b1/1/0", trees.base, "elsewhere"), "tree-held")
    assert str(tree.path) in detail


def test_a_handing_out_that_was_cut_short_is_done_again(trees: Trees, git: Git) -> None:
    tree = trees.member(1)
    trees.all.release(tree.path)
    (tree.path / "junk.txt").write_text("junk\n")
    trees.all.pool.ledger.write(tree.path.name, Holding(owner="b1/2/0", commit=trees.base))
    assert trees.member(2).path == tree.path
    assert git(tree.path, "status", "--porcelain") == ""


def test_a_making_that_was_cut_short_is_done_again(trees: Trees) -> None:
    trees.all.pool.ledger.write("gitsched-1", Holding(owner="b1/1/0", commit=trees.base))
    half = trees.repo / ".git/worktrees/gitsched-1"
    half.mkdir(parents=True)
    (half / "gitdir").write_text(f"{trees.all.pool.folder / 'gitsched-1'}/.git\n")
    (half / "locked").write_text("initializing\n")
    assert trees.all.owners() == {trees.all.pool.folder / "gitsched-1": "b1/1/0"}
    tree = trees.member(1)
    assert tree.path.name == "gitsched-1"
    assert trees.all.owners() == {tree.path: "b1/1/0"}


def test_a_takeover_finds_the_tree_as_it_was_left(trees: Trees, git: Git) -> None:
    tree = trees.member(1)
    (tree.path / "README.md").write_text("half done\n")
    git(tree.path, "add", "README.md")
    (tree.path / "more.txt").write_text("more\n")
    before = git(tree.path, "status", "--porcelain=v2")
    (trees.repo / ".git/worktrees" / tree.path.name / "index.lock").touch()
    (trees.repo / ".git/refs/heads/gitsched/b1/m1-i1.lock").touch()
    taken = given(trees.all.reclaim("b1/1/1", tree.path))
    assert taken == tree
    assert trees.all.owners() == {tree.path: "b1/1/1"}
    assert git(tree.path, "status", "--porcelain=v2") == before
    git(tree.path, "commit", "-q", "-m", "Go on")


def test_what_is_gone_or_given_back_cannot_be_taken_over(trees: Trees) -> None:
    tree = trees.member(1)
    trees.all.release(tree.path)
    refused(trees.all.reclaim("b1/1/1", tree.path), "tree-gone")
    refused(trees.all.reclaim("b1/1/1", trees.repo), "tree-gone")
    refused(trees.all.reclaim("b1/1/1", trees.root / "nowhere"), "tree-gone")


def test_giving_back_twice_or_what_is_gone_is_no_trouble(trees: Trees) -> None:
    tree = trees.member(1)
    assert trees.all.release(tree.path) is None
    assert trees.all.release(tree.path) is None
    assert trees.all.release(trees.root / "nowhere") is None
    assert str(trees.repo) in str(trees.all.release(trees.repo))


# -- removing


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


# -- the root


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
    assert pool.breaches(pool.look_at_checkout(), pool.look_at_checkout(), "gitsched b1/1/0") is None
    assert pool.copy_list(tree.path, [".env"]) != ()
    assert given(pool.acquire("b1/2/0", trees.base, "main")).branch == "main"
