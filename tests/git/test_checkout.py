"""The user's checkout is looked at without a trace, and a run's doing is told from the user's own."""

import os
import subprocess
from pathlib import Path

from gitsched.ports.worktrees import CheckoutLook
from tests.git.trees import Trees, trees

__all__ = ["trees"]

ACTS = ("commit",)


def commit(repo: Path) -> None:
    """Commit in a checkout."""
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "Foreign"], cwd=repo, check=True)


def parts(trees: Trees, before: CheckoutLook, *acts: str) -> tuple[str, tuple[str, ...]] | None:
    change = trees.all.breaches(before, trees.all.look_at_checkout(), acts)
    return (change.word, change.parts) if change else None


def test_a_look_leaves_no_trace(trees: Trees) -> None:
    """Not even stat data of the index is refreshed."""
    os.utime(trees.repo / "README.md", (1, 1))
    files = {path: path.stat().st_mtime_ns for path in (trees.repo / ".git").rglob("*")}
    before = trees.all.look_at_checkout()
    assert {path: path.stat().st_mtime_ns for path in (trees.repo / ".git").rglob("*")} == files
    assert trees.all.breaches(before, trees.all.look_at_checkout(), ACTS) is None


def test_a_commit_of_the_run_is_a_breach_that_names_both_heads(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit(trees.repo)
    head = trees.git("rev-parse", "HEAD")
    change = trees.all.breaches(before, trees.all.look_at_checkout(), ACTS)
    assert change is not None
    assert (change.word, change.parts) == ("isolation-breach", ("head",))
    assert f"main {trees.base}" in change.detail
    assert f"main {head}" in change.detail
    assert "`git commit`" in change.detail


def test_a_commit_of_somebody_else_is_a_change(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit(trees.repo)
    assert parts(trees, before) == ("checkout-changed", ("head",))


def test_a_command_that_changed_nothing_is_no_breach(trees: Trees) -> None:
    assert parts(trees, trees.all.look_at_checkout(), "stash") is None


def test_what_a_run_did_and_undid_is_a_breach_still(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit(trees.repo)
    trees.git("reset", "-q", "--hard", trees.base)
    assert parts(trees, before, *ACTS) == ("isolation-breach", ())


def test_a_reflog_that_was_cut_meanwhile_counts_whole(trees: Trees) -> None:
    before = trees.all.look_at_checkout()
    commit(trees.repo)
    (trees.repo / ".git/logs/HEAD").write_bytes((trees.repo / ".git/logs/HEAD").read_bytes().split(b"\n")[1] + b"\n")
    trees.git("reset", "-q", "--soft", trees.base)
    assert parts(trees, before, *ACTS) == ("isolation-breach", ())
    (trees.repo / ".git/logs/HEAD").unlink()
    assert parts(trees, before, *ACTS) is None


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
    watched = Checkout(other, trees.repo / ".git")
    before = watched.look()
    commit(other)
    change = watched.change(before, watched.look(), ACTS)
    assert change is not None
    assert change.word == "isolation-breach"
    assert str(other) in change.detail


def test_whoever_changes_how_contents_become_files_breaks_out(trees: Trees) -> None:
    """A filter in the shared configuration would let a suite read what no commit holds."""
    before = trees.all.look_at_checkout()
    trees.git("config", "branch.main.remote", "origin")
    assert parts(trees, before) is None
    trees.git("config", "filter.swap.smudge", "sed s/bad/good/")
    assert parts(trees, before) == ("isolation-breach", ("conversion",))
    included = trees.repo / ".git/more"
    included.write_text("")
    trees.git("config", "include.path", str(included))
    before = trees.all.look_at_checkout()
    included.write_text("[core]\n\tautocrlf = true\n")
    assert parts(trees, before) == ("isolation-breach", ("conversion",))
    trees.git("config", "--unset", "include.path")
    before = trees.all.look_at_checkout()
    (trees.repo / ".git/info").mkdir(exist_ok=True)
    (trees.repo / ".git/info/attributes").write_text("*.py filter=swap\n")
    assert parts(trees, before) == ("isolation-breach", ("conversion",))
