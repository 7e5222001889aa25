"""The command as a process: started in a session of its own, ended together with its group."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from gitsched.domain.runs import ProcessName, RunOrder
from gitsched.engine.worker.tools import Tools

_PROMPT_FILE = "prompt"


def start(order: RunOrder, tools: Tools) -> "subprocess.Popen[bytes] | str":
    """Start the command with its prompt on standard input, then end of file; text: why it could not be."""
    prompt = Path(order.stdin_file or Path(order.folder) / _PROMPT_FILE)
    try:
        with (prompt if prompt.exists() else Path(os.devnull)).open("rb") as stdin:
            return subprocess.Popen(
                order.argv,
                cwd=order.cwd,
                env=tools.env,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                bufsize=0,
            )
    except (OSError, ValueError, subprocess.SubprocessError) as refused:
        return str(refused)


def signal_group(child: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """Signal the command's group while the command itself has not been reaped, so that it is surely its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def signal_one(process: ProcessName, tools: Tools, number: signal.Signals) -> None:
    """Signal a process if it is still that very one."""
    if tools.processes.named(process.pid) == process:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, number)


def reap_orphans(child: "subprocess.Popen[bytes]") -> None:
    """Let adopted processes go that have ended; the command itself is left to its `poll`."""
    if not hasattr(os, "waitid"):
        return  # no system without it lets us adopt any
    while child.returncode is not None or not _is_next(child.pid):
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return


def has_children() -> bool:
    """Say whether this process has any child, adopted ones included; ask after `reap_orphans`."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _is_next(pid: int) -> bool:
    """Say whether the next child to be reaped is that one."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return ended is None or ended.si_pid == pid
