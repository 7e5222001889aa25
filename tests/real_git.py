"""The git program as tests use it, and a small real repository."""

import shutil
import subprocess
from pathlib import Path
from typing import Protocol

import pytest


class Git(Protocol):
    """Run real git in a directory and return what it printed, without the last line end."""

    def __call__(self, directory: Path, *arguments: str | Path, stdin: str = "") -> str: ...


def run_git(directory: Path, *arguments: str | Path, stdin: str = "") -> str:
    """Run one git command; a failure shows git's own words and fails the test."""
    ended = subprocess.run(
        ["git", *map(str, arguments)],
        cwd=directory,
        input=stdin.encode(),
        capture_output=True,
        check=False,
    )
    if ended.returncode:
        shown = " ".join(map(str, arguments))
        pytest.fail(f"git {shown}: exit {ended.returncode}\n{ended.stderr.decode(errors='replace')}")
    return ended.stdout.decode(errors="surrogateescape").removesuffix("\n")


@pytest.fixture
def git() -> Git:
    """Give the test `git(directory, *arguments, stdin="")`."""
    return run_git


@pytest.fixture(scope="session")
def repo_template(worlds: Path, hermetic_session: None) -> Path:
    """Make the repository that `repo` copies: copying is ten times quicker than four git calls."""
    folder = worlds / "template"
    folder.mkdir()
    run_git(folder, "init", "-q")
    (folder / "README.md").write_text("# A small project\n")
    run_git(folder, "add", "README.md")
    run_git(folder, "commit", "-q", "-m", "Begin")
    return folder


@pytest.fixture
def repo(tmp_path: Path, repo_template: Path) -> Path:
    """Give the test a real repository with one commit on main that holds README.md."""
    return Path(shutil.copytree(repo_template, tmp_path / "repo", symlinks=True))
