"""Look at the user's checkout without leaving a trace in it, and tell a run's doing from the user's own.

No optional lock is taken, so that not even the index's stat data is refreshed (`process.py` sees to it).
"""

import os
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from gitsched.adapters.git.conversion import Conversion, version_of
from gitsched.adapters.git.process import Git, engine_git
from gitsched.adapters.git.reflog import entries, length
from gitsched.ports.worktrees import CheckoutChange, CheckoutLook

_STATUS = (
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--no-renames",
    "--no-ahead-behind",
    "--untracked-files=normal",
)
_PARTS = ("head", "index", "status")
_CONVERTED = (
    "filters, attributes or line endings in the repository's own configuration changed while the run was at work: "
    "suites would not read what the commits hold"
)


class Checkout:
    """The user's checkout, or none in a bare repository."""

    def __init__(self, folder: Path | None, common: Path) -> None:
        """Watch the checkout whose top folder this is, and the git directory that all worktrees share."""
        self.folder = folder
        self._conversion = Conversion(common)
        self._hashed: tuple[tuple[int, int, int, int] | None, str] | None = None

    def look(self) -> CheckoutLook:
        """Take HEAD, index and status as they are."""
        if self.folder is None:
            return CheckoutLook(path=None, head="", index="", status="", conversion=self._conversion.digest())
        git = engine_git(self.folder)
        told = git.run(*_STATUS).out.split(b"\0")
        headers = dict(os.fsdecode(line).removeprefix("# ").split(" ", 1) for line in told if line[:2] == b"# ")
        status = b"\0".join(line for line in told if line[:2] != b"# ")
        return CheckoutLook(
            path=str(self.folder),
            head=f"{headers['branch.head']} {headers['branch.oid']}",
            index=self._entries_hash(git),
            status=sha256(status).hexdigest(),
            reflog_bytes=length(self._reflog),
            conversion=self._conversion.digest(),
        )

    def conversion(self) -> str:
        """Name the rules by which contents become files."""
        return self._conversion.digest()

    def change(self, before: CheckoutLook, after: CheckoutLook, acts: Sequence[str]) -> CheckoutChange | None:
        """Compare two looks; git commands of the run that could have changed it make a difference a breach.

        So does what was done and undone again, as HEAD's reflog tells; and, whoever did it, a change of how contents
        become files: no suite reads what a commit holds from then on.
        """
        if before.conversion not in ("", after.conversion):
            return CheckoutChange(word="isolation-breach", parts=("conversion",), detail=_CONVERTED)
        parts = tuple(part for part in _PARTS if getattr(before, part) != getattr(after, part))
        has_moved = self.folder is not None and any(entries(self._reflog, before.reflog_bytes))
        if not parts and not (acts and has_moved):
            return None
        if acts:
            told = f"the run called `git {acts[-1]}` in '{after.path}'"
            return CheckoutChange(word="isolation-breach", parts=parts, detail=_heads(told, before, after))
        told = f"{', '.join(parts)} of '{after.path}' changed, and no trace leads to the run"
        return CheckoutChange(word="checkout-changed", parts=parts, detail=_heads(told, before, after))

    def _entries_hash(self, git: Git) -> str:
        """Hash the index's entries; they are listed again only when the file is another than at the last look."""
        version = version_of(self._index)
        if self._hashed is None or version is None or self._hashed[0] != version:
            # A change between the two is listed already and listed once more at the next look.
            self._hashed = (version, sha256(git.run("ls-files", "--stage", "-z").out).hexdigest())
        return self._hashed[1]

    @cached_property
    def _reflog(self) -> Path:
        return self._place_of("logs/HEAD")

    @cached_property
    def _index(self) -> Path:
        return self._place_of("index")

    def _place_of(self, name: str) -> Path:
        assert self.folder is not None
        return Path(engine_git(self.folder).run("rev-parse", "--path-format=absolute", "--git-path", name).text())


def _heads(told: str, before: CheckoutLook, after: CheckoutLook) -> str:
    return f"{told}; HEAD before: {before.head}, after: {after.head}"
