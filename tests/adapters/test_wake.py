"""Waking drivers through named pipes."""

import os
import subprocess
from pathlib import Path

from msgspec.structs import replace

from gitsched.adapters.process import HostProcesses
from gitsched.adapters.wake import FifoWaker, wake_all


def pipes(common: Path) -> list[str]:
    return sorted(path.name for path in (common / "gitsched/wake").iterdir())


def test_a_wake_up_before_the_wait_counts_once(tmp_path: Path) -> None:
    waker = FifoWaker(tmp_path, HostProcesses())
    assert not waker.wait(0.0)
    wake_all(tmp_path)
    wake_all(tmp_path)
    assert waker.wait(60.0)
    assert not waker.wait(0.0)
    waker.close()


def test_every_waiting_driver_is_woken(tmp_path: Path) -> None:
    wakers = [FifoWaker(tmp_path, HostProcesses()) for _ in range(3)]
    wake_all(tmp_path)
    assert [waker.wait(60.0) for waker in wakers] == [True, True, True]
    for waker in wakers:
        waker.close()


def test_a_closed_waker_leaves_nothing(tmp_path: Path) -> None:
    waker = FifoWaker(tmp_path, HostProcesses())
    waker.close()
    waker.close()
    assert pipes(tmp_path) == []
    wake_all(tmp_path)


def test_the_pipe_of_a_dead_driver_is_removed_by_who_wakes_next(tmp_path: Path) -> None:
    living = FifoWaker(tmp_path, HostProcesses())
    os.mkfifo(tmp_path / "gitsched/wake/dead.fifo")
    (tmp_path / "gitsched/wake/half-made.new").touch()
    wake_all(tmp_path)
    assert "dead.fifo" not in pipes(tmp_path)
    assert "half-made.new" in pipes(tmp_path)
    assert living.wait(60.0)
    living.close()


def test_a_driver_that_never_reads_blocks_nobody(tmp_path: Path) -> None:
    waker = FifoWaker(tmp_path, HostProcesses())
    for _ in range(70_000):
        wake_all(tmp_path)
    assert waker.wait(0.0)
    assert not waker.wait(0.0)
    waker.close()


def test_waking_nobody_is_nothing(tmp_path: Path) -> None:
    wake_all(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_a_process_wakes_too(tmp_path: Path) -> None:
    """R-61 (the waiting driver): the kernel tells of a process that was killed and could wake nobody."""
    processes = HostProcesses()
    waker = FifoWaker(tmp_path, processes)
    child = subprocess.Popen(["sleep", "300"])
    named = processes.named(child.pid)
    assert named is not None
    assert not waker.wait(0.0, [named])
    elsewhere = replace(named, host="elsewhere")
    assert not waker.wait(0.0, [elsewhere])
    child.kill()
    assert waker.wait(60.0, [named])
    child.wait()
    assert waker.wait(0.0, [named]), "an end before the wait counts"
    waker.close()
