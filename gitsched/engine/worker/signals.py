"""Signals as events: a worker's loop waits on a pipe that becomes readable when one has come.

TERM asks for the end of the run. CHLD tells that a child may have ended. HUP and INT are nothing to a worker:
it has no terminal, and whoever presses Ctrl-C means a driver; but a job that is cancelled gets INT, and has seconds
to live. All have a handler rather than being ignored,
because a child would inherit that they are ignored.
"""

import os
import select
import signal
from types import FrameType

_HEARD = (signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP, signal.SIGINT)


class Signals:
    """The signals of this process, from now on."""

    def __init__(self, *, ends_at_int: bool = False) -> None:
        """Take them over; with `ends_at_int` INT asks for the end as well, and for a quick one."""
        self.term_asked = False
        self.is_hurried = False
        self._ends_at_int = ends_at_int
        self._reader, writer = os.pipe()
        for end in (self._reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in _HEARD:
            signal.signal(number, self._hear)

    def fileno(self) -> int:
        """Give what to wait on."""
        return self._reader

    def drain(self) -> None:
        """Take note of what has come, so that the next wait waits again."""
        try:
            while os.read(self._reader, 512):
                pass
        except BlockingIOError:
            pass

    def wait(self, timeout_s: float) -> None:
        """Sleep until a signal comes or the time is over."""
        select.select([self._reader], [], [], max(0.0, timeout_s))
        self.drain()

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self.is_hurried = self.is_hurried or (number == signal.SIGINT and self._ends_at_int)
        if number == signal.SIGTERM or self.is_hurried:
            self.term_asked = True
