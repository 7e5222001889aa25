"""Waking drivers without polling: each one that waits owns a named pipe, and whoever has news writes a byte.

A pipe whose driver is gone has no reader; the next one who wakes finds that out and removes it. Nothing here
is the truth about anything: a lost wake-up costs a wait, never a result.
"""

import errno
import os
import select
import sys
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path

from gitsched.domain.runs import ProcessName
from gitsched.domain.words import Liveness
from gitsched.ports.runner import Processes

_FOLDER = "gitsched/wake"
_SUFFIX = ".fifo"
_DRAIN_BYTES = 65_536
_LOOK_AGAIN_S = 2.0
"""How long a wait for the end of processes lasts at most where the kernel cannot tell of it."""


class FifoWaker:
    """Waits on a pipe of its own. A wake-up that comes before the wait is kept."""

    def __init__(self, common: Path, processes: Processes) -> None:
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
        self._processes = processes

    def wait(self, timeout_s: float, ends_of: Iterable[ProcessName] = ()) -> bool:
        """Sleep until woken, until one of these processes has ended, or until the limit; False: it was the limit.

        Wake-ups that came before count; so does an end before the wait.
        """
        with ExitStack() as opened:
            ends, limit_s = [], max(0.0, timeout_s)
            for process in ends_of:
                if self._processes.liveness(process) is Liveness.UNKNOWN:
                    continue
                end = _end_of(process.pid)
                if end is not None:
                    opened.callback(os.close, end)
                    ends.append(end)
                # Asked after it was opened, so that it is not another one with the same number.
                if self._processes.liveness(process) is Liveness.GONE:
                    return True
                if end is None:
                    limit_s = min(limit_s, _LOOK_AGAIN_S)
            readable = _readable([self._pipe, *ends], limit_s)
        if self._pipe in readable:
            while len(self._drained()) == _DRAIN_BYTES:
                pass
        return bool(readable)

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


def _end_of(pid: int) -> int | None:
    """Open what becomes readable when a process ends; None where there is no such thing, or no such process."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _readable(files: list[int], limit_s: float) -> set[int]:
    """Wait for files to read from; poll, because select knows no numbers beyond 1023."""
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    return {file for file, _ in poll.poll(limit_s * 1000)}


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
