"""Fetching beside somebody who makes a worktree, and in a clone whose configuration git cannot read."""

import os
from pathlib import Path
from threading import Timer

import pytest

from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.git.remote import Remote
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import ConfigError, RefusedError
from tests.real_git import Git
from tests.store.remotes import make_remote

ZEROS = "0" * 40


@pytest.fixture
def begun(repo: Path, tmp_path: Path, git: Git) -> Path:
    """Give the HEAD of a tree of ours as git has it in the middle of making one, in a clone with news to fetch."""
    remote = make_remote(tmp_path, repo)
    git(remote, "update-ref", "refs/heads/gitsched/b1/x", git(remote, "commit-tree", "-m", "x", "HEAD^{tree}"))
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "gitsched-1", "HEAD")
    head = repo / ".git/worktrees/gitsched-1/HEAD"
    head.write_text(f"{ZEROS}\n")
    return head


def test_a_tree_that_is_just_being_made_is_waited_for(repo: Path, begun: Path, git: Git) -> None:
    finished = Timer(0.3, begun.write_text, [git(repo, "rev-parse", "HEAD") + "\n"])
    finished.start()
    assert Remote(repo / ".git", "origin", "main").fetch() is None
    finished.join()
    assert begun.exists()


def test_one_that_nobody_finishes_is_taken_off_the_list(repo: Path, begun: Path) -> None:
    os.utime(begun, (1, 1))
    assert Remote(repo / ".git", "origin", "main").fetch() is None
    assert not begun.exists()


def test_one_that_is_not_ours_is_named_and_left(repo: Path, begun: Path) -> None:
    begun.parent.rename(begun.parent.with_name("theirs"))
    head = begun.parent.with_name("theirs") / "HEAD"
    os.utime(head, (1, 1))
    away = Remote(repo / ".git", "origin", "main").fetch()
    assert isinstance(away, Unreachable)
    assert "worktrees/theirs/HEAD" in away.detail
    assert head.exists()


def test_a_configuration_that_git_cannot_read_is_named(repo: Path, tmp_path: Path) -> None:
    make_remote(tmp_path, repo)
    with (repo / ".git/config").open("a") as config:
        config.write("[broken\n")
    with pytest.raises(ConfigError, match="bad config line"):
        _ = Remote(repo / ".git", "origin", "main").address
    with pytest.raises(RefusedError, match="parse config file") as refused:
        open_repository(repo)
    assert refused.value.remedy.startswith("Mend that line")
