"""The environment that git is run in, and its end."""

import os
from pathlib import Path

import pytest

from gitsched.adapters.git.process import clean_environment, engine_git, git_version, operator_git
from gitsched.errors import GitFailedError

HOSTILE = {
    "GIT_DIR": "/nowhere",
    "GIT_INDEX_FILE": "/nowhere",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.bare",
    "GIT_CONFIG_VALUE_0": "true",
    "GIT_EXTERNAL_DIFF": "false",
    "GIT_TRACE": "1",
    "LC_ALL": "de_DE.UTF-8",
    "LANGUAGE": "de",
    "GIT_EDITOR": "false",
    "SSH_ASKPASS": "/nowhere",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_inherited(repo: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of the caller's does not reach git, each by itself."""
    for variable, value in HOSTILE.items():
        monkeypatch.setenv(variable, value)
    seen = engine_git(repo).run("-c", "alias.seen=!env", "seen").text().split("\n")
    assert f"{name}={HOSTILE[name]}" not in seen


def test_git_works_whatever_the_caller_exported(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started from a hook, git looks at our directory and speaks English without a trace."""
    for variable, value in HOSTILE.items():
        monkeypatch.setenv(variable, value)
    assert engine_git(repo).run("log", "--format=%s").text() == "Begin"
    done = engine_git(repo).run("log", "nothing", check=False)
    assert done.complaint().startswith("fatal: ambiguous argument")


def test_home_and_path_are_kept(repo: Path) -> None:
    """What an operator configured still holds."""
    git = engine_git(repo, {"GIT_AUTHOR_NAME": "Given"})
    assert git.environment["HOME"] == os.environ["HOME"]
    assert git.environment["PATH"] == os.environ["PATH"]
    assert git.environment["GIT_AUTHOR_NAME"] == "Given"
    assert clean_environment({"GIT_X": "1", "git_y": "2", "HOME": "h"}) == {"HOME": "h"}


def test_hooks_are_for_operators_acts(repo: Path) -> None:
    """L-37: a hook runs for what an operator asked for, never for our own acts."""
    hook = repo / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    update = ("update-ref", "refs/heads/other", "HEAD")
    assert not operator_git(repo).run(*update, check=False).ok
    assert engine_git(repo).run(*update, check=False).ok


def test_a_time_limit_ends_the_whole_group(repo: Path) -> None:
    """A command past its limit is gone with what it started, also what holds its output."""
    with pytest.raises(GitFailedError) as late:
        engine_git(repo).run("-c", "alias.wait=!sleep 60 & sleep 60", "wait", timeout_s=0.2)
    assert late.value.code is None


def test_failures_tell_git_words_without_secrets(repo: Path) -> None:
    """A failed command raises with code and words; an address loses its credentials."""
    with pytest.raises(GitFailedError) as failed:
        engine_git(repo).run("fetch", "file://user:secret@/nowhere")
    assert failed.value.code == 128
    assert "secret" not in str(failed.value)
    with pytest.raises(GitFailedError, match="could not be started"):
        engine_git(repo / "missing").run("version")


def test_version_is_known() -> None:
    """The git on the path says a version of three numbers."""
    assert git_version() >= (2, 38, 0)
