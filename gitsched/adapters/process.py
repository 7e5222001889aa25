"""Processes of this host, named so that no other that ever has the same pid is taken for one of them.

Linux tells start times in clock ticks since boot, which no change of the wall clock moves; elsewhere psutil's
creation time stands in. psutil is imported where a look over all processes is needed: a worker's start is on
the way of every run.
"""

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING

from gitsched.domain.ids import host_name
from gitsched.domain.runs import ProcessName
from gitsched.domain.words import Liveness
from gitsched.ports.runner import Hosts

if TYPE_CHECKING:
    import psutil

RUN_VARIABLE = "GITSCHED_RUN"
_LINUX = sys.platform == "linux"
_ENDED = frozenset({"Z", "X", "x"})
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


class HostProcesses:
    """Names processes of this host and tells whether they live."""

    def __init__(self, mark: str = "", hosts: Hosts | None = None) -> None:
        """Stand on this host; `mark` tells its clones of one remote apart, `hosts` what is heard of the others."""
        self._mark = mark
        self._hosts = hosts

    @cached_property
    def _host(self) -> str:
        return host_name(os.uname().nodename, self._mark)

    @cached_property
    def _boot_id(self) -> str:
        if _LINUX:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
                return file.read().strip()
        import psutil

        return str(int(psutil.boot_time()))

    def own(self) -> ProcessName:
        """Name this process."""
        name = self.named(os.getpid())
        assert name is not None
        return name

    def named(self, pid: int) -> ProcessName | None:
        """Name the process that has this pid now; None when there is none, or it has ended."""
        started = _started(pid)
        if started is None:
            return None
        return ProcessName(host=self._host, boot_id=self._boot_id, pid=pid, started=started)

    def liveness(self, process: ProcessName) -> Liveness:
        """Tell whether that very process lives. Another host: as is heard of it; this host, another boot: GONE."""
        if process.host != self._host:
            return self._hosts.liveness(process.host) if self._hosts is not None else Liveness.UNKNOWN
        if process.boot_id != self._boot_id:
            return Liveness.GONE
        return Liveness.ALIVE if _started(process.pid) == process.started else Liveness.GONE

    def adopt_orphans(self) -> None:
        """Become the parent of what this process's descendants leave behind, where the system can do that."""
        if _LINUX:
            import ctypes

            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def of_run(self, mark: str) -> tuple[tuple[ProcessName, str], ...]:
        """Find living processes, and what they are called, whose environment holds `GITSCHED_RUN=<mark>`.

        In order of pid; without this process.
        """
        import psutil

        found = []
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and process.environ().get(RUN_VARIABLE) == mark:
                    found.append(process)
            except (psutil.Error, OSError):
                continue  # it has ended, or is another user's
        return self._told(found)

    def descendants(self) -> tuple[tuple[ProcessName, str], ...]:
        """Find this process's living children and theirs, adopted ones included, and what they are called."""
        import psutil

        return self._told(psutil.Process().children(recursive=True))

    def _told(self, found: "list[psutil.Process]") -> tuple[tuple[ProcessName, str], ...]:
        told = ((self.named(process.pid), _called(process)) for process in found)
        return tuple((name, called) for name, called in told if name is not None)


def _called(process: "psutil.Process") -> str:
    import psutil

    try:
        return process.name()
    except psutil.Error:
        return "?"


def _started(pid: int) -> str | None:
    """Tell when a process was started, as text to compare; None when it is not there or has ended."""
    if _LINUX:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        # proc(5): the state comes right after the name, which may hold anything; field 22 is the start.
        return None if fields[0] in _ENDED else fields[19]
    return _started_elsewhere(pid)


def _started_elsewhere(pid: int) -> str | None:
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else repr(process.create_time())
    except psutil.NoSuchProcess:
        return None
