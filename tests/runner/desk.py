"""A driver's desk for tests: starts real workers in a real repository and waits for what they record."""

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pygit2
import pytest
from msgspec.structs import replace

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.git.blobref import LoadedBlobRefs
from gitsched.adapters.process import HostProcesses
from gitsched.adapters.runner.local import LocalRunner
from gitsched.adapters.runner.posts import RunPosts
from gitsched.adapters.runner.refs import RunRefs
from gitsched.adapters.wake import FifoWaker, wake_all
from gitsched.domain.ids import run_folder
from gitsched.domain.runs import ProcessName, RunEnd, RunLook, RunOrder, RunRecord
from gitsched.domain.words import Liveness

PATIENCE_S = 30.0
PYTHON = (sys.executable, "-I", "-S", "-c")


class Desk:
    """One clone, its runner, and a place to be woken."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        # Random, as in real leases: by its token a run is told from the same run of another clone.
        self.token = os.urandom(8).hex()
        self.common = repo / ".git"
        self.clock = SystemClock.of_environment()
        self.processes = HostProcesses()
        self.refs = self._open_refs()
        self.runner = self.another_runner()
        self.posts = RunPosts(self.refs, partial(wake_all, self.common))
        self.waker = FifoWaker(self.common, self.processes)

    def another_runner(self) -> LocalRunner:
        wake = partial(wake_all, self.common)
        return LocalRunner(self.common, self._open_refs(), HostProcesses(), self.clock, wake)

    def _open_refs(self) -> RunRefs:
        return RunRefs(LoadedBlobRefs(pygit2.Repository(self.common)))

    def order(self, *argv: str, name: str = "3", gen: int = 0, **changes: Any) -> RunOrder:
        folder = run_folder(str(self.common), "b1", name, gen)
        order = RunOrder(
            batch="b1",
            name=name,
            gen=gen,
            token=f"{self.token}-{gen}",
            argv=argv,
            cwd=str(self.repo),
            folder=folder,
            repository=str(self.common),
            log_file=f"{folder}/log",
            timeout_s=60.0,
            output_bytes=1_000_000,
            kill_grace_s=5.0,
            head_of=str(self.repo),
        )
        return replace(order, **changes)

    def start(self, *argv: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, **changes: Any) -> RunOrder:
        order = self.order(*argv, **changes)
        self.runner.start(order, {**os.environ, **(env or {})}, stdin)
        return order

    def sh(self, script: str, **options: Any) -> RunOrder:
        """Start a shell script."""
        return self.start("sh", "-c", script, **options)

    def run(self, *argv: str, **options: Any) -> RunEnd:
        """Start a command and wait for its end."""
        return self.end_of(self.start(*argv, **options))

    def run_sh(self, script: str, **options: Any) -> RunEnd:
        return self.run("sh", "-c", script, **options)

    def look(self, order: RunOrder) -> RunLook:
        return self.runner.look(order.batch, order.name, order.gen)

    def log(self, order: RunOrder) -> bytes:
        return self.runner.log(order.batch, order.name, order.gen)

    def record_of(self, order: RunOrder, wanted: Callable[[RunRecord], bool]) -> RunRecord:
        """Wait until the run's record is as wanted."""
        self.until(lambda: (look := self.look(order)).record is not None and wanted(look.record))
        record = self.look(order).record
        assert record is not None
        return record

    def agent_of(self, order: RunOrder) -> ProcessName:
        """Wait until the command has been started and give its process."""
        agent = self.record_of(order, lambda record: record.agent is not None).agent
        assert agent is not None
        return agent

    def end_of(self, order: RunOrder) -> RunEnd:
        """Wait until the run has ended and its worker is gone."""
        end = self.record_of(order, lambda record: record.end is not None).end
        assert end is not None
        self.until(lambda: self.look(order).worker is Liveness.GONE)
        return end

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for a condition: woken by what happens in the clone, looking now and then for what wakes nobody."""
        until_s = self.clock.monotonic_s() + PATIENCE_S
        while not is_so():
            if self.clock.monotonic_s() > until_s:
                pytest.fail(f"nothing came of it in {PATIENCE_S:.0f} s; workers say:\n{self._complaints()}")
            self.waker.wait(0.02)

    def close(self) -> None:
        for folder in self.common.glob("gitsched/runs/b1/*/*"):
            self.runner.stop("b1", folder.parent.name, int(folder.name), kill=True)
        self.until(lambda: not self._workers())
        self.waker.close()

    def _workers(self) -> list[Path]:
        from gitsched.adapters.runner import alive

        return [folder for folder in self.common.glob("gitsched/runs/b1/*/*") if alive.is_held(folder)]

    def _complaints(self) -> str:
        return "\n".join(path.read_text() for path in self.common.glob("gitsched/runs/*/*/*/worker.log"))


def lives(pid: int) -> bool:
    """Say whether a pid is a running process, one that nobody has reaped yet aside."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
