"""Fail the test that leaves a process behind, also one that left its parent and its session.

A process is the test's if it descends from this one or carries the test's own HOME. Looking through
all processes costs milliseconds, so it is done only after a test that started any.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})
ENDING_S = 5.0
# The interpreter's own, one per process, which ends with it.
INTERPRETERS_OWN = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


class _Starts:
    """How many processes this interpreter has started."""

    count = 0

    @classmethod
    def hear(cls, event: str, _arguments: tuple[object, ...]) -> None:
        """Count one audit event of the interpreter if it starts a process."""
        cls.count += event in STARTS


sys.addaudithook(_Starts.hear)


@pytest.fixture(autouse=True)
def no_process_left(hermetic: Path) -> Iterator[None]:
    """Fail, naming them, if processes of this test outlive it by more than a moment."""
    started = _Starts.count
    before = {child.pid for child in psutil.Process().children(recursive=True)} if started else set()
    yield
    if _Starts.count == started:
        return
    remaining = [process for process in _of_this_test(hermetic / "home") if process.pid not in before]
    _, alive = psutil.wait_procs(remaining, timeout=ENDING_S)
    told = [_told(process) for process in alive if _is_running(process)]
    for process in alive:
        process.kill()
    if told:
        pytest.fail("left behind:\n" + "\n".join(told))


def _of_this_test(home: Path) -> list[psutil.Process]:
    found = {child.pid: child for child in psutil.Process().children(recursive=True)}
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("HOME") == str(home):
                found[process.pid] = process
        except (psutil.Error, OSError):
            continue  # it ended, or it is somebody else's
    return [process for process in found.values() if not _is_interpreters_own(process)]


def _is_interpreters_own(process: psutil.Process) -> bool:
    try:
        return any(name in part for part in process.cmdline() for name in INTERPRETERS_OWN)
    except psutil.Error:
        return False


def _is_running(process: psutil.Process) -> bool:
    """Tell a process from one that has ended and whose new parent has not asked for its exit yet."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _told(process: psutil.Process) -> str:
    try:
        return f"{process.pid}: {' '.join(process.cmdline())}"
    except psutil.Error:
        return f"{process.pid}: ended while it was looked at"
