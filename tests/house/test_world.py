"""The sealed world keeps its own promises."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pygit2
import pytest

from tests.real_git import Git


def test_home_and_temporary_files_are_the_tests_own(hermetic: Path) -> None:
    assert Path.home() == hermetic / "home"
    assert Path(tempfile.gettempdir()) == hermetic / "tmp"


def test_git_reads_no_configuration_but_ours(git: Git, repo: Path, hermetic: Path) -> None:
    origins = {line.split("\t")[0] for line in git(repo, "config", "--show-origin", "-l").splitlines()}
    assert origins == {f"file:{hermetic / 'home/.gitconfig'}", "file:.git/config"}


def test_libgit2_reads_the_same_configuration(repo: Path) -> None:
    assert pygit2.Repository(repo).config["user.email"] == "ada@example.org"


def test_identity_and_dates_are_fixed(git: Git, repo: Path) -> None:
    assert git(repo, "log", "-1", "--format=%an %ae %cn %aI") == (
        "Ada Author ada@example.org Carl Committer 2026-01-02T03:04:05+00:00"
    )


def test_the_repository_is_on_main_with_one_commit(git: Git, repo: Path) -> None:
    assert git(repo, "rev-list", "--count", "main") == "1"
    assert git(repo, "status", "--porcelain") == ""


def test_time_is_utc_and_text_is_utf_8() -> None:
    assert time.tzname == ("UTC", "UTC")
    assert os.environ["LC_ALL"] == "C.UTF-8"


@pytest.mark.parametrize("name", ["CI", "NO_COLOR", "GITHUB_ACTIONS", "GIT_DIR", "GITSCHED_ISSUE"])
def test_nothing_of_the_surroundings_comes_through(name: str) -> None:
    assert name not in os.environ


GUARDED = """
    import subprocess, sys
    import tests.leftovers

    tests.leftovers.ENDING_S = 0.2

    def test_leaves_one(hermetic):
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    def test_leaves_an_orphan(hermetic):
        code = "import subprocess, sys; subprocess.Popen(['sleep', '60'], start_new_session=True)"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_asks_somebody(git, repo):
        (repo / "README.md").write_text("changed")
        subprocess.run(["git", "commit", "-a"], cwd=repo)

    def test_behaves(git, repo):
        git(repo, "status")
"""


def test_the_guards_fail_the_tests_they_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process left behind, an orphan too, and a question to a person each fail their test, by name."""
    inner = tmp_path / "test_inner.py"
    inner.write_text("\n".join(line[4:] for line in GUARDED.splitlines()))
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", str(root))
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(inner),
        "-q",
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
    ]
    options = ["-p", "no:randomly", "-c", os.devnull, f"--rootdir={tmp_path}", f"--basetemp={tmp_path / 'b'}"]
    ended = subprocess.run([*command, *options, "-rA"], capture_output=True, text=True, check=False)
    told = [line for line in ended.stdout.splitlines() if line.startswith(("ERROR ", "E  "))]
    assert "4 passed, 3 errors" in ended.stdout
    assert sum("Failed: left behind:" in line for line in told) == 2
    assert sum(": sleep 60" in line for line in told) == 1
    assert sum("somebody was to be asked something" in line for line in told) == 1
