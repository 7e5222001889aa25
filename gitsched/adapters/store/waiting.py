"""Locks of files that are waited for in the kernel's order, and no longer than one wants to."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from weakref import finalize

from gitsched.adapters.store.line import is_still_at, take_if_free


class LockFile:
    """A file that one process at a time has locked; somebody may remove it at any time."""

    def __init__(self, file: Path) -> None:
        """Stand on a file, made when it is first wanted."""
        self._file = file
        self._line = _Line()
        self._fd: int | None = None
        self._closing: finalize[[int], LockFile]

    def opened(self) -> int:
        """Open the file; see `is_there` for whether it is still what others find."""
        if self._fd is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._closing = finalize(self, os.close, self._fd)
        return self._fd

    def is_there(self) -> bool:
        """Say whether what is open is still what others find; else it is closed, and not locked any more."""
        if self._fd is not None and not is_still_at(self._fd, self._file):
            fcntl.flock(self._fd, fcntl.LOCK_UN)  # closing alone leaves it locked where a fork has the file open too
            self._closing()
            self._fd = None
        return self._fd is not None

    def take_if_free(self) -> bool:
        """Take the lock if nobody has it, and say whether it is ours now."""
        return take_if_free(self.opened())

    def wait(self, until_s: float, every_s: float, meanwhile: Callable[[], object]) -> bool:
        """Wait to have the lock, and do something every so often; False when that took too long."""
        if self._line.is_stuck():
            return False  # it has had all our patience already
        self.is_there()
        wait, is_ours = self._line.begin(self.opened()), False
        try:
            while not (is_ours := wait.is_over(min(every_s, until_s - time.monotonic()))):
                if time.monotonic() >= until_s:
                    break
                meanwhile()
        finally:
            if not is_ours:
                self._give_up(wait)
        return is_ours

    def leave(self) -> None:
        """Let the next one have it."""
        assert self._fd is not None, "it is locked"
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _give_up(self, wait: "_Wait") -> None:
        if wait.give_up():
            self._line.leave()
            self._closing.detach()  # whoever still stands in line closes it
            self._fd = None
        else:
            self.leave()  # it has come after all


class _Wait:
    """One wait. Whoever is first, the lock or the one who gives up, decides who closes the file."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._deciding, self._pending = Lock(), Lock()
        self._pending.acquire()
        self._is_given_up = False

    def stand_in_line(self) -> None:
        """Wait in the kernel's line, without an end."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        with self._deciding:
            if self._is_given_up:
                os.close(self._fd)
            else:
                self._pending.release()

    def is_over(self, longest_s: float) -> bool:
        """Say whether the lock is ours, as soon as it is."""
        return self._pending.acquire(timeout=max(longest_s, 0.0))

    def give_up(self) -> bool:
        """Leave the open file to the line; False when the lock has come after all."""
        with self._deciding:
            self._is_given_up = self._pending.locked()
        return self._is_given_up


class _Line:
    """Stands in the kernel's lines in a thread of its own, for only so can a wait have an end."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[_Wait | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._is_left = False

    def begin(self, fd: int) -> _Wait:
        """Begin to wait."""
        if self._thread is None or not self._thread.is_alive():  # as it is after a fork
            self._asked, self._is_left = SimpleQueue(), False
            self._thread = Thread(target=_stand_in_lines, args=(self._asked,), daemon=True)
            self._thread.start()
            finalize(self, self._asked.put, None)
        wait = _Wait(fd)
        self._asked.put(wait)
        return wait

    def leave(self) -> None:
        """Have done with the thread, once it comes out of its line."""
        self._is_left = True
        self._asked.put(None)

    def is_stuck(self) -> bool:
        """Say whether it still stands in a line that was left."""
        return self._is_left and self._thread is not None and self._thread.is_alive()


def _stand_in_lines(asked: "SimpleQueue[_Wait | None]") -> None:
    while True:
        wait = asked.get()
        if wait is None:
            return
        wait.stand_in_line()
