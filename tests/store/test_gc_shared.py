"""Archive and checkpoints where a remote is the authority: it has them first, and every clone follows."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.store.care import GitCare
from gitsched.adapters.store.shared import SharedStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import ARCHIVE_REF, STATE_REF
from gitsched.domain.instants import after
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus
from gitsched.engine.hygiene.gc import archive
from tests.real_git import Git, run_git
from tests.store.remotes import clone_of, joined, shared, tip
from tests.store.test_gc import LATER_S, month_ago
from tests.store.verbs import TickingClock, applied, enqueue, form, git_fsck, raise_priority, told_truly

pytestmark = pytest.mark.usefixtures("sound")


def later(clone: Path) -> SharedStore:
    """Open the store of a clone forty days later."""
    store = joined(clone, "d2")
    store._clock = TickingClock(after(TickingClock().at, LATER_S))
    store.catch_up()
    return store


def test_a_checkpoint_is_the_remotes_and_other_clones_go_on(repo: Path, remote: Path, other: Path, git: Git) -> None:
    """S-21 (clones): a clone that still has the old history goes on without an error, and loses nothing."""
    store = shared(repo)
    store.apply(enqueue(1))
    for _ in range(12):
        store.apply(raise_priority(1))
    stale = joined(other, "d9")
    stale.catch_up()
    stale.read()
    now = later(repo)
    now.apply(raise_priority(1))
    assert GitCare(now).compact(month_ago()) == 14
    assert tip(remote, STATE_REF) == tip(repo, STATE_REF)
    assert git(remote, "rev-list", "--count", STATE_REF) == "3"
    applied(stale.apply(raise_priority(1)))
    assert stale.read().entries[1].priority == 14
    assert tip(remote, STATE_REF) == tip(other, STATE_REF)
    assert told_truly(stale) == []
    fresh = joined(clone_of(remote, other.parent / "fresh"))
    fresh.catch_up()
    assert fresh.read().entries[1].priority == 14
    names = [event.name for entry in fresh.history() for event in entry.events]
    assert names.count(EventName.REPRIORITIZED) == 14, "the archive came along with what was cut off"
    for place in (remote, repo, other):
        git_fsck(place)


def test_an_ended_batch_is_archived_on_the_remote_with_its_removal(repo: Path, remote: Path, other: Path) -> None:
    """S-20 (clones): state and archive move in one push, and another clone finds the batch where it is then."""
    store = shared(repo)
    store.apply(enqueue(1, 2))
    store.apply(form("b1", 1))
    store.apply(form("b2", 2))

    def end(draft: Draft) -> None:
        over = replace(draft.state.batches["b1"], status=BatchStatus.STOPPED)
        draft.note(EventName.BATCH_STOPPED, "Stop b1", over, batch="b1")

    store.apply(end)
    applied(store.apply(lambda draft: archive(draft, GitCare(store), ["b1", "b2"])))
    assert tip(remote, ARCHIVE_REF) is not None
    there = joined(other)
    there.catch_up()
    assert (list(there.read().batches), list(there.ended().batches)) == (["b2"], ["b1"])
    assert told_truly(there) == []
    told = run_git(remote, "ls-tree", "-r", "--name-only", STATE_REF)
    assert "batches/b1/" not in told
