"""The line before a remote: whoever finds it free goes for all, the others look whether theirs is done."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from gitsched.errors import BusyError

_PART, _SHORTEST_S, _LONGEST_S = 0.1, 0.001, 0.05


class Line:
    """Lets one process of a clone at a time ask its remote."""

    def __init__(self, file: Path, patience_s: float) -> None:
        """Stand on a lock file; nobody waits for longer than `patience_s`."""
        self._file = file
        self._patience_s = patience_s

    @contextmanager
    def front(self, is_done: Callable[[], bool]) -> Iterator[None]:
        """Wait to be the one who goes, or until there is nothing to go for. Raises BusyError."""
        fd, began_s = self._opened(), time.monotonic()
        try:
            while not (is_done() or (take_if_free(fd) and is_still_at(fd, self._file))):
                if not is_still_at(fd, self._file):
                    os.close(fd)
                    fd = self._opened()
                waited_s = time.monotonic() - began_s
                if waited_s > self._patience_s:
                    told = f"Another process has kept the line for {self._patience_s:g} s."
                    raise BusyError("The remote was to be asked.", told)
                Event().wait(min(max(waited_s * _PART, _SHORTEST_S), _LONGEST_S))
            yield
        finally:
            os.close(fd)  # which gives the lock back

    def _opened(self) -> int:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


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
