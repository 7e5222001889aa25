"""Locks that stand in the way: of the living, of the dead, and of one who sleeps."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.adapters.store.bounds import Bounds
from gitsched.domain.ids import KEEP_REF, STATE_REF
from gitsched.domain.outcomes import Applied
from gitsched.domain.state import Draft, RefMove
from gitsched.errors import BusyError
from tests.real_git import Git
from tests.store.rivals import beside, move_between_two_refs, wait_for
from tests.store.verbs import Heard, applied, begun, enqueue, git_fsck, opened, raise_priority


@pytest.fixture
def lock(repo: Path) -> Path:
    return repo / ".git" / f"{STATE_REF}.lock"


@pytest.fixture
def git_that_holds_the_lock(repo: Path, lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Have git itself prepare an update of the state ref, and wait with it."""
    held = subprocess.Popen(["git", "-C", repo, "update-ref", "--stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert held.stdin is not None
    assert held.stdout is not None
    held.stdin.write(f"start\ncreate refs/heads/x HEAD\nverify {STATE_REF} {STATE_REF}\nprepare\n".encode())
    held.stdin.flush()
    assert held.stdout.readline() == b"start: ok\n"
    assert held.stdout.readline() == b"prepare: ok\n"
    assert lock.exists()
    yield held
    held.stdin.close()
    held.stdout.close()
    held.wait()


def test_a_lock_of_a_dead_process_is_moved_aside(repo: Path, lock: Path) -> None:
    """S-04 (gone), S-30: unchanged for long enough and open nowhere: moved aside, told, and the write goes through."""
    heard = Heard()
    store = begun(repo, tell=heard)
    lock.write_text("")
    began = time.monotonic()
    applied(store.apply(enqueue(1)))
    assert time.monotonic() - began >= 0.5, "it was not taken for dead at once"
    assert not lock.exists()
    assert [str(lock) in told and "gone" in told for told in heard.told] == [True]
    assert len(list((repo / ".git/gitsched/stale").iterdir())) == 1


def test_a_lock_that_somebody_has_open_is_waited_for_and_named(repo: Path, lock: Path) -> None:
    """S-04 (alive): a bounded wait, then exit 75 with the name of the lock file; the lock stays."""
    store = begun(repo)
    code = f"import sys; f = open({str(lock)!r}, 'x'); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        os.utime(lock, (1, 1))
        with pytest.raises(BusyError, match=r"refs/gitsched/state\.lock") as refused:
            store.apply(enqueue(1))
        assert refused.value.exit_code == 75
        assert lock.exists()
    lock.unlink()
    applied(store.apply(enqueue(1)))


def test_a_lock_of_git_is_never_removed(repo: Path, lock: Path, git: Git, request: pytest.FixtureRequest) -> None:
    """S-30 (live git): a young lock is waited for; when git lets go the write goes through."""
    store = begun(repo)
    held: subprocess.Popen[bytes] = request.getfixturevalue("git_that_holds_the_lock")
    with pytest.raises(BusyError):
        opened(repo, bounds=Bounds(queue_s=1, race_s=9, lock_s=0.3, stale_s=60)).apply(enqueue(1))
    assert lock.exists()
    assert held.stdin is not None
    held.stdin.write(b"commit\n")
    held.stdin.flush()
    applied(store.apply(enqueue(2)))
    assert git(repo, "rev-parse", "refs/heads/x") == git(repo, "rev-parse", "HEAD")


def test_a_killed_drivers_lock_is_removed_at_once(repo: Path, lock: Path) -> None:
    """S-02 (lock): the successor in the queue knows from the note what the dead one had locked."""
    begun(repo)
    reached = repo / "reached"

    def die_in_turn() -> None:
        store = opened(repo)

        def swap_halfway(*_arguments: object) -> None:
            lock.write_text("")
            reached.touch()
            signal.pause()

        pytest.MonkeyPatch().setattr("gitsched.adapters.store.moving.swap", swap_halfway)
        store.apply(enqueue(1))

    with beside(die_in_turn) as one:
        wait_for(reached, one)
    heard = Heard()
    store = opened(repo, tell=heard, bounds=Bounds(stale_s=60))
    began = time.monotonic()
    applied(store.apply(enqueue(2)))
    assert time.monotonic() - began < 10
    assert [str(lock) in told for told in heard.told] == [True]
    assert sorted(store.read().entries) == [2]


def test_a_killed_driver_past_the_deciding_ref_is_finished(repo: Path, git: Git) -> None:
    """S-02 (mixture): state first, branch after; killed in between, the next writer moves the branch."""
    begun(repo)
    head, branch, reached = git(repo, "rev-parse", "HEAD"), "refs/heads/gitsched/b1/integration", repo / "reached"

    def intent(draft: Draft) -> None:
        enqueue(1)(draft)
        draft.moves.append(RefMove(branch, None, head))

    with beside(lambda: move_between_two_refs(opened(repo), intent, reached)) as one:
        wait_for(reached, one)
    assert git(repo, "for-each-ref", branch) == ""
    store = opened(repo, tell=Heard())
    applied(store.apply(enqueue(2)))
    assert sorted(store.read().entries) == [1, 2]
    assert git(repo, "rev-parse", branch) == head
    git_fsck(repo)


def test_what_keeps_work_moves_before_the_state_that_names_it(repo: Path, git: Git) -> None:
    """S-19, S-02: killed after the first ref: the work is kept and no record names it; the next writer goes on."""
    begun(repo)
    work, reached = git(repo, "commit-tree", "-m", "Work", "HEAD^{tree}"), repo / "reached"

    def die_after_the_first_ref() -> None:
        from pygit2.transaction import ReferenceTransaction

        real = ReferenceTransaction.commit

        def commit_once(transaction: ReferenceTransaction) -> None:
            real(transaction)
            reached.touch()
            signal.pause()

        pytest.MonkeyPatch().setattr(ReferenceTransaction, "commit", commit_once)

        def intent(draft: Draft) -> None:
            enqueue(1)(draft)
            draft.keeps.append(work)

        opened(repo).apply(intent)

    with beside(die_after_the_first_ref) as one:
        wait_for(reached, one)
    assert not opened(repo).read().entries
    git(repo, "gc", "--quiet", "--prune=now")
    git(repo, "cat-file", "-e", work)
    assert git(repo, "merge-base", "--is-ancestor", work, KEEP_REF) == ""
    store = opened(repo, tell=Heard())
    applied(store.apply(enqueue(2)))
    assert sorted(store.read().entries) == [2]
    git_fsck(repo)


def test_a_stopped_driver_holds_nobody_up_and_decides_again(repo: Path) -> None:
    """S-03: it sleeps inside its turn; another works on; when it goes on its swap is lost and it decides anew."""
    begun(repo).apply(enqueue(1))
    reached, go_on = repo / "reached", repo / "go-on"

    def sleep_in_turn() -> None:
        def intent(draft: Draft) -> None:
            if not reached.exists():
                reached.touch()
                os.kill(os.getpid(), signal.SIGSTOP)
            raise_priority(1)(draft)

        assert isinstance(opened(repo, "sleeper").apply(intent), Applied)
        go_on.touch()

    with beside(sleep_in_turn) as one:
        wait_for(reached, one)
        other = opened(repo, "other")
        for _ in range(3):
            applied(other.apply(raise_priority(1)))
        assert one.pid is not None
        os.kill(one.pid, signal.SIGCONT)
        wait_for(go_on, one)
    assert opened(repo).read().entries[1].priority == 4
