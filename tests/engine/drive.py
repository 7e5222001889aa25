"""A driver as a process of its own, for tests that kill, stop and double it.

`python -m tests.engine.drive REPO [once]` drives; `Driving` starts and ends such processes from a test.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
from msgspec.structs import replace

from gitsched.adapters.process import HostProcesses
from gitsched.adapters.wake import FifoWaker
from gitsched.cli.fault import contained
from gitsched.engine.driver import Driver, Until
from gitsched.wiring.clone import Clone
from tests.golden import ROOT

PATIENCE_S = 100.0
INTERRUPTED = 130
NEWS_S = 1.0
"""How often a driver looks for what nobody wakes it for; a remote's news is of that kind."""


def main() -> None:
    """Drive the repository until it is idle, or for one tick; the first two INTs are the driver's."""
    until = Until.ONCE if sys.argv[2:] == ["once"] else Until.IDLE
    clone = Clone(Path(sys.argv[1]))
    around = clone.surroundings()
    driver = Driver(replace(around, look_again_s=min(around.look_again_s, NEWS_S)), clone.settings, contained)
    signal.signal(signal.SIGINT, lambda *_: driver.interrupt())
    ending = driver.run(until)
    sys.exit(INTERRUPTED if ending.interrupted else 0)


class Driving:
    """One driver process of a repository."""

    def __init__(self, repo: Path) -> None:
        """Start it."""
        self._repo = repo
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        argv = [sys.executable, "-m", "tests.engine.drive", str(repo)]
        self._process = subprocess.Popen(argv, cwd=ROOT, env=environment, stderr=subprocess.PIPE)
        self.pid = self._process.pid

    def ends_within(self, seconds: float) -> bool:
        """Wait for its end at most so long, and say whether it has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it at once, if it lives, stopped or not."""
        self._process.kill()
        if self._process.stderr is not None and not self._process.stderr.closed:
            self._process.communicate()

    def end(self) -> int:
        """Wait for its end and give its exit code; one that does not end in time is a fault."""
        try:
            _, complaints = self._process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        assert self._process.returncode in (0, INTERRUPTED), complaints.decode()
        return self._process.returncode


def all_end(drivers: Sequence[Driving]) -> bool:
    """Wait for the end of all, in whatever order, and say whether each went well; one that did not is told at once."""
    left, end_s = list(drivers), time.monotonic() + PATIENCE_S
    while left:
        assert time.monotonic() < end_s, f"{len(left)} drivers did not end in {PATIENCE_S:g} s"
        ended = [driver for driver in left if driver.ends_within(0.1)]
        left = [driver for driver in left if driver not in ended]
        if any(driver.end() != 0 for driver in ended):
            return False
    return True


def until(repo: Path, is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait for a condition: woken by what happens in the clone, looking now and then for what wakes nobody."""
    waker, end_s = FifoWaker(repo / ".git", HostProcesses()), time.monotonic() + patience_s
    try:
        while not is_so():
            assert time.monotonic() < end_s, f"it did not happen in {patience_s:g} s"
            waker.wait(0.05)
    finally:
        waker.close()


def workers_of(repo: Path) -> list[psutil.Process]:
    """List the living workers of a repository; what one of them forks, to become its command, is none."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if any("gitsched.wiring.worker" in word for word in words) and any(str(repo) in word for word in words):
                found.append(process)
        except psutil.Error:
            continue  # it has just ended
    return [process for process in found if _parent_of(process) not in found]


def _parent_of(process: psutil.Process) -> psutil.Process | None:
    try:
        return process.parent()
    except psutil.Error:
        return None  # it has just ended: nobody's worker any more


def kill_each(processes: list[psutil.Process]) -> int:
    """Kill processes and say how many were there to be killed."""
    count = 0
    for process in processes:
        try:
            process.kill()
            count += 1
        except psutil.NoSuchProcess:
            continue
    return count


if __name__ == "__main__":
    main()
