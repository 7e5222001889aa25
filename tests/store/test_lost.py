"""A state whose ref somebody removed: it is recognised, nothing is set up over it, and it can be put back."""

import re
import subprocess
from pathlib import Path

import pytest

from gitsched.adapters.store.lost import missing
from gitsched.adapters.store.meeting import meet
from gitsched.adapters.store.store import GitStore
from gitsched.domain.ids import ARCHIVE_REF, KEEP_REF, STATE_REF, VERDICT_NOTES
from gitsched.domain.outcomes import Unchanged
from gitsched.domain.records import Control
from gitsched.domain.state import Draft, Note
from gitsched.errors import NotSetUpError, StateLostError
from tests.real_git import Git, run_git
from tests.store.remotes import clone_of, joined, make_remote, shared, tip
from tests.store.verbs import applied, begun, enqueue, git_fsck, opened, raise_priority

pytestmark = pytest.mark.usefixtures("sound")

PUTS_BACK = re.compile(r"`git update-ref refs/gitsched/state ([0-9a-f]{40})` puts it back")


def keeping(repo: Path) -> str:
    """Make a commit that nothing names, and let it be kept."""
    work = run_git(repo, "commit-tree", "-m", "Work", "HEAD^{tree}")

    def intent(draft: Draft) -> None:
        enqueue(7)(draft)
        draft.keeps.append(work)
        draft.notes.append(Note(VERDICT_NOTES, run_git(repo, "rev-parse", "HEAD"), "pass"))

    applied(opened(repo).apply(intent))
    return work


def told_by(store: GitStore) -> str:
    """Say how the state is put back: reading and setting up refuse alike."""
    with pytest.raises(StateLostError) as at_reading:
        store.read()
    with pytest.raises(StateLostError) as at_setting_up:
        store.initialise(Control())
    assert at_reading.value.remedy == at_setting_up.value.remedy
    assert at_reading.value.exit_code == 1
    found = PUTS_BACK.search(at_reading.value.remedy)
    return found[1] if found is not None else ""


@pytest.mark.parametrize("logs", [True, False], ids=["log", "no-log"])
def test_a_removed_state_is_found_again(repo: Path, git: Git, *, logs: bool) -> None:
    begun(repo, fsync=logs).apply(enqueue(1, 2))
    keeping(repo)
    last = applied(opened(repo, fsync=logs).apply(raise_priority(1))).commit
    before = opened(repo).read()
    git(repo, "update-ref", "-d", STATE_REF)
    assert told_by(opened(repo, fsync=logs)) == last
    assert git(repo, "for-each-ref", STATE_REF) == "", "nothing was set up over it"
    git(repo, "update-ref", STATE_REF, last)
    assert opened(repo).read() == before
    git_fsck(repo)


def test_with_all_refs_gone_the_log_tells(repo: Path, git: Git) -> None:
    begun(repo, fsync=True).apply(enqueue(1))
    last = applied(opened(repo, fsync=True).apply(raise_priority(1))).commit
    git(repo, "gc", "-q")
    git(repo, "update-ref", "-d", STATE_REF)
    with pytest.raises(StateLostError, match="the log of transactions is left of it"):
        opened(repo).read()
    assert told_by(opened(repo)) == last
    git(repo, "gc", "-q", "--prune=now")
    with pytest.raises(NotSetUpError):
        opened(repo).read()
    assert not begun(repo).read().entries, "nothing of it is left that could be lost"


def test_one_that_was_collected_is_not_set_up_anew(repo: Path, git: Git) -> None:
    begun(repo)
    keeping(repo)
    git(repo, "update-ref", "-d", STATE_REF)
    git(repo, "gc", "-q", "--prune=now")
    assert told_by(opened(repo)) == ""
    with pytest.raises(StateLostError, match=r"keep' is left of it\. No commit of it is left here"):
        opened(repo).read()
    listed = git(repo, "for-each-ref", "--format=delete %(refname)", "refs/gitsched", "refs/notes/gitsched")
    git(repo, "update-ref", "--stdin", stdin=f"{listed}\n")
    assert not begun(repo).read().entries


def test_a_transaction_that_lost_its_race_is_not_taken_for_it(repo: Path, git: Git) -> None:
    store = begun(repo, fsync=True)
    keeping(repo)
    lost = applied(store.apply(enqueue(1))).commit
    git(repo, "update-ref", STATE_REF, f"{lost}~1")
    won = applied(opened(repo, fsync=True).apply(enqueue(2))).commit
    git(repo, "update-ref", "-d", STATE_REF)
    assert lost != won
    assert told_by(opened(repo)) == won


def test_where_there_never_was_one_it_is_set_up(repo: Path) -> None:
    store = opened(repo)
    with pytest.raises(NotSetUpError, match="`gitsched init` sets it up"):
        store.read()
    begun(repo, fsync=True)
    run_git(repo, "update-ref", "-d", STATE_REF)
    assert isinstance(missing(store.place, store.objects, "It was to be read.", "Begin."), NotSetUpError), (
        "it was empty"
    )


def test_a_state_removed_in_a_clone_comes_back_from_the_remote(repo: Path, tmp_path: Path, git: Git) -> None:
    remote = make_remote(tmp_path, repo)
    store = shared(repo)
    applied(store.apply(enqueue(1, 2)))
    last = tip(remote, STATE_REF)
    git(repo, "update-ref", "-d", STATE_REF)
    with pytest.raises(StateLostError, match=PUTS_BACK):
        joined(repo).read()
    again = joined(repo)
    assert isinstance(again.initialise(Control()), Unchanged)
    assert (tip(remote, STATE_REF), tip(repo, STATE_REF)) == (last, last)
    assert sorted(again.read().entries) == [1, 2]


def test_a_state_that_the_remote_has_lost_is_kept_and_given_back(repo: Path, tmp_path: Path, git: Git) -> None:
    remote = make_remote(tmp_path, repo)
    other = clone_of(remote, tmp_path / "other")
    store = shared(repo)
    work = git(repo, "commit-tree", "-m", "Work", "HEAD^{tree}")

    def intent(draft: Draft) -> None:
        enqueue(1)(draft)
        draft.keeps.append(work)

    applied(store.apply(intent))
    joined(other).catch_up()
    last, kept = tip(repo, STATE_REF), tip(repo, KEEP_REF)
    for ref in (STATE_REF, KEEP_REF):
        git(remote, "update-ref", "-d", ref)
    for _ in range(2):
        with pytest.raises(StateLostError, match="`gitsched sync` gives it this clone's"):
            joined(other).apply(enqueue(2))
    assert (tip(other, STATE_REF), tip(other, KEEP_REF), tip(remote, STATE_REF)) == (last, kept, None)
    assert meet(joined(repo), "ada") is None
    assert (tip(remote, STATE_REF), tip(remote, KEEP_REF)) == (last, kept)
    applied(joined(other).apply(enqueue(2)))
    assert sorted(joined(other).read().entries) == [1, 2]
    git_fsck(remote)


def test_what_the_remote_has_lost_beside_the_state_rides_along(repo: Path, tmp_path: Path, git: Git) -> None:
    remote = make_remote(tmp_path, repo)
    store = shared(repo)
    work = git(repo, "commit-tree", "-m", "Work", "HEAD^{tree}")

    def intent(draft: Draft) -> None:
        enqueue(1)(draft)
        draft.keeps.append(work)

    applied(store.apply(intent))
    kept = tip(repo, KEEP_REF)
    git(remote, "update-ref", "-d", KEEP_REF)
    applied(joined(repo).apply(enqueue(2)))
    assert (tip(repo, KEEP_REF), tip(remote, KEEP_REF), tip(remote, ARCHIVE_REF)) == (kept, kept, None)
    subprocess.run(["git", "-C", repo, "gc", "-q", "--prune=now"], check=True)
    git(repo, "cat-file", "-e", work)
