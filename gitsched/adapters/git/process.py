"""Run the git program, in an environment that we build and within a time limit.

Two flavours of the same value: `engine_git` is for the engine's own acts (no hook, no signing, no
garbage collection, no prompt can get in), `operator_git` for acts an operator asked for and would
have typed, where their hooks and signing are theirs to keep.

Git runs in a session of its own: without a terminal nothing can prompt, and the time limit ends
its helpers together with it.
"""

import os
import re
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gitsched.errors import GitFailedError

DEFAULT_TIMEOUT_S = 120.0
_AFTER_KILL_S = 5.0
_SHOWN_ERROR_CHARS = 2000
_NOT_STARTED = 127  # what a shell answers for a command that is not there

Argument = str | bytes | os.PathLike[str]

# What the user's shell says about language, editors and prompts must not change what git prints or
# make it wait for a person.
_DROPPED = frozenset({"LANG", "LANGUAGE", "EDITOR", "VISUAL", "PAGER", "LESS", "LV", "SSH_ASKPASS", "TEST_DATE_NOW"})
_BUILT = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_QUIET = (
    "-c",
    "core.pager=cat",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "advice.detachedHead=false",
    # We stand in a bare repository only where we mean it; this guards people who walk into one that was slipped in.
    "-c",
    "safe.bareRepository=all",
)
_ENGINE = (
    *_QUIET,
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "commit.gpgSign=false",
    "-c",
    "tag.gpgSign=false",
    "-c",
    "push.gpgSign=false",
    "-c",
    "rebase.updateRefs=false",
    "-c",
    "rerere.enabled=false",
)
_URL_SECRET = re.compile(rb"(://)[^/@\s]+@")


def clean_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Copy an environment without any `GIT_*` variable, for agents, checks and git itself.

    A hook or an alias that started us exports `GIT_DIR`, `GIT_INDEX_FILE` and others, which would
    point a child at the wrong repository.
    """
    return {name: value for name, value in base.items() if not name.upper().startswith("GIT_")}


@dataclass(frozen=True, slots=True)
class Completed:
    """How one git command ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def ok(self) -> bool:
        """Say whether git exited 0."""
        return self.code == 0

    def text(self) -> str:
        """Give the output without its trailing newline, undecodable bytes kept as surrogates."""
        return self.out.decode("utf-8", "surrogateescape").rstrip("\n")

    def lines(self) -> list[str]:
        """Give the output's lines: names may hold what else ends a line for Python, as U+2028 does."""
        return self.text().split("\n") if self.out.strip(b"\n") else []

    def complaint(self) -> str:
        """Give what git wrote to its error output, credentials of addresses removed."""
        return _presentable(self.err).strip()


@dataclass(frozen=True, slots=True)
class Git:
    """Know where git runs, with which options, and in which environment."""

    directory: Path
    environment: Mapping[str, str]
    options: tuple[str, ...]

    def run(
        self,
        *args: Argument,
        stdin: bytes = b"",
        timeout_s: float = DEFAULT_TIMEOUT_S,
        check: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run one git command to its end.

        `env` is added to the built environment. Raises `GitFailedError` when git cannot be
        started, when the limit is over (its whole process group has ended by then), and, with
        `check`, when it exits other than 0.
        """
        child = self.open(*args, env=env)
        try:
            out, err = child.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired as late:
            end_group(child)
            raise GitFailedError(_shown(args), None, f"it took longer than {timeout_s:g} s") from late
        except BaseException:
            end_group(child)
            raise
        done = Completed(child.returncode, out, err)
        if check and not done.ok:
            raise GitFailedError(_shown(args), done.code, done.complaint()[:_SHOWN_ERROR_CHARS])
        return done

    def open(
        self, *args: Argument, env: Mapping[str, str] | None = None, stderr: int = subprocess.PIPE
    ) -> subprocess.Popen[bytes]:
        """Start one git command and leave its pipes to the caller, who also ends it.

        Raises `GitFailedError` when git cannot be started.
        """
        try:
            return subprocess.Popen(
                ["git", *self.options, *args],
                cwd=self.directory,
                env={**self.environment, **env} if env else self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as refused:
            detail = f"it could not be started in '{self.directory}': {refused.strerror}"
            raise GitFailedError(_shown(args), _NOT_STARTED, detail) from refused

    def at(self, directory: Path) -> "Git":
        """Give the same git for another directory."""
        return Git(directory, self.environment, self.options)


def engine_git(directory: Path, extras: Mapping[str, str] | None = None) -> Git:
    """Give the git for the engine's own acts: hooks, signing and upkeep off."""
    return Git(directory, _built_environment(extras), _ENGINE)


def operator_git(directory: Path, extras: Mapping[str, str] | None = None) -> Git:
    """Give the git for an act that an operator asked for: their hooks and signing apply."""
    return Git(directory, _built_environment(extras), _QUIET)


@lru_cache(maxsize=1)
def git_version() -> tuple[int, int, int]:
    """Ask the git on the path for its version, once per process."""
    words = engine_git(Path.cwd()).run("version").text()
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", words)
    if found is None:
        raise GitFailedError("version", 0, f"'{words}' holds no version number")
    return int(found[1]), int(found[2]), int(found[3] or 0)


def _built_environment(extras: Mapping[str, str] | None) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in clean_environment(os.environ).items()
        if name not in _DROPPED and not name.startswith("LC_")
    }
    return {**inherited, **_BUILT, **(extras or {})}


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End a git child with everything it started, and do not wait on pipes that others hold open."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    try:
        child.communicate(timeout=_AFTER_KILL_S)
    except subprocess.TimeoutExpired:
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()
        child.wait()


def _shown(args: tuple[Argument, ...]) -> str:
    return _presentable(b" ".join(os.fsencode(word) for word in args))


def _presentable(raw: bytes) -> str:
    return _URL_SECRET.sub(rb"\1***@", raw).decode("utf-8", "replace")
