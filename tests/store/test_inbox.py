"""The inbox: seen and done, once and for all, whoever else writes and whoever dies."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store import inbox as module
from gitsched.adapters.store.inbox import InboxRef
from gitsched.adapters.store.store import GitStore
from gitsched.domain.deliveries import Delivery
from gitsched.domain.records import Control
from tests.real_git import run_git


class Days:
    """A clock that tells days."""

    def __init__(self, day: int = 1) -> None:
        self.day = day

    def now(self) -> str:
        return f"2026-03-{self.day:02d}T12:00:00.000Z"

    def monotonic_s(self) -> float:
        return 0.0


@pytest.fixture
def box(repo: Path) -> InboxRef:
    return InboxRef(repo, SystemClock(), fsync=False)


def delivery(name: str, at: str = "2026-03-01T12:00:00.000Z") -> Delivery:
    return Delivery(id=name, event="issues", action="opened", received_at=at, number=3)


def ids(box: InboxRef) -> list[str]:
    return [found.id for found in box.waiting()]


def test_what_comes_is_seen_and_stays_until_it_is_done(repo: Path, box: InboxRef) -> None:
    box.receive(delivery("b", "2026-03-02T00:00:00.000Z"))
    box.receive(delivery("a"))
    assert ids(box) == ["a", "b"]
    assert box.waiting()[0] == delivery("a")
    box.settle({"a": "hint"})
    assert ids(InboxRef(repo, SystemClock())) == ["b"]
    assert (box.knows("a"), box.knows("b"), box.knows("c")) == (True, True, False)
    box.settle({})


def test_what_is_seen_or_done_is_not_seen_again(repo: Path, box: InboxRef) -> None:
    """W-04, W-05: one record, however often it comes; after it is done a redelivery has no effect."""
    for _ in range(3):
        box.receive(delivery("a"))
        InboxRef(repo, SystemClock()).receive(delivery("a"))
    assert ids(box) == ["a"]
    box.settle({"a": "hint"})
    box.receive(delivery("a"))
    assert ids(box) == []


def test_those_who_come_together_share_commits_and_none_is_lost(repo: Path, box: InboxRef) -> None:
    names = [f"d{number}" for number in range(60)]
    others = InboxRef(repo, SystemClock(), fsync=False)
    takers = [Thread(target=(others if n % 2 else box).receive, args=(delivery(name),)) for n, name in enumerate(names)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert sorted(ids(box)) == sorted(names)
    assert int(run_git(repo, "rev-list", "--count", "refs/gitsched/inbox")) < 60


def test_the_inbox_and_the_state_live_side_by_side(repo: Path, box: InboxRef) -> None:
    store = GitStore(repo, SystemClock(), fsync=False)
    store.initialise(Control())
    box.receive(delivery("a"))
    store.apply(lambda _draft: None)
    assert ids(box) == ["a"]
    assert store.read().format.store


def test_what_was_done_is_forgotten_after_two_weeks(repo: Path) -> None:
    days = Days()
    box = InboxRef(repo, days, fsync=False)
    for day in range(1, 20):
        days.day = day
        box.receive(delivery(f"d{day}"))
        box.settle({f"d{day}": "hint"})
    known = [day for day in range(1, 20) if box.knows(f"d{day}")]
    assert known == list(range(5, 20))


def test_what_waits_keeps_the_mark_of_what_came_with_it(repo: Path) -> None:
    days = Days()
    box = InboxRef(repo, days, fsync=False)
    slots = [module.Slot(delivery("a")), module.Slot(delivery("b"))]
    box._write(slots)
    box.settle({"a": "hint"})
    for day in range(2, 20):
        days.day = day
        box.receive(delivery(f"d{day}"))
        box.settle({f"d{day}": "hint"})
    assert ids(box) == ["b"]


def test_what_does_not_decode_is_passed_over(repo: Path, box: InboxRef) -> None:
    box.receive(delivery("a"))
    tree = run_git(repo, "rev-parse", "refs/gitsched/inbox^{tree}")
    blob = run_git(repo, "hash-object", "-w", "--stdin", stdin="{nonsense\n")
    seen = run_git(repo, "mktree", stdin=run_git(repo, "ls-tree", f"{tree}:seen") + f"\n100644 blob {blob}\tzz\n")
    top = run_git(repo, "mktree", stdin=f"040000 tree {seen}\tseen\n")
    commit = run_git(repo, "commit-tree", "-m", "x", top)
    run_git(repo, "update-ref", "refs/gitsched/inbox", commit)
    assert ids(InboxRef(repo, SystemClock())) == ["a"]


def test_a_full_disk_is_told_to_everybody_and_the_next_is_taken(box: InboxRef, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: InboxRef, _slots: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(InboxRef, "_write", full)
        with pytest.raises(OSError, match="No space"):
            box.receive(delivery("a"))
    box.receive(delivery("b"))
    assert ids(box) == ["b"]


TAKE = """
import sys
from pathlib import Path
from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store.inbox import InboxRef
from gitsched.domain.deliveries import Delivery
box = InboxRef(Path(sys.argv[1]), SystemClock())
for number in range(10_000):
    box.receive(Delivery(id=f"d{number}", event="issues", received_at="2026-03-01T12:00:00.000Z"))
    print(number, flush=True)
"""


@pytest.fixture
def taker(repo: Path) -> Iterator[Callable[[], "subprocess.Popen[str]"]]:
    started: list[subprocess.Popen[str]] = []

    def start() -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", TAKE, str(repo)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_a_kill_loses_nothing_that_was_received(repo: Path, taker: Callable[[], "subprocess.Popen[str]"]) -> None:
    """W-05: killed by KILL right after it said so."""
    process = taker()
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(15)]
    process.send_signal(signal.SIGKILL)
    said += process.stdout.readlines()
    process.wait()
    box = InboxRef(repo, SystemClock())
    received = {f"d{line.strip()}" for line in said if line.endswith("\n")}
    waiting = ids(box)
    assert received <= set(waiting)
    assert len(waiting) == len(set(waiting)) <= len(received) + 1
    box.receive(delivery("after"))
    assert "after" in ids(box)
