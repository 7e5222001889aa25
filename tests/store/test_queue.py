"""Who gets a turn, and what a writer reads of the others."""

import fcntl
import os
import time
from pathlib import Path

import pytest

from gitsched.adapters.store import latest
from gitsched.adapters.store.line import Line
from gitsched.adapters.store.queue import Queue
from gitsched.adapters.store.waiting import LockFile
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.errors import BusyError
from tests.real_git import Git
from tests.store.rivals import beside, race, wait_for
from tests.store.verbs import applied, begun, enqueue, opened, queued, raise_priority

_BOUND_S = 30.0


def test_one_that_comes_back_at_once_lets_others_in(tmp_path: Path) -> None:
    """A writer in a hot loop keeps nobody out, though it has several turns in a row."""
    file, seen = tmp_path / "queue", tmp_path / "seen"

    def hog() -> None:
        queue = Queue(file, _BOUND_S)
        while True:
            with queue.turn():
                seen.touch()

    with beside(hog) as one:
        wait_for(seen, one)
        for _ in range(3):
            with Queue(file, _BOUND_S).turn() as turn:
                assert turn.fd is not None


def test_a_crowd_takes_turns_one_at_a_time(tmp_path: Path) -> None:
    counted = tmp_path / "counted"
    counted.write_text("0")

    def count(number: int) -> int:
        queue = Queue(tmp_path / "queue", _BOUND_S)
        for _ in range(50):
            with queue.turn() as turn:
                assert turn.fd is not None
                counted.write_text(str(int(counted.read_text()) + 1))
        return number

    race(4, count)
    assert counted.read_text() == "200"


def test_a_lock_that_was_removed_lets_no_two_in(tmp_path: Path) -> None:
    """Who had it open before goes to the file that is there now."""
    file, older = tmp_path / "queue", Queue(tmp_path / "queue", 0.05)

    def turn_is_held() -> bool:
        with older.turn() as turn:
            return turn.fd is not None

    assert turn_is_held()
    for name in ("queue", "queue.door"):
        (tmp_path / name).unlink(missing_ok=True)
    with Queue(file, _BOUND_S).turn():
        assert not turn_is_held()
    assert turn_is_held()


def test_a_line_that_was_removed_is_left_for_the_one_that_is_there(tmp_path: Path) -> None:
    file, told, asked = tmp_path / "line", list[bool](), list[int]()

    def is_done() -> bool:
        asked.append(1)
        if len(asked) == 1:
            file.unlink()
        return False

    with Line(file, _BOUND_S).front(is_done), pytest.raises(BusyError), Line(file, 0.01).front(lambda: False):
        told.append(True)
    assert not told


def test_who_waits_for_one_that_is_stuck_goes_on_beside_it(tmp_path: Path) -> None:
    """Also all who stand behind the one that is next, and each reads meanwhile."""
    with (tmp_path / "queue").open("w") as stuck:
        fcntl.flock(stuck, fcntl.LOCK_EX)

        def wait(number: int) -> tuple[bool, float, int]:
            began_s, read = time.monotonic(), list[int]()
            with Queue(tmp_path / "queue", 0.3).turn(lambda: read.append(number)) as turn:
                return turn.fd is None, time.monotonic() - began_s, len(read)

        found = race(3, wait)
    assert all(is_beside for is_beside, _, _ in found)
    assert all(waited_s < _BOUND_S for _, waited_s, _ in found)
    assert any(count for _, _, count in found)


def test_the_log_tells_what_the_trees_tell(repo: Path) -> None:
    """Records that came, changed and went, by one writer and by several, read by the log and by the trees."""
    one, other = begun(repo, fsync=True), opened(repo, fsync=True)

    def leave(draft: Draft) -> None:
        gone = [draft.state.entries[2]]
        draft.note(EventName.ENQUEUED, "Enqueued 9.", queued(9), removed=gone, issue=9)

    other.apply(enqueue(1, 2))
    for intent in (raise_priority(1), enqueue(3), leave, raise_priority(3)):
        applied(one.apply(intent))
        assert other.read() == one.read() == opened(repo).read()
    for _ in range(3):
        applied(other.apply(raise_priority(9)))
        applied(one.apply(raise_priority(9)))
    assert other.read() == one.read() == opened(repo).read()
    assert other.tip == one.tip


def test_what_the_log_tells_needs_no_files(repo: Path, git: Git) -> None:
    """The objects between are not opened: they could be gone."""
    one, other = begun(repo, fsync=True), opened(repo, fsync=True)
    other.apply(enqueue(1))
    applied(one.apply(raise_priority(1)))
    assert other.read() == one.read()
    applied(one.apply(raise_priority(1)))
    blob = git(repo, "rev-parse", "refs/gitsched/state:queue/01/1")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert other.read() == one.read()


def test_a_log_that_began_anew_is_no_loss(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trees tell then, and the log again from there on."""
    one, other = begun(repo, fsync=True), opened(repo, fsync=True)
    other.apply(enqueue(1))
    for limit in (0, latest._LIMIT_BYTES, 0):
        monkeypatch.setattr(latest, "_LIMIT_BYTES", limit)
        for _ in range(2):
            applied(one.apply(raise_priority(1)))
            assert other.read() == one.read() == opened(repo).read()


def test_the_lock_of_a_file_that_was_removed_is_given_back_although_a_fork_has_it_open(tmp_path: Path) -> None:
    file = tmp_path / "queue"
    first, second = LockFile(file), LockFile(file)
    forked = os.dup(first.opened())
    try:
        second.opened()
        assert first.take_if_free()
        file.unlink()
        assert not first.is_there()
        assert second.take_if_free(), "it is locked for whoever has opened it too"
    finally:
        os.close(forked)
