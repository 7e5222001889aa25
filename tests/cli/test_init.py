"""`gitsched init`: what it finds, what it writes, and what it never does."""

import os
import tomllib
from pathlib import Path

import pytest

from tests.cli.calling import call
from tests.real_git import Git
from tests.store.remotes import clone_of, make_remote, tip


def test_a_fresh_repository_gets_one_file_and_the_state(repo: Path, git: Git) -> None:
    """I-07: only gitsched.toml is written, not .gitignore nor any other tracked file."""
    (repo / "test_it.py").write_text("import pytest\n\ndef test_it(): ...\n")
    git(repo, "add", "test_it.py")
    ended = call("-C", repo, "init")
    written = tomllib.loads((repo / "gitsched.toml").read_text())
    assert ended.code == 0
    assert git(repo, "status", "--porcelain").splitlines() == ["A  test_it.py", "?? gitsched.toml"]
    assert written["project"] == {"target": "main", "forge": "local", "remote": ""}
    assert written["suite"]["report"] == "junit"
    assert git(repo, "rev-parse", "--verify", "--quiet", "refs/gitsched/state")
    assert "pytest" in ended.out


def test_a_configuration_that_is_there_is_left_alone(repo: Path, git: Git) -> None:
    """I-07: the file is not overwritten, and it says so; the state is set up all the same."""
    (repo / "gitsched.toml").write_text('# mine\n[project]\ntarget = "main"\n')
    ended = call("-C", repo, "init")
    assert (ended.code, (repo / "gitsched.toml").read_text()) == (0, '# mine\n[project]\ntarget = "main"\n')
    assert "is left as it is" in ended.out
    assert git(repo, "rev-parse", "--verify", "--quiet", "refs/gitsched/state")


def test_the_agent_on_path_is_taken(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin/gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert call("-C", repo, "init").code == 0
    assert tomllib.loads((repo / "gitsched.toml").read_text())["agents"]["default"] == "gemini"


def test_the_branch_that_is_checked_out_is_the_target(repo: Path, git: Git) -> None:
    git(repo, "checkout", "-q", "-b", "trunk")
    assert call("-C", repo, "init").code == 0
    assert tomllib.loads((repo / "gitsched.toml").read_text())["project"]["target"] == "trunk"


def test_a_detached_head_falls_back_to_main(repo: Path, git: Git) -> None:
    git(repo, "checkout", "-q", "--detach")
    assert call("-C", repo, "init").code == 0
    assert tomllib.loads((repo / "gitsched.toml").read_text())["project"]["target"] == "main"


@pytest.mark.parametrize(
    ("prepare", "arguments", "code", "word"),
    [
        ([["checkout", "-q", "--orphan", "new"], ["branch", "-q", "-D", "main"]], [], 1, "no commit"),
        ([], ["--target", "nowhere"], 2, "no such branch"),
        ([["checkout", "-q", "--detach"], ["branch", "-q", "-m", "main", "odd"]], [], 2, "detached"),
    ],
    ids=["unborn", "missing-target", "detached"],
)
def test_what_cannot_be_configured_is_said_and_nothing_is_written(
    repo: Path, git: Git, prepare: list[list[str]], arguments: list[str], code: int, word: str
) -> None:
    for words in prepare:
        git(repo, *words)
    before = git(repo, "for-each-ref")
    ended = call("-C", repo, "init", *arguments)
    assert (ended.code, ended.out, len(ended.sentences)) == (code, "", 3), ended.err
    assert word in ended.err
    assert not (repo / "gitsched.toml").exists()
    assert git(repo, "for-each-ref") == before


def test_a_forge_of_ones_own_choice_is_written_down(repo: Path) -> None:
    assert call("-C", repo, "init", "--forge", "github").code == 0
    assert tomllib.loads((repo / "gitsched.toml").read_text())["project"]["forge"] == "github"


def test_the_remote_that_is_there_shares_the_state(repo: Path, tmp_path: Path, git: Git) -> None:
    """A clone sets the state up on its origin; another clone finds it there and goes on with it."""
    remote = make_remote(tmp_path, repo)
    assert call("-C", repo, "init").code == 0
    assert tomllib.loads((repo / "gitsched.toml").read_text())["project"]["remote"] == "origin"
    assert tip(remote, "refs/gitsched/state") == tip(repo, "refs/gitsched/state") is not None
    assert call("-C", repo, "issue", "new", "--title", "Mend the roof").code == 0
    other = clone_of(remote, tmp_path / "other")
    assert call("-C", other, "init").code == 0
    assert call("-C", other, "enqueue", "1").code == 0
    assert tip(remote, "refs/gitsched/state") == tip(other, "refs/gitsched/state") != tip(repo, "refs/gitsched/state")
