"""A process that was stopped in the middle of its work in the pool keeps nobody waiting for ever."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.adapters.git.lending import Lending
from gitsched.adapters.git.ownership import Holding
from gitsched.adapters.git.pool import Pool
from gitsched.errors import BusyError
from gitsched.ports.worktrees import Tree
from tests.git.trees import Trees, given, trees

__all__ = ["trees"]

HOLD = "import fcntl, sys; file = open(sys.argv[1], 'a'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()"


class Stopped:
    """A process that holds a lock and was stopped while it did."""

    def __init__(self, lock: Path) -> None:
        lock.parent.mkdir(parents=True, exist_ok=True)
        argv = [sys.executable, "-c", HOLD, str(lock)]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.process.stdout.readline()
        self.process.send_signal(signal.SIGSTOP)

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def quick(trees: Trees) -> Lending:
    """Lend from the pool of the test, with little patience."""
    return Lending(Pool(trees.repo / ".git", trees.all.pool.folder, patience_s=0.2), trees.repo, ())


@pytest.fixture
def turn(trees: Trees) -> Iterator[Stopped]:
    """Let somebody have the turn who does not go on."""
    held = Stopped(trees.repo / ".git" / "gitsched" / "trees" / "turn")
    yield held
    held.end()


def test_s_03_the_turn_of_a_stopped_driver_is_not_waited_for_for_ever(
    trees: Trees, quick: Lending, turn: Stopped
) -> None:
    """S-03: it is told as busy, nothing is changed, and all goes on when the turn is free again."""
    with pytest.raises(BusyError, match="turn"):
        quick.acquire("b1/1/0", trees.base, "gitsched/b1/m1-i1", None)
    assert not quick.prepare_ahead(trees.base, make=True)
    assert not trees.all.trees()
    turn.end()
    assert isinstance(quick.acquire("b1/1/0", trees.base, "gitsched/b1/m1-i1", None), Tree)


def test_s_03_a_tree_that_a_stopped_driver_is_preparing_is_left_to_it(trees: Trees, quick: Lending) -> None:
    """S-03: another one is made; what it was in the middle of is taken back only once it is over."""
    tree = trees.member(1)
    trees.all.release(tree.path)
    ledger, name = trees.all.pool.ledger, tree.path.name
    ledger.write(name, Holding(commit=trees.base))
    held = Stopped(trees.repo / ".git" / "gitsched" / "trees" / f"{name}.turn")
    try:
        other = given(quick.acquire("b1/2/0", trees.base, "gitsched/b1/m2-i2", None))
        assert other.path != tree.path
        ledger.write(name, Holding(owner="b1/3/0", commit=trees.base))
        with pytest.raises(BusyError, match=name):
            quick.acquire("b1/3/0", trees.base, "gitsched/b1/m3-i3", None)
    finally:
        held.end()
    assert given(quick.acquire("b1/3/0", trees.base, "gitsched/b1/m3-i3", None)).head == trees.base
