"""Repositories of every form, and stores on them."""

from pathlib import Path

import pytest

from gitsched.adapters.store.store import GitStore
from tests.real_git import Git
from tests.store.remotes import clone_of, make_remote
from tests.store.verbs import begun


@pytest.fixture(params=["plain", "bare", "linked", "packed", "spaced"])
def form_of_repository(request: pytest.FixtureRequest, repo: Path, tmp_path: Path, git: Git) -> Path:
    """Give a repository in each of the forms that users have."""
    match request.param:
        case "bare":
            git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
            return tmp_path / "bare.git"
        case "linked":
            git(repo, "worktree", "add", "-q", "--detach", tmp_path / "linked")
            return tmp_path / "linked"
        case "packed":
            git(repo, "gc", "-q")
            return repo
        case "spaced":
            odd = tmp_path / "a 'quoted'\nüß place"
            repo.rename(odd)
            return odd
        case _:
            return repo


@pytest.fixture
def store(repo: Path) -> GitStore:
    """Give a store that was set up in a plain repository."""
    return begun(repo)


@pytest.fixture
def remote(repo: Path, tmp_path: Path) -> Path:
    """Give a bare repository that `repo` knows as origin."""
    return make_remote(tmp_path, repo)


@pytest.fixture
def other(remote: Path, tmp_path: Path) -> Path:
    """Give another clone of it."""
    return clone_of(remote, tmp_path / "other")
