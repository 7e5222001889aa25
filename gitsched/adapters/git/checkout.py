"""Look at the user's checkout without leaving a trace in it, and tell a run's doing from the user's own.

No optional lock is taken, so that not even the index's stat data is refreshed (`process.py` sees to it).
"""

import os
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from gitsched.adapters.git.process import engine_git
from gitsched.adapters.git.reflog import entries, is_by, length
from gitsched.ports.worktrees import CheckoutChange, CheckoutLook, Reflogged

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


class Checkout:
    """The user's checkout, or none in a bare repository."""

    def __init__(self, folder: Path | None) -> None:
        """Watch the checkout whose top folder this is."""
        self.folder = folder

    def look(self) -> CheckoutLook:
        """Take HEAD, index and status as they are."""
        if self.folder is None:
            return CheckoutLook(path=None, head="", index="", status="")
        git = engine_git(self.folder)
        told = git.run(*_STATUS).out.split(b"\0")
        headers = dict(os.fsdecode(line).removeprefix("# ").split(" ", 1) for line in told if line[:2] == b"# ")
        status = b"\0".join(line for line in told if line[:2] != b"# ")
        return CheckoutLook(
            path=str(self.folder),
            head=f"{headers['branch.head']} {headers['branch.oid']}",
            index=sha256(git.run("ls-files", "--stage", "-z").out).hexdigest(),
            status=sha256(status).hexdigest(),
            reflog_bytes=length(self._reflog),
        )

    def reflog_since(self, before: CheckoutLook) -> tuple[Reflogged, ...]:
        """Read what moved HEAD since a look, oldest first."""
        return tuple(entries(self._reflog, before.reflog_bytes)) if self.folder is not None else ()

    def change(self, before: CheckoutLook, after: CheckoutLook, action: str) -> CheckoutChange | None:
        """Compare two looks; a reflog entry of the run makes the difference a breach."""
        parts = tuple(part for part in _PARTS if getattr(before, part) != getattr(after, part))
        acts = [entry for entry in self.reflog_since(before) if is_by(entry, action)]
        if not parts and not acts:
            return None
        if acts:
            told = f"the run moved HEAD of '{after.path}' ({acts[-1].message})"
            return CheckoutChange(word="isolation-breach", parts=parts, detail=_heads(told, before, after))
        told = f"{', '.join(parts)} of '{after.path}' changed, and no trace leads to the run"
        return CheckoutChange(word="checkout-changed", parts=parts, detail=_heads(told, before, after))

    @cached_property
    def _reflog(self) -> Path:
        assert self.folder is not None
        place = engine_git(self.folder).run("rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD")
        return Path(place.text())


def _heads(told: str, before: CheckoutLook, after: CheckoutLook) -> str:
    return f"{told}; HEAD before: {before.head}, after: {after.head}"
