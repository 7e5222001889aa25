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
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            began_s = time.monotonic()
            while not (is_done() or _is_free(fd)):
                waited_s = time.monotonic() - began_s
                if waited_s > self._patience_s:
                    told = f"Another process has kept the line for {self._patience_s:g} s."
                    raise BusyError("The remote was to be asked.", told)
                Event().wait(min(max(waited_s * _PART, _SHORTEST_S), _LONGEST_S))
            yield
        finally:
            os.close(fd)  # which gives the lock back


def _is_free(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
