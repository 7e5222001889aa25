"""The line before a remote: whoever finds it free goes for all, the others look whether theirs is done.

They wait in the kernel until it is free, which wakes them all: hundreds that look again and again would take the
processor from the one who goes.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from gitsched.errors import BusyError

_LONGEST_S, _AGAIN_S, _TRIES = 0.5, 0.001, 20
"""After so long one looks whether it is still the same file; how long, and how often, for what takes a moment."""


class Line:
    """Lets one process of a clone at a time ask its remote."""

    def __init__(self, file: Path, patience_s: float) -> None:
        """Stand on a lock file; nobody waits for longer than `patience_s`."""
        self._file = file
        self._patience_s = patience_s

    @contextmanager
    def front(self, is_done: Callable[[], bool]) -> Iterator[None]:
        """Wait to be the one who goes, or until there is nothing to go for. Raises BusyError."""
        fd, began_s, passage, gate = self._opened(), time.monotonic(), Passage(), None
        try:
            while not is_done():
                if take_if_free(fd) and is_still_at(fd, self._file):
                    gate = self._shut(fd)
                    break
                if not is_still_at(fd, self._file):
                    os.close(fd)
                    fd = self._opened()
                if time.monotonic() - began_s > self._patience_s:
                    told = f"Another process has kept the line for {self._patience_s:g} s."
                    raise BusyError("The remote was to be asked.", told)
                passage.wait(self._gate(_round(fd)), min(_LONGEST_S, self._patience_s))
            yield
        finally:
            if gate is not None:
                os.close(gate)
            os.close(fd)  # which gives the lock back

    def _shut(self, fd: int) -> int:
        """Begin a round at the front, and shut its gate: those who wait for its end do so there.

        The next round has another, so that whoever is woken at the end of this one does not find it shut again.
        """
        number = 1 - _round(fd)
        with suppress(OSError):  # on a full disk they are woken later
            os.pwrite(fd, b"%d" % number, 0)
        gate = os.open(self._gate(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        for _ in range(_TRIES):
            if take_if_free(gate):
                break
            Event().wait(_AGAIN_S)  # somebody is just passing
        return gate

    def _gate(self, number: int) -> Path:
        return self._file.with_name(f"{self._file.name}.{number}")

    def _opened(self) -> int:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


class Passage:
    """Waits until a gate is open, without shutting it for others."""

    def __init__(self) -> None:
        """Wait for nothing yet."""
        self._opens: Event | None = None

    def wait(self, gate: Path, longest_s: float) -> None:
        """Wait in the kernel, in a thread, because only so can the wait have an end; the next one goes on with it."""
        if self._opens is None:
            try:
                fd = os.open(gate, os.O_RDWR | os.O_CLOEXEC)
            except FileNotFoundError:
                Event().wait(_AGAIN_S)
                return
            if take_if_free(fd, fcntl.LOCK_SH):
                os.close(fd)
                Event().wait(_AGAIN_S)  # the round has just ended, or is about to begin
                return
            self._opens = Event()
            Thread(target=_see, args=(fd, self._opens), daemon=True).start()
        if self._opens.wait(longest_s):
            self._opens = None


def _see(fd: int, opens: Event) -> None:
    fcntl.flock(fd, fcntl.LOCK_SH)  # with all who wait, so nobody waits for another who waits
    os.close(fd)
    opens.set()


def _round(fd: int) -> int:
    return int(os.pread(fd, 1, 0) == b"1")


def take_if_free(fd: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Take the lock of an open file if nobody has it, and say whether it is ours now."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_still_at(fd: int, file: Path) -> bool:
    """Say whether an open file still has its name: whoever comes opens another one where somebody removed it."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(file))
    except FileNotFoundError:
        return False
