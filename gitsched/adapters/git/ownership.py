"""Who holds which tree: one small file and one lock per tree, in the common git directory.

The file says who, and outlives every process; the lock says that somebody is at work on the tree right now, and ends
with its holder. A file that cannot be read means an unknown owner: such a tree is nobody's to take.
"""

import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from gitsched.errors import BusyError

PATIENCE_S = 15.0
"""How long somebody's work is waited for: that in a turn takes moments, and a tree that is not ready can be made."""
_FILE = ".json"
_FIRST_PAUSE_S = 0.002
_LONGEST_PAUSE_S = 0.1


class Holding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of one tree."""

    owner: str | None = None
    """The unit that holds it; None: free."""
    commit: str | None = None
    """The commit that it was, or is being, brought to."""
    is_settled: bool = False
    """Held: it was handed out. Free: it is clean at `commit`, so that the next owner need not wait."""
    log_bytes: int = 0
    """Held: how long the log of its HEAD was when this owner got it."""
    broken: str | None = None
    """Why it could not be brought in order; such a tree is never handed out."""

    @property
    def is_free(self) -> bool:
        """Say whether the pool may hand it out."""
        return self.owner is None and self.broken is None


class Lock:
    """An operating-system lock on a file, held until it is closed or its process ends."""

    def __init__(self, descriptor: int) -> None:
        """Keep what `taken` got."""
        self._descriptor: int | None = descriptor

    @classmethod
    def taken(cls, file: Path, patience_s: float = 0.0) -> Self | None:
        """Take the lock; None when another holds it, and still does after that many seconds.

        Never waits for ever: a holder that was stopped (STOP) lives, and does not go on.
        """
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        until_s, pause_s = time.monotonic() + patience_s, _FIRST_PAUSE_S
        try:
            while not _is_locked(descriptor):
                if time.monotonic() >= until_s:
                    os.close(descriptor)
                    return None
                threading.Event().wait(pause_s)
                pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def close(self) -> None:
        """Give the lock back; a second call changes nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Ledger:
    """The files and locks of all trees of one repository."""

    def __init__(self, common: Path, patience_s: float = PATIENCE_S) -> None:
        """Keep them in the common git directory, which every worktree and every driver shares."""
        self._folder: Final = common / "gitsched" / "trees"
        self._patience_s: Final = patience_s

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the repository's one turn for choosing, making and giving back trees.

        Raises BusyError when somebody keeps it for longer than that work can take.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = Lock.taken(self._folder / "turn", self._patience_s)
        if lock is None:
            raise BusyError(
                "A worktree was to be chosen.",
                f"Another process has kept '{self._folder / 'turn'}' for {self._patience_s:g} s.",
                "A driver that was stopped (STOP) keeps it until it goes on or is killed: see `gitsched doctor`.",
            )
        with lock:
            yield

    def names(self) -> tuple[str, ...]:
        """List the trees that have a file, in the order of their numbers."""
        found = [file.stem for file in self._folder.glob(f"*{_FILE}")]
        return tuple(sorted(found, key=lambda name: (len(name), name)))

    def read(self, name: str) -> Holding | None:
        """Tell who holds a tree; None when that cannot be told."""
        try:
            return msgspec.json.decode((self._folder / f"{name}{_FILE}").read_bytes(), type=Holding)
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, name: str, holding: Holding) -> None:
        """Record who holds a tree, durably: after a power cut no tree may look free that was handed out."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / f"{name}{_FILE}"
        fresh = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}.new")
        try:
            with fresh.open("wb") as out:
                out.write(msgspec.json.encode(holding))
                out.flush()
                os.fsync(out.fileno())
            fresh.replace(file)
        except OSError:  # such as a full disk, which is to get no fuller
            fresh.unlink(missing_ok=True)
            raise
        _sync(self._folder)

    def drop(self, name: str) -> None:
        """Forget a tree that is gone; only while holding the turn."""
        for suffix in (_FILE, ".turn", ".copied"):
            (self._folder / f"{name}{suffix}").unlink(missing_ok=True)

    def lock(self, name: str, patience_s: float = 0.0) -> Lock | None:
        """Take the lock of one tree; None when somebody is at work on it, and still is after that many seconds."""
        return Lock.taken(self._folder / f"{name}.turn", patience_s)

    def copied(self, name: str) -> frozenset[str]:
        """List what was copied into a tree from the user's checkout."""
        try:
            return frozenset(json.loads((self._folder / f"{name}.copied").read_bytes()))
        except (OSError, ValueError):
            return frozenset()

    def note_copied(self, name: str, paths: frozenset[str]) -> None:
        """Remember what was copied into a tree."""
        (self._folder / f"{name}.copied").write_bytes(json.dumps(sorted(paths)).encode())


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
