"""The user's checkout is looked at without a trace, and a run's doing is told from the user's own."""

import os
import subprocess
from pathlib import Path

import pytest

from gitsched.ports.worktrees import CheckoutLook
from tests.git.trees import Trees, trees

__all__ = ["trees"]

ACTION = "gitsched b1/1/0"


def commit_as(repo: Path, action: str | None) -> None:
    """Commit in a checkout, under a `GIT_REFLOG_ACTION` where one is given."""
    env = {**os.environ, **({"GIT_REFLOG_ACTION": action} if action else {})}
    words = ["git", "commit", "-q", "--allow-empty", "-m", "Foreign"]
    subprocess.run(words, cwd=repo, env=env, check=True)


def parts(trees: Trees, before: CheckoutLook) -> tuple[str, tuple[str, ...]] | None:
    change = trees.all.breaches(before, trees.all.look_at_checkout(), ACTION)
    return (change.word, change.parts) if change else None


def test_a_look_leaves_no_trace(trees: Trees) -> None:
    """Not even stat data of the index is refreshed."""
    os.utime(trees.repo / "README.md", (1, 1))
    files = {path: path.stat().st_mtime_ns for path in (trees.repo / ".git").rglob("*")}
    before = trees.all.look_at_checkout()
    assert {path: path.stat().st_mtime_ns for path in (trees.repo / ".git").rglob("*")} == files
    assert trees.all.breaches(before, trees.all.look_at_checkout(), ACTION) is None


def test_a_commit_of_the_run_is_a_breach_that_names_both_heads(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit_as(trees.repo, ACTION)
    head = trees.git("rev-parse", "HEAD")
    change = trees.all.breaches(before, trees.all.look_at_checkout(), ACTION)
    assert change is not None
    assert (change.word, change.parts) == ("isolation-breach", ("head",))
    assert f"main {trees.base}" in change.detail
    assert f"main {head}" in change.detail
    assert [entry.new for entry in trees.all.reflog_actions_since(before)] == [head]


@pytest.mark.parametrize("action", [None, "gitsched b1/1/01", "gitsched b1/2/0", "rebase"])
def test_a_commit_of_the_user_or_of_another_run_is_a_change(trees: Trees, action: str | None) -> None:
    before = trees.all.look_at_checkout()
    commit_as(trees.repo, action)
    assert parts(trees, before) == ("checkout-changed", ("head",))


def test_what_a_run_did_and_undid_is_a_breach_still(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit_as(trees.repo, ACTION)
    trees.git("reset", "-q", "--hard", trees.base)
    assert parts(trees, before) == ("isolation-breach", ())


def test_what_a_run_did_before_the_look_does_not_count(trees: Trees) -> None:
    commit_as(trees.repo, ACTION)
    before = trees.all.look_at_checkout()
    assert parts(trees, before) is None
    commit_as(trees.repo, None)
    assert parts(trees, before) == ("checkout-changed", ("head",))


def test_a_reflog_that_was_cut_meanwhile_counts_whole(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit_as(trees.repo, ACTION)
    (trees.repo / ".git/logs/HEAD").write_bytes((trees.repo / ".git/logs/HEAD").read_bytes().split(b"\n")[1] + b"\n")
    assert parts(trees, before) == ("isolation-breach", ("head",))
    (trees.repo / ".git/logs/HEAD").unlink()
    assert parts(trees, before) == ("checkout-changed", ("head",))


def test_each_part_is_told_by_its_name(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    (trees.repo / "README.md").write_text("changed\n")
    assert parts(trees, before) == ("checkout-changed", ("status",))
    trees.git("add", "README.md")
    assert parts(trees, before) == ("checkout-changed", ("index", "status"))
    trees.git("checkout", "-q", "-b", "other")
    assert parts(trees, before) == ("checkout-changed", ("head", "index", "status"))


def test_a_checkout_elsewhere_is_watched_when_it_is_said(trees: Trees, tmp_path: Path) -> None:
    from gitsched.adapters.git.checkout import Checkout

    other = tmp_path / "other"
    trees.git("worktree", "add", "-q", "-b", "topic", other)
    watched = Checkout(other)
    before = watched.look()
    commit_as(other, ACTION)
    change = watched.change(before, watched.look(), ACTION)
    assert change is not None
    assert change.word == "isolation-breach"
    assert str(other) in change.detail
