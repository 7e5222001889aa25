"""The line before a remote: whoever finds it free goes for all, the others look whether theirs is done.

They wait in the kernel until it is free, which wakes them all: hundreds that look again and again would take the
processor from the one who goes.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from gitsched.errors import BusyError

_LONGEST_S = 0.5
"""After so long one looks whether it is still the same file."""


class Line:
    """Lets one process of a clone at a time ask its remote."""

    def __init__(self, file: Path, patience_s: float) -> None:
        """Stand on a lock file; nobody waits for longer than `patience_s`."""
        self._file = file
        self._patience_s = patience_s

    @contextmanager
    def front(self, is_done: Callable[[], bool]) -> Iterator[None]:
        """Wait to be the one who goes, or until there is nothing to go for. Raises BusyError."""
        fd, began_s, freed = self._opened(), time.monotonic(), Freed(self._file)
        try:
            while not (is_done() or (take_if_free(fd) and is_still_at(fd, self._file))):
                if not is_still_at(fd, self._file):
                    os.close(fd)
                    fd = self._opened()
                waited_s = time.monotonic() - began_s
                if waited_s > self._patience_s:
                    told = f"Another process has kept the line for {self._patience_s:g} s."
                    raise BusyError("The remote was to be asked.", told)
                freed.wait(min(_LONGEST_S, self._patience_s))
            yield
        finally:
            os.close(fd)  # which gives the lock back

    def _opened(self) -> int:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


class Freed:
    """Waits until nobody has a lock, without taking it from those who want it."""

    def __init__(self, file: Path) -> None:
        """Stand on a lock file, which is there."""
        self._file = file
        self._waiting: Event | None = None

    def wait(self, longest_s: float) -> None:
        """Wait in the kernel, in a thread, because only so can the wait have an end; the next one goes on with it."""
        if self._waiting is None:
            try:
                fd = os.open(self._file, os.O_RDWR | os.O_CLOEXEC)
            except FileNotFoundError:
                return
            self._waiting = Event()
            Thread(target=_see, args=(fd, self._waiting), daemon=True).start()
        if self._waiting.wait(longest_s):
            self._waiting = None


def _see(fd: int, freed: Event) -> None:
    fcntl.flock(fd, fcntl.LOCK_SH)  # with all who wait, so nobody waits for another who waits
    os.close(fd)
    freed.set()


def take_if_free(fd: int) -> bool:
    """Take the lock of an open file if nobody has it, and say whether it is ours now."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_still_at(fd: int, file: Path) -> bool:
    """Say whether an open file still has its name: whoever comes opens another one where somebody removed it."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(file))
    except FileNotFoundError:
        return False
