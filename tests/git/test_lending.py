"""The same owner again gets what it has; another owner takes over what is there."""

from concurrent.futures import ThreadPoolExecutor

from gitsched.adapters.git.ownership import Holding
from gitsched.ports.worktrees import Tree, TreeRefused
from tests.git.trees import Trees, given, refused, trees
from tests.real_git import Git

__all__ = ["trees"]


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


def test_two_handing_outs_of_one_branch_at_once_give_one_tree(trees: Trees) -> None:
    """The second owner is refused with the first one's tree, and its own tree is free again."""
    with ThreadPoolExecutor(2) as pool:
        owners = ("b1/1/0", "b1/1/1")
        made = list(pool.map(lambda owner: trees.all.acquire(owner, trees.base, "gitsched/b1/m1-i1"), owners))
    got = [one for one in made if isinstance(one, Tree)]
    assert len(got) == 1
    assert [one.reason for one in made if isinstance(one, TreeRefused)] == ["branch-checked-out"]
    assert list(trees.all.owners()) == [got[0].path]
