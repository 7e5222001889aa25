"""Several writers at once, as processes of their own."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from gitsched.adapters.store.store import GitStore
from gitsched.domain.state import Draft

_FORK = multiprocessing.get_context("fork")
_BOUND_S = 90.0


def race(count: int, act: Callable[[int], Any]) -> list[Any]:
    """Let `act(n)` run in `count` processes that begin together; give back their answers in order."""
    barrier, answers = _FORK.Barrier(count), _FORK.Queue()

    def run(number: int) -> None:
        barrier.wait(_BOUND_S)
        answers.put((number, act(number)))

    crowd = [_FORK.Process(target=run, args=(number,)) for number in range(count)]
    for one in crowd:
        one.start()
    found = dict(answers.get(timeout=_BOUND_S) for _ in crowd)
    for one in crowd:
        one.join(_BOUND_S)
    assert [one.exitcode for one in crowd] == [0] * count
    return [found[number] for number in range(count)]


@contextmanager
def beside(act: Callable[[], None]) -> Iterator[BaseProcess]:
    """Let `act` run in a process of its own until the block ends; it is killed then."""
    one = _FORK.Process(target=act)
    one.start()
    try:
        yield one
    finally:
        if one.is_alive() and one.pid is not None:
            os.kill(one.pid, signal.SIGKILL)
        one.join(_BOUND_S)


def wait_for(file: Path, one: BaseProcess) -> None:
    """Wait until a file is there that another process makes."""
    ended = one.sentinel
    from multiprocessing.connection import wait

    for _ in range(2000):
        if file.exists():
            return
        if wait([ended], timeout=0.01):
            assert file.exists(), "it ended before it got there"
    raise AssertionError(f"{file} was never made")


def move_between_two_refs(store: GitStore, intent: Callable[[Draft], None], reached: Path) -> None:
    """Begin a transaction, move its deciding ref, say so by a file, and stand still before the refs that follow."""
    from pygit2.transaction import ReferenceTransaction

    real = ReferenceTransaction.commit

    def commit_once(transaction: ReferenceTransaction) -> None:
        real(transaction)
        reached.touch()
        signal.pause()

    pytest.MonkeyPatch().setattr(ReferenceTransaction, "commit", commit_once)
    store.apply(intent)
