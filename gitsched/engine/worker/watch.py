"""Follow a started command: take its output, hold its limits, end it when it is told to."""

import os
import selectors
import signal
import subprocess
from typing import TYPE_CHECKING

from gitsched.domain.costs import AGENT_MS, REPORTED, WORDS
from gitsched.domain.runs import RunOrder
from gitsched.engine.worker.child import reap_orphans, signal_group
from gitsched.engine.worker.output import Output
from gitsched.engine.worker.signals import Signals
from gitsched.engine.worker.tools import Tools

if TYPE_CHECKING:
    from gitsched.codec.usage.meter import Meter

_CHUNK_BYTES = 65_536
_LONGEST_WAIT_S = 86_400.0  # the system counts waits in milliseconds, in 32 bits
HURRIED_S = 2.0
"""What is left to an agent whose job is cancelled: a runner kills it some seconds later."""
_LAST_CHUNKS = 64
"""How much is read after the command has ended: what its pipe holds, not what somebody goes on writing."""


class Watch:
    """One command from its start to its end."""

    def __init__(
        self, order: RunOrder, child: "subprocess.Popen[bytes]", output: Output, signals: Signals, tools: Tools
    ) -> None:
        """Follow `child`, which has just been started."""
        assert child.stdout is not None
        self._order = order
        self._child = child
        self._pipe = child.stdout.fileno()
        self._output = output
        self._signals = signals
        self._tools = tools
        self._meter = _meter_of(order)
        cap_s = order.caps.get(AGENT_MS, order.timeout_s * 1000 + 1) / 1000
        self._deadline_s = tools.clock.monotonic_s() + min(order.timeout_s, cap_s)
        self._is_capped = cap_s <= order.timeout_s
        self._kill_at_s: float | None = None
        self._is_empty = False
        self.timed_out = False
        self.used_up: str | None = None
        """The budget of this one run that it has used up: `run.tokens`."""
        os.set_blocking(self._pipe, False)

    def follow(self) -> None:
        """Wait until the command itself has ended, however long others hold its output open.

        The limit is counted on a clock that stands still while the machine sleeps.
        """
        with selectors.DefaultSelector() as events:
            events.register(self._signals, selectors.EVENT_READ)
            events.register(self._pipe, selectors.EVENT_READ)
            while self._child.poll() is None:
                self._enforce()
                for key, _ in events.select(self._wait_s()):
                    if key.fileobj is self._signals:
                        self._signals.drain()
                        reap_orphans(self._child)
                    elif not self._read():
                        events.unregister(self._pipe)

    def read_rest(self) -> None:
        """Take what the pipe still holds, without waiting for its end."""
        for _ in range(_LAST_CHUNKS):
            if not self._read() or self._is_empty:
                return

    def _read(self) -> bool:
        """Take a chunk; False at the end of the output."""
        self._is_empty = False
        try:
            chunk = os.read(self._pipe, _CHUNK_BYTES)
        except BlockingIOError:
            self._is_empty = True
            return True
        self._output.feed(chunk, self._tools.clock.monotonic_s())
        over = self._meter.feed(chunk) if self._meter is not None else None
        self.used_up = self.used_up or (f"run.{WORDS[over]}" if over is not None else None)
        return bool(chunk)

    def _wait_s(self) -> float:
        until_s = self._deadline_s if self._kill_at_s is None else self._kill_at_s
        return min(max(0.0, until_s - self._tools.clock.monotonic_s()), _LONGEST_WAIT_S)

    def _enforce(self) -> None:
        """Ask the group to end when time is up or somebody wants it to, and kill it when it does not."""
        now_s = self._tools.clock.monotonic_s()
        if self._kill_at_s is None:
            if now_s >= self._deadline_s and self._is_capped:
                self.used_up = self.used_up or f"run.{WORDS[AGENT_MS]}"
            self.timed_out = now_s >= self._deadline_s and not self._is_capped
            if self.timed_out or self.used_up or self._signals.term_asked:
                grace_s = self._order.kill_grace_s
                self._kill_at_s = now_s + (min(grace_s, HURRIED_S) if self._signals.is_hurried else grace_s)
                signal_group(self._child, signal.SIGTERM)
        elif now_s >= self._kill_at_s:
            self._kill_at_s = float("inf")
            signal_group(self._child, signal.SIGKILL)


def _meter_of(order: RunOrder) -> "Meter | None":
    """Make the meter of a run that is capped; no other run's start waits for it to be loaded."""
    caps = {kind: cap for kind, cap in order.caps.items() if kind in REPORTED}
    if not caps:
        return None
    from gitsched.codec.usage.meter import Meter

    return Meter(order.usage, caps)
