"""A repository of its own for one run on another machine: only what that run needs is fetched, all else stays away."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from gitsched.adapters.git.process import Completed, engine_git
from gitsched.adapters.git.push_report import is_denied
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import GitFailedError, RefusedError

_LIMIT_S = 600.0
_WORDS = 300
_QUIETLY = ("--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no", "--quiet")
_AUTHOR = (("user.name", "gitsched"), ("user.email", "gitsched@localhost"))
REMOTE = "origin"


class Apart:
    """A bare repository with one remote."""

    def __init__(self, folder: Path, address: str) -> None:
        """Make it in an empty folder. Its git asks `gitsched credential`, which answers from the environment."""
        folder.mkdir(parents=True)
        self.common = folder
        self.git = engine_git(folder)
        self.git.run("init", "--quiet", "--bare", "--initial-branch=none", ".")
        self.git.run("remote", "add", REMOTE, address)
        self.git.run("config", "credential.helper", f"!{quote(sys.executable)} -m gitsched credential")
        for key, value in _AUTHOR:
            if not self.git.run("config", key, check=False).text():
                self.git.run("config", key, value)

    def fetch(self, *specs: str) -> Unreachable | None:
        """Bring what these refspecs name. Raises RefusedError where the remote will not have us."""
        done = self._asked("fetch", *_QUIETLY, REMOTE, *specs)
        if isinstance(done, Completed) and done.ok:
            return None
        return done if isinstance(done, Unreachable) else _unreachable(done)

    def there(self, *patterns: str) -> Mapping[str, str] | Unreachable:
        """List where the remote has the refs of these names or patterns now."""
        done = self._asked("ls-remote", "--quiet", REMOTE, *patterns)
        if isinstance(done, Unreachable):
            return done
        if not done.ok:
            return _unreachable(done)
        return {name: oid for oid, name in (line.split("\t", 1) for line in done.lines())}

    def tip(self, ref: str) -> str | None:
        """Name what a ref is at here; None when it is not there."""
        return self.git.run("rev-parse", "--verify", "--quiet", ref, check=False).text() or None

    def put(self, ref: str, oid: str) -> None:
        """Let a ref be at an object, wherever it was."""
        self.git.run("update-ref", "--no-deref", ref, oid)

    def _asked(self, verb: str, *words: str) -> Completed | Unreachable:
        try:
            return self.git.run(verb, *words, timeout_s=_LIMIT_S, check=False)
        except GitFailedError as late:
            return Unreachable(what=REMOTE, detail=late.detail)


def _unreachable(done: Completed) -> Unreachable:
    words = " ".join(done.complaint().split())[-_WORDS:]
    if is_denied(words):
        remedy = "`git fetch` by hand shows the same; whoever keeps the remote can tell who may read it."
        raise RefusedError("The remote was asked for what it has.", f"It refused: {words}", remedy)
    return Unreachable(what=REMOTE, detail=words)
