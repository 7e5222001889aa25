"""A remote whose state somebody set back: no clone follows it, and a meeting heals it."""

import shutil
from pathlib import Path

import pytest

from gitsched.adapters.store.meeting import meet
from gitsched.adapters.store.shared import SharedStore
from gitsched.domain.ids import KEEP_REF, LANDING_NOTES, STATE_REF
from gitsched.domain.state import Draft, Note
from gitsched.errors import FormatError, StateRewoundError
from tests.real_git import Git, run_git
from tests.store.remotes import clone_of, joined, shared, tip
from tests.store.verbs import applied, enqueue, git_fsck

pytestmark = pytest.mark.usefixtures("sound")

REFUSES = "`gitsched sync` gives it this clone's newer one"


@pytest.fixture
def store(repo: Path, remote: Path) -> SharedStore:
    """Give a store of three entries, made one by one, that its remote has."""
    assert remote.exists()
    store = shared(repo)
    for issue in (1, 2, 3):
        applied(store.apply(enqueue(issue)))
    return store


def set_back(remote: Path, count: int, ref: str = STATE_REF) -> None:
    """Set a ref of the remote back by so many commits."""
    run_git(remote, "update-ref", ref, f"{ref}~{count}")


def entries(clone: Path) -> list[int]:
    """List what a clone has after it has asked the remote."""
    store = joined(clone)
    store.catch_up()
    return sorted(store.read().entries)


@pytest.mark.parametrize("count", [1, 2])
def test_an_older_state_is_refused_and_the_newer_given_back(
    store: SharedStore, repo: Path, remote: Path, other: Path, count: int
) -> None:
    assert entries(other) == [1, 2, 3]
    last = tip(repo, STATE_REF)
    set_back(remote, count)
    older = tip(remote, STATE_REF)
    for _ in range(2):
        with pytest.raises(StateRewoundError, match=REFUSES):
            joined(other).apply(enqueue(4))
    with pytest.raises(StateRewoundError, match=f"was at {last}, and is at {older}"):
        store.apply(enqueue(4))
    assert (tip(other, STATE_REF), tip(repo, STATE_REF), tip(remote, STATE_REF)) == (last, last, older)
    assert meet(joined(other), "ann") is None, "it is pushed as it is"
    assert tip(remote, STATE_REF) == last
    assert entries(repo) == [1, 2, 3]
    applied(joined(repo).apply(enqueue(4)))
    assert entries(other) == [1, 2, 3, 4]
    git_fsck(remote)


def test_what_others_built_on_an_older_state_is_joined(
    store: SharedStore, repo: Path, remote: Path, other: Path, tmp_path: Path
) -> None:
    assert store.read().entries
    assert entries(other) == [1, 2, 3]
    set_back(remote, 2)
    fresh = clone_of(remote, tmp_path / "fresh")
    assert entries(fresh) == [1], "a clone that knows nothing yet takes what is there"
    applied(joined(fresh).apply(enqueue(5)))
    with pytest.raises(StateRewoundError, match=REFUSES):
        joined(other).apply(enqueue(6))
    met = meet(joined(other), "ann")
    assert met is not None
    assert (met.issues, met.batches) == ((), ())
    for clone in (other, repo, fresh):
        assert entries(clone) == [1, 2, 3, 5], "the others agree without a meeting of their own"
    assert len({tip(place, STATE_REF) for place in (other, repo, fresh, remote)}) == 1
    assert run_git(other, "for-each-ref", "refs/gitsched-apart/") == ""
    git_fsck(remote)


def test_work_that_waited_is_not_taken_for_done(store: SharedStore, repo: Path, remote: Path) -> None:
    def decide_while_it_is_set_back() -> None:
        with store.together():
            store.apply(enqueue(4))
            set_back(remote, 2)

    with pytest.raises(StateRewoundError):
        decide_while_it_is_set_back()
    assert tip(remote, STATE_REF) != tip(repo, STATE_REF)
    meet(joined(repo), "ann")
    assert entries(repo) == [1, 2, 3], "whoever decided it was told that it did not happen"
    applied(joined(repo).apply(enqueue(4)))
    assert entries(repo) == [1, 2, 3, 4]
    git_fsck(remote)


def test_a_clone_whose_book_is_gone_loses_nothing(store: SharedStore, repo: Path, remote: Path, other: Path) -> None:
    assert store.read().entries
    assert entries(other) == [1, 2, 3]
    set_back(remote, 2)
    shutil.rmtree(other / ".git" / "gitsched" / "shared")
    assert meet(joined(other), "ann") is not None
    assert entries(repo) == entries(other) == [1, 2, 3]
    git_fsck(remote)


def test_notes_and_what_is_kept_are_not_dropped_with_the_remotes(
    store: SharedStore, repo: Path, remote: Path, git: Git
) -> None:
    works = [git(repo, "commit-tree", "-m", f"Work {number}", "HEAD^{tree}") for number in (1, 2, 3)]
    for issue, work in enumerate(works, 4):

        def intent(draft: Draft, issue: int = issue, work: str = work) -> None:
            enqueue(issue)(draft)
            draft.keeps.append(work)
            draft.notes.append(Note(LANDING_NOTES, work, "landed"))

        applied(store.apply(intent))
    refs = (KEEP_REF, LANDING_NOTES)
    for ref in refs:
        set_back(remote, 1, ref)
    here = [tip(repo, ref) for ref in refs]
    applied(joined(repo).apply(enqueue(9)))
    assert [tip(repo, ref) for ref in refs] == here
    set_back(remote, 1)
    meet(joined(repo), "ann")
    assert [tip(remote, ref) for ref in refs] == here, "they go back with the state"
    assert entries(repo) == [1, 2, 3, 4, 5, 6, 9]
    git_fsck(remote)


@pytest.mark.parametrize("is_anew", [False, True])
def test_branches_set_back_together_with_the_state_stay_and_go_back(
    store: SharedStore, repo: Path, remote: Path, git: Git, is_anew: bool
) -> None:
    """A remote that was put back from an older copy, or made anew, takes no branch from the clone that knew newer."""
    landing, later = "refs/heads/gitsched/b1/landing", "refs/heads/gitsched/b2/landing"
    works = [git(repo, "commit-tree", "-p", "HEAD", "-m", f"Work {number}", "HEAD^{tree}") for number in (1, 2)]
    git(repo, "update-ref", landing, git(repo, "commit-tree", "-p", works[0], "-m", "Land", "HEAD^{tree}"))
    git(repo, "update-ref", later, works[1])
    assert store.carry() is None
    here = [tip(repo, ref) for ref in (STATE_REF, landing, later)]
    assert [tip(remote, ref) for ref in (STATE_REF, landing, later)] == here
    for ref in (STATE_REF, landing):
        git(remote, "update-ref", *(("-d", ref) if is_anew else (ref, f"{ref}~1")))
    git(remote, "update-ref", "-d", later)
    meet(joined(repo), "ann")
    for place in (repo, remote):
        assert [tip(place, ref) for ref in (STATE_REF, landing, later)] == here
    git_fsck(remote)


def test_a_chain_with_nothing_in_common_is_refused_and_joined(
    store: SharedStore, repo: Path, remote: Path, git: Git
) -> None:
    last = tip(repo, STATE_REF)
    chain, stands_on = "", list[str]()
    for older in (f"{STATE_REF}~3", f"{STATE_REF}~2"):
        message = git(remote, "log", "-1", "--format=%B", older)
        chain = git(remote, "commit-tree", *stands_on, "-m", message, f"{older}^{{tree}}")
        stands_on = ["-p", chain]
    git(remote, "update-ref", STATE_REF, chain)
    with pytest.raises(StateRewoundError, match=REFUSES):
        store.apply(enqueue(4))
    assert (tip(repo, STATE_REF), tip(remote, STATE_REF)) == (last, chain)
    assert meet(joined(repo), "ann") is not None
    assert entries(repo) == [1, 2, 3]
    assert last is not None
    git(remote, "merge-base", "--is-ancestor", last, KEEP_REF)
    git_fsck(remote)


def test_another_store_put_in_its_place_is_refused_and_ours_is_kept(
    store: SharedStore, repo: Path, remote: Path, tmp_path: Path
) -> None:
    last = tip(repo, STATE_REF)
    run_git(remote, "update-ref", "-d", STATE_REF)
    shared(clone_of(remote, tmp_path / "third"))
    with pytest.raises(StateRewoundError):
        store.apply(enqueue(4))
    assert tip(repo, STATE_REF) == last
    with pytest.raises(FormatError, match="two stores are never joined"):
        meet(joined(repo), "ann")
    assert tip(repo, "refs/gitsched-apart/1/gitsched/state") == last, "it is kept"
