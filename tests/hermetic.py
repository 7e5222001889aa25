"""The world that every test lives in: home, configuration, identity, dates, locale, all of our own."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada Author",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+00:00",
    "GIT_COMMITTER_NAME": "Carl Committer",
    "GIT_COMMITTER_EMAIL": "carl@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00",
}
GIT_CONFIG = """\
[user]
\tname = Ada Author
\temail = ada@example.org
[init]
\tdefaultBranch = main
[protocol "file"]
\tallow = always
"""
# What a CI system, a terminal or an operator may have set, and no test may notice.
FOREIGN_PREFIXES = ("GIT_", "GITSCHED_", "GITHUB_", "GITLAB_", "RUNNER_", "XDG_", "LC_", "SSH_")
FOREIGN = (
    *("CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "FORCE_COLOR", "NO_COLOR", "LANGUAGE", "EMAIL"),
    *("BROWSER", "LESS", "TERM_PROGRAM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
)
# The programs that git or we might start to ask a person something.
PROMPTS = (
    *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL"),
    *("GIT_ASKPASS", "SSH_ASKPASS", "GIT_PAGER", "PAGER"),
)
PROMPTED = "prompted"


def apply(patch: pytest.MonkeyPatch, root: Path) -> None:
    """Point this process, and what it starts, at a home and a configuration under `root`."""
    home, temporary = root / "home", root / "tmp"
    for folder in (home, temporary):
        folder.mkdir(parents=True)
    (home / ".gitconfig").write_text(GIT_CONFIG)
    for name in [name for name in os.environ if name.startswith(FOREIGN_PREFIXES) or name in FOREIGN]:
        patch.delenv(name)
    for name, value in (_environment(home, temporary) | _prompts(root)).items():
        patch.setenv(name, value)
    time.tzset()
    patch.setattr(tempfile, "tempdir", None)
    _point_libgit2_at(home)


def _environment(home: Path, temporary: Path) -> dict[str, str]:
    return {
        **IDENTITY,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_RUNTIME_DIR": str(temporary),
        "TMPDIR": str(temporary),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_TERMINAL_PROMPT": "0",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "100",
        "LINES": "40",
    }


def _prompts(root: Path) -> dict[str, str]:
    """Return the variables that name one program, which leaves a mark beside HOME and fails."""
    program = root.parent / "unexpected-prompt"
    if not program.exists():
        program.write_text(f'#!/bin/sh\necho "$0 $*" >>"${{HOME%/home}}/{PROMPTED}"\nexit 1\n')
        program.chmod(0o755)
    return dict.fromkeys(PROMPTS, str(program))


def _point_libgit2_at(home: Path) -> None:
    """Tell an already loaded libgit2 where home is: it reads the environment once, at its start."""
    if "pygit2" in sys.modules:
        import pygit2

        levels = pygit2.enums.ConfigLevel
        pygit2.settings.search_path[levels.SYSTEM] = str(home / "no-system")
        pygit2.settings.search_path[levels.XDG] = str(home / ".config/git")
        pygit2.settings.search_path[levels.GLOBAL] = str(home)


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hold one folder per test; paths stay short enough for sockets."""
    return tmp_path_factory.mktemp("w")


@pytest.fixture(scope="session", autouse=True)
def hermetic_session(worlds: Path) -> Iterator[None]:
    """Seal what session fixtures do, before any test has a world of its own."""
    with pytest.MonkeyPatch.context() as patch:
        apply(patch, worlds / "session")
        yield


@pytest.fixture(autouse=True)
def hermetic(worlds: Path, hermetic_session: None) -> Iterator[Path]:
    """Give each test a world of its own and fail it if anything asked a person for input."""
    root = Path(tempfile.mkdtemp(dir=worlds))
    with pytest.MonkeyPatch.context() as patch:
        apply(patch, root)
        yield root
    asked = root / PROMPTED
    questions = asked.read_text() if asked.exists() else ""
    shutil.rmtree(root, ignore_errors=True)
    if questions:
        pytest.fail(f"somebody was to be asked something:\n{questions}")
