"""Run refs: whose word they take, and how long they wait for a lock."""

from pathlib import Path

import pygit2
import pytest
from msgspec.structs import replace

from gitsched.adapters.git.blobref import LoadedBlobRefs
from gitsched.adapters.runner.refs import RunRefs
from gitsched.domain.runs import ProcessName, RunEnd, RunRecord
from gitsched.errors import BusyError

NAME = ProcessName(host="h", boot_id="b", pid=1, started="2")
FIRST = RunRecord(batch="b1", name="3", gen=0, token="t", worker=NAME, started_at="2026-01-02T03:04:05.000Z")
FENCE = replace(FIRST, gen=1, token="")


@pytest.fixture
def blobs(repo: Path) -> LoadedBlobRefs:
    return LoadedBlobRefs(pygit2.Repository(repo / ".git"))


@pytest.fixture
def lock(repo: Path) -> Path:
    """Hold the lock of the run's ref, as a process that was killed has left it."""
    lock = repo / ".git/refs/gitsched/runs/b1/3.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    return lock


def test_a_claim_is_taken_once_and_never_by_an_older_generation(blobs: LoadedBlobRefs) -> None:
    refs = RunRefs(blobs)
    assert refs.claim(FIRST)
    assert not refs.claim(FIRST)
    assert refs.claim(replace(FIRST, gen=2))
    assert not refs.claim(replace(FIRST, gen=1))
    assert refs.read("b1", "3") == replace(FIRST, gen=2)


def test_a_fence_bars_older_generations_and_waits_for_its_own(blobs: LoadedBlobRefs) -> None:
    refs = RunRefs(blobs)
    refs.fence(FENCE)
    assert not refs.claim(FIRST)
    assert refs.amend("b1", "3", 1, lambda record: record) is None, "nobody has claimed it yet"
    assert refs.claim(replace(FIRST, gen=1))
    refs.fence(FENCE)
    assert refs.read("b1", "3") == replace(FIRST, gen=1), "a fence never takes a claim back"


def test_a_fence_does_not_lose_how_the_run_before_it_ended(blobs: LoadedBlobRefs) -> None:
    """A worker may write its last word between the look at it and the fence; what is settled is fenced off."""
    refs, ended = RunRefs(blobs), replace(FIRST, end=RunEnd(code=0, at=FIRST.started_at))
    assert refs.claim(ended)
    assert not refs.fence(FENCE)
    assert refs.read("b1", "3") == ended
    assert refs.fence(FENCE, is_settled=True)
    assert refs.read("b1", "3") == FENCE
    assert refs.fence(FENCE)
    older = replace(ended, batch="b2")
    assert refs.claim(older)
    assert refs.fence(replace(FENCE, batch="b2", gen=2)), "only the one right before it can be waited for"


def test_a_lock_that_nobody_gives_back_is_told_after_a_while(blobs: LoadedBlobRefs, lock: Path) -> None:
    told: list[str] = []
    with pytest.raises(BusyError, match=r"look for '3\.lock' beside it"):
        RunRefs(blobs, told.append, patience_s=0.02).claim(FIRST)
    assert told == ["refs/gitsched/runs/b1/3"]
    assert lock.exists()


def test_a_dead_lock_is_moved_aside_by_who_can(blobs: LoadedBlobRefs, lock: Path) -> None:
    refs = RunRefs(blobs, lambda _ref: lock.unlink(), patience_s=0.02)
    assert refs.claim(FIRST)


def test_what_is_no_record_says_nothing_and_is_written_over(blobs: LoadedBlobRefs) -> None:
    """An agent shares the repository and may write there: its run counts as one that recorded nothing."""
    blobs.swap("refs/gitsched/runs/b1/3", None, b"rubbish")
    refs = RunRefs(blobs)
    assert refs.read("b1", "3") is None
    assert refs.generations() == {}
    assert refs.claim(FIRST)
    assert refs.read("b1", "3") == FIRST
