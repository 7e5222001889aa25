"""Waking drivers without polling: each one that waits owns a named pipe, and whoever has news writes a byte.

A pipe whose driver is gone has no reader; the next one who wakes finds that out and removes it. Nothing here
is the truth about anything: a lost wake-up costs a wait, never a result.
"""

import errno
import os
import select
from contextlib import suppress
from pathlib import Path

_FOLDER = "gitsched/wake"
_SUFFIX = ".fifo"
_DRAIN_BYTES = 65_536


class FifoWaker:
    """Waits on a pipe of its own. A wake-up that comes before the wait is kept."""

    def __init__(self, common: Path) -> None:
        """Make the pipe below the common git directory; it exists until `close`."""
        folder = common / _FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{os.getpid()}-{os.urandom(4).hex()}"
        self._path = folder / f"{name}{_SUFFIX}"
        made = folder / f"{name}.new"
        os.mkfifo(made, 0o600)
        # Read and write: with a writer of its own the pipe is never at its end. It gets its name only
        # once it has a reader, so nobody takes it for a dead driver's.
        self._pipe = os.open(made, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        made.rename(self._path)

    def wait(self, timeout_s: float) -> bool:
        """Sleep until woken or until the limit; say whether it was woken. Wake-ups that came before count."""
        readable, _, _ = select.select([self._pipe], [], [], max(0.0, timeout_s))
        if not readable:
            return False
        while len(self._drained()) == _DRAIN_BYTES:
            pass
        return True

    def wake(self) -> None:
        """Wake this very waiter, also from a signal handler."""
        with suppress(BlockingIOError):  # full: it will wake anyway
            os.write(self._pipe, b"!")

    def close(self) -> None:
        """Give the pipe back; closing again changes nothing."""
        if self._pipe >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._pipe)
            self._pipe = -1

    def _drained(self) -> bytes:
        try:
            return os.read(self._pipe, _DRAIN_BYTES)
        except BlockingIOError:
            return b""


def wake_all(common: Path) -> None:
    """Wake every driver of this clone that waits, and remove the pipes of those that are gone."""
    try:
        names = os.listdir(common / _FOLDER)
    except FileNotFoundError:
        return
    for name in names:
        if name.endswith(_SUFFIX):
            _wake(common / _FOLDER / name)


def _wake(path: Path) -> None:
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # its driver has just gone
    except OSError as refused:
        if refused.errno == errno.ENXIO:
            path.unlink(missing_ok=True)
        return
    try:
        os.write(pipe, b"!")
    except (BlockingIOError, BrokenPipeError):
        pass  # full: it will wake anyway; or it ends right now
    finally:
        os.close(pipe)
