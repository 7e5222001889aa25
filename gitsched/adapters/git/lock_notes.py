"""Notes of which ref locks a process is about to take outside of the store's queue, for whoever comes after its death.

Each process that locks refs has a file of its own, locked for as long as it lives. The note stands in it from before
the lock is taken until after it was given back; so a note in a file that nobody holds names a lock of the dead, which
need not grow old before it is moved aside.
"""

import fcntl
import logging
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock

from gitsched.adapters.git.place import Place
from gitsched.adapters.git.ref_locks import move_aside

_FOLDER = "locking"


class LockNotes:
    """The notes of this process, for one repository."""

    def __init__(self, place: Place) -> None:
        """Write nothing before a lock is taken."""
        self._place = place
        self._folder = place.own / _FOLDER
        self._file = self._folder / f"{os.getpid()}-{os.urandom(4).hex()}"
        self._fd: int | None = None
        self._turn = RLock()

    @contextmanager
    def noted(self, *refs: str) -> Iterator[None]:
        """Have these refs noted while the body runs; threads of one process take turns at its one file."""
        with self._turn:
            file = self._opened()
            os.pwrite(file, "\n".join(refs).encode() + b"\n", 0)
            try:
                yield
            finally:
                os.ftruncate(file, 0)

    def heal(self) -> None:
        """Move the locks aside that noted processes left when they died."""
        for file in self._folder.glob("*") if self._folder.is_dir() else ():
            if file != self._file:
                self._take_over(file)

    def _opened(self) -> int:
        if self._fd is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            # It gets its name only once it is held, so that nobody takes it for a dead one's.
            fresh = self._file.with_suffix(".new")
            self._fd = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            weakref.finalize(self, os.close, self._fd)
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            fresh.rename(self._file)
        return self._fd

    def _take_over(self, file: Path) -> None:
        try:
            left = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
            *whole, _ = os.pread(left, os.fstat(left).st_size, 0).decode().split("\n")
            for ref in whole:
                move_aside(self._place, ref, 0, logging.getLogger(__name__).warning)
            file.unlink(missing_ok=True)
        except BlockingIOError:
            return  # its process lives
        finally:
            os.close(left)


@lru_cache(maxsize=16)
def lock_notes(common: Path) -> LockNotes:
    """Give the notes that this process keeps for the repository with that common git directory."""
    return LockNotes(Place(common))
