"""Two clones of one store that were both worked on apart, and meet."""

from pathlib import Path

import pytest

from gitsched.adapters.store.meeting import meet
from gitsched.adapters.store.store import GitStore
from gitsched.domain.ids import KEEP_REF, LANDING_NOTES, STATE_REF
from gitsched.domain.records import Control
from gitsched.domain.state import Draft, Note
from gitsched.errors import ApartError, FormatError
from tests.real_git import run_git
from tests.store.remotes import clone_of, joined, shared, tip
from tests.store.verbs import TickingClock, applied, enqueue, git_fsck, raise_priority

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def other(repo: Path, remote: Path, tmp_path: Path) -> Path:
    """Give another clone of it that has its state: one entry."""
    shared(repo).apply(enqueue(1))
    place = clone_of(remote, tmp_path / "other")
    joined(place).catch_up()
    return place


def apart(clone: Path) -> GitStore:
    """Open a clone's store as with `remote = ""`."""
    return GitStore(clone, TickingClock(), "d2", fsync=False)


def test_s_14_two_clones_that_worked_apart_lose_nothing(repo: Path, remote: Path, other: Path) -> None:
    """S-14: entries, notes and commits of both are there; the journal tells both stories."""
    applied(joined(repo).apply(enqueue(2)))
    there = run_git(other, "commit-tree", "-m", "work elsewhere", "HEAD^{tree}")
    applied(apart(other).apply(enqueue(3)))

    def landed(draft: Draft) -> None:
        enqueue(4)(draft)
        draft.notes.append(Note(LANDING_NOTES, there, "landed elsewhere"))
        draft.keeps.append(there)

    applied(apart(other).apply(landed))
    own = tip(other, STATE_REF)
    with pytest.raises(ApartError, match="`gitsched sync` joins the two"):
        joined(other).catch_up()
    assert tip(other, STATE_REF) == own, "nothing is overwritten"
    met = meet(joined(other), "ann")
    assert met is not None
    assert (met.issues, met.batches) == ((), ())
    here = joined(repo)
    here.catch_up()
    assert sorted(here.read().entries) == [1, 2, 3, 4]
    assert run_git(repo, "notes", f"--ref={LANDING_NOTES}", "show", there) == "landed elsewhere"
    told = [event.issue for entry in here.history() for event in entry.events if event.name == "enqueued"]
    assert set(told) == {1, 2, 3, 4}
    assert own is not None
    for commit in (own, there):
        run_git(remote, "merge-base", "--is-ancestor", commit, KEEP_REF)
    assert run_git(remote, "rev-list", "--min-parents=2", STATE_REF) == ""
    assert run_git(other, "for-each-ref", "refs/gitsched-apart/") == ""
    assert meet(joined(other), "ann") is None, "once they have met there is nothing more to join"
    git_fsck(remote)


def test_what_both_changed_is_held_and_named(repo: Path, other: Path) -> None:
    """S-14: not silently merged."""
    applied(joined(repo).apply(raise_priority(1)))
    theirs = joined(repo).read().entries[1].priority
    applied(apart(other).apply(raise_priority(1)))
    applied(apart(other).apply(raise_priority(1)))
    met = meet(joined(other), "ann")
    assert met is not None
    assert met.issues == (1,)
    entry = joined(other).read().entries[1]
    assert (entry.priority, entry.hold) == (theirs, "record-conflict")


def test_a_call_that_died_in_between_goes_on(other: Path) -> None:
    applied(apart(other).apply(enqueue(5)))
    store = joined(other)
    store.need(is_meeting=True)
    assert sorted(store.read().entries) == [1], "the remote's is in place, ours is set aside"
    assert meet(joined(other), "ann") is not None
    assert sorted(joined(other).read().entries) == [1, 5]


def test_a_remote_without_state_is_given_all(repo: Path, remote: Path) -> None:
    store = apart(repo)
    store.initialise(Control())
    applied(store.apply(enqueue(1)))
    assert meet(joined(repo), "ann") is None
    assert tip(remote, STATE_REF) == tip(repo, STATE_REF)


def test_two_stores_are_never_joined(other: Path, tmp_path: Path, remote: Path) -> None:
    assert other.exists()
    third = clone_of(remote, tmp_path / "third")
    store = apart(third)
    store.initialise(Control())
    applied(store.apply(enqueue(9)))
    with pytest.raises(FormatError, match="two stores are never joined"):
        meet(joined(third), "ann")
    assert "refs/gitsched-apart/1/gitsched/state" in run_git(third, "for-each-ref"), "it is kept"
