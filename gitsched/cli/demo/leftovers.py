"""Leftovers: what a run must not leave behind, and an end to it where it did."""

import os
from typing import TYPE_CHECKING

from gitsched.cli.demo.stage import Stage

if TYPE_CHECKING:
    import psutil

ENDING_S = 5.0


def worktrees_of(stage: Stage) -> list[str]:
    """List the worktrees of the repository but for its own checkout."""
    listed = stage.git("worktree", "list", "--porcelain").splitlines()
    return [line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")][1:]


def processes_on(stage: Stage, patience_s: float = ENDING_S) -> "list[psutil.Process]":
    """List what runs with the stage as its home, after a moment for what is just ending."""
    import psutil

    _, alive = psutil.wait_procs(_at_home(stage), timeout=patience_s)
    return alive


def end_processes(stage: Stage) -> None:
    """End whatever still runs on the stage: first kindly, then surely."""
    import psutil

    alive = _at_home(stage)
    for process in alive:
        _signal(process, kill=False)
    _, alive = psutil.wait_procs(alive, timeout=ENDING_S)
    for process in alive:
        _signal(process, kill=True)


def _at_home(stage: Stage) -> "list[psutil.Process]":
    import psutil

    home, found = stage.environment["HOME"], []
    for process in psutil.process_iter():
        try:
            is_ours = process.pid != os.getpid() and process.environ().get("HOME") == home
            if is_ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue  # it has ended, or is another user's
    return found


def _signal(process: "psutil.Process", *, kill: bool) -> None:
    import psutil

    try:
        process.kill() if kill else process.terminate()
    except psutil.Error:
        return
