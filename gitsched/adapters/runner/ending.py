"""End what a run has started, by names that no other process can have."""

import os
import signal
from collections.abc import Iterable

from gitsched.domain.runs import ProcessName, RunRecord
from gitsched.domain.words import Liveness
from gitsched.ports.runner import Processes


def group_liveness(record: RunRecord, mark: str, processes: Processes) -> Liveness:
    """Tell whether the agent or anything else of its process group lives."""
    if record.agent is None:
        return Liveness.UNKNOWN
    leader = processes.liveness(record.agent)
    if leader is not Liveness.GONE or not _exists(record.group):
        return leader
    # A group outlives its leader; its number may also have become another's, which carries no mark of ours.
    return Liveness.ALIVE if members(processes, mark, record.group) else Liveness.GONE


def signal_group(record: RunRecord, processes: Processes, number: signal.Signals) -> bool:
    """Signal the agent's group if its leader is still that very process; say whether it was."""
    if record.agent is None or record.group is None:
        return False
    if processes.liveness(record.agent) is not Liveness.ALIVE:
        return False
    try:
        os.killpg(record.group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it lives, and is not ours to signal
    return True


def signal_each(found: Iterable[ProcessName], processes: Processes, number: signal.Signals) -> None:
    """Signal processes one by one, each only if it is still that very process."""
    for process in found:
        if processes.named(process.pid) == process:
            try:
                os.kill(process.pid, number)
            except (ProcessLookupError, PermissionError):
                continue


def members(processes: Processes, mark: str, group: int | None) -> list[ProcessName]:
    """List the living processes of a run, of one group or, without a group, all that carry its mark."""
    found = [name for name, _ in processes.of_run(mark)] if mark else []
    return found if group is None else [name for name in found if _group_of(name.pid) == group]


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _exists(group: int | None) -> bool:
    if group is None:
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
