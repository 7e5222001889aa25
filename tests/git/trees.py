"""A pool of worktrees of a small repository, as the tests of worktrees use it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gitsched.adapters.git.tree_work import GitTreeWork
from gitsched.adapters.git.worktrees import GitWorktrees
from gitsched.ports.worktrees import Tree, TreeRefused
from tests.real_git import run_git


class Trees:
    """A repository, its pool, and verbs that expect what they say."""

    def __init__(self, repo: Path, root: Path, keep: Sequence[str] = ("node_modules",), pool_size: int = 4) -> None:
        self.repo = repo
        self.root = root
        self.all = GitWorktrees(repo / ".git", root, keep=keep, pool_size=pool_size)
        self.work = GitTreeWork(self.all.pool)
        self.base = self.git("rev-parse", "HEAD")

    def git(self, *words: str | Path) -> str:
        """Run git in the user's checkout."""
        return run_git(self.repo, *words)

    def commit(self, name: str, text: str = "text\n") -> str:
        """Commit one file in the user's checkout; give the commit."""
        place = self.repo / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"Add {name}")
        return self.git("rev-parse", "HEAD")

    def member(self, index: int, commit: str | None = None) -> Tree:
        """Get a tree for a member, which is expected to work."""
        branch = f"gitsched/b1/m{index}-i{index}"
        return given(self.all.acquire(f"b1/{index}/0", commit or self.base, branch))


def given(answer: Tree | TreeRefused) -> Tree:
    """Expect a tree."""
    assert isinstance(answer, Tree), answer
    return answer


def refused(answer: Tree | TreeRefused, reason: str) -> str:
    """Expect a refusal for this reason; give its detail."""
    assert isinstance(answer, TreeRefused), answer
    assert answer.reason == reason, answer
    return answer.detail


@pytest.fixture
def trees(repo: Path, tmp_path: Path) -> Trees:
    """Give the test a pool beside its repository."""
    return Trees(repo, tmp_path / "trees")
