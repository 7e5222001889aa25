"""What a command leaves behind when it has ended: the rest of its group, and what left the group."""

import os
import signal
import subprocess
from collections.abc import Iterable

from gitsched.domain.runs import ProcessName
from gitsched.engine.worker.child import has_children, reap_orphans, signal_one
from gitsched.engine.worker.signals import Signals
from gitsched.engine.worker.tools import Tools

_GROUP_GRACE_S = 0.5
_SURVIVOR_GRACE_S = 2.0
_LOOK_EVERY_S = 0.05
"""Where no signal tells of an end, because it is nobody's child of ours."""

Named = tuple[ProcessName, str]


class Remains:
    """The processes of one run after its command has ended."""

    def __init__(self, child: "subprocess.Popen[bytes]", signals: Signals, tools: Tools) -> None:
        """Look at the run of `child`, which has been reaped."""
        self._child = child
        self._signals = signals
        self._tools = tools

    def end_group(self) -> tuple[Named, ...]:
        """End the rest of the command's group and give what lives outside it.

        With nothing left, which an adopting parent knows at once, this costs nothing.
        """
        reap_orphans(self._child)
        if hasattr(os, "waitid") and not has_children():
            return ()
        # By descent, and by the mark for those that had no parent left where nobody adopts.
        found = dict((*self._tools.processes.descendants(), *self._tools.processes.of_run(self._tools.mark)))
        inside = [process for process in found if _group_of(process.pid) == self._child.pid]
        self._end(inside, _GROUP_GRACE_S)
        return tuple(named for named in found.items() if named[0] not in inside)

    def end_survivors(self, survivors: Iterable[Named]) -> None:
        """End what left the group, so that nothing works on in a tree that goes to others."""
        self._end([process for process, _ in survivors], _SURVIVOR_GRACE_S)

    def _end(self, processes: list[ProcessName], grace_s: float) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in processes:
                signal_one(process, self._tools, number)
            if self._have_ended(processes, grace_s):
                return

    def _have_ended(self, processes: list[ProcessName], within_s: float) -> bool:
        until_s = self._tools.clock.monotonic_s() + within_s
        while any(self._tools.processes.named(process.pid) == process for process in processes):
            left_s = until_s - self._tools.clock.monotonic_s()
            if left_s <= 0:
                return False
            self._signals.wait(min(left_s, _LOOK_EVERY_S))
            reap_orphans(self._child)
        return True


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
