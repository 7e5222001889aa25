"""The care of a store: ended batches into the archive, old history into a checkpoint, nothing lost on the way."""

import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.store.care import GitCare
from gitsched.adapters.store.store import GitStore
from gitsched.adapters.store.whole import WholeStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import ARCHIVE_REF, STATE_REF
from gitsched.domain.instants import after
from gitsched.domain.words import BatchStatus, EntryStatus
from tests.real_git import Git
from tests.store.rivals import beside, wait_for
from tests.store.verbs import TickingClock, applied, begun, enqueue, form, git_fsck, opened, raise_priority, told_truly

LATER_S = 40 * 86_400.0


def later(repo: Path) -> GitStore:
    """Open the store forty days later."""
    return GitStore(repo, TickingClock(after(TickingClock().at, LATER_S)), "d2", fsync=False)


def month_ago() -> str:
    return after(TickingClock().at, LATER_S / 2)


def worked(repo: Path, count: int) -> GitStore:
    """Give a store with that many transactions of long ago, and three of today."""
    store = begun(repo)
    store.apply(enqueue(1, 2))
    store.apply(form("b1", 2), actor="ada")
    for _ in range(count - 3):
        store.apply(raise_priority(1))
    now = later(repo)
    for _ in range(3):
        now.apply(raise_priority(1), actor="eve")
    return now


def test_old_history_becomes_one_commit_and_the_young_one_stays(repo: Path, git: Git) -> None:
    """S-21: the checkpoint keeps the summary, replay from it equals the tree, and nothing younger is squashed."""
    store = worked(repo, 20)
    before, old_tip = store.read(), git(repo, "rev-parse", STATE_REF)
    young = git(repo, "log", "-3", "--format=%an|%s|%at|%T|%B", STATE_REF)
    assert GitCare(store).compact(month_ago()) == 20
    assert git(repo, "log", "-3", "--skip=1", "--format=%an|%s|%at|%T|%B", STATE_REF) == young
    assert git(repo, "rev-list", "--count", STATE_REF) == "5", "checkpoint, three young ones, the new generation"
    after_it = store.read()
    assert replace(after_it, format=before.format) == before
    assert after_it.format.generation == before.format.generation + 1
    summary = list(store.history())[4].events[0]
    assert (summary.name, summary.fields["count"]) == (EventName.CHECKPOINTED, 20)
    assert summary.fields["names"] == [
        "batch-formed 1",
        "enqueued 2",
        "initialised 1",
        "member-joined 1",
        "reprioritized 17",
    ]
    assert told_truly(store) == []
    assert opened(repo).read() == after_it
    assert git(repo, "merge-base", "--is-ancestor", old_tip, ARCHIVE_REF) == ""
    assert GitCare(store).compact(month_ago()) == 0, "a second time changes nothing"
    git_fsck(repo)


def test_whoever_has_the_old_history_goes_on(repo: Path, git: Git) -> None:
    """S-21 (others): a store that was open, and a reader that stopped in the old history, go on without an error."""
    worked(repo, 20)
    other = opened(repo, driver="d9")
    other.read()
    seen = git(repo, "rev-parse", f"{STATE_REF}~1")
    assert GitCare(later(repo)).compact(month_ago()) == 20
    applied(other.apply(raise_priority(1)))
    told = [[event.name for event in entry.events] for entry in other.history(since=seen)]
    assert told == [[EventName.REPRIORITIZED], [EventName.COMPACTED], [EventName.REPRIORITIZED]]
    newest = git(repo, "rev-parse", f"{STATE_REF}~1")
    assert len(list(other.history(since=newest))) == 1
    assert len(list(other.history(since=git(repo, "rev-parse", f"{STATE_REF}~2")))) == 2


def test_the_whole_story_can_still_be_read_and_its_first_states_too(repo: Path, git: Git) -> None:
    store = worked(repo, 20)
    formed = next(iter(store.history("batches/b1")))
    first = git(repo, "rev-list", "--max-parents=0", STATE_REF)
    GitCare(store).compact(month_ago())
    assert next(iter(store.history("batches/b1"))).events == formed.events
    assert dict(store.read_at(first).entries) == {}
    assert len(list(store.history())) == 3 + 2 + 20


def test_a_second_checkpoint_takes_the_first_one_over(repo: Path) -> None:
    store = worked(repo, 20)
    GitCare(store).compact(month_ago())
    much_later = GitStore(repo, TickingClock(after(TickingClock().at, 3 * LATER_S)), fsync=False)
    for _ in range(2):
        much_later.apply(raise_priority(1))
    assert GitCare(much_later).compact(after(TickingClock().at, 2 * LATER_S)) == 4
    summary = list(much_later.history())[3].events[0]
    assert summary.name is EventName.CHECKPOINTED
    assert "reprioritized 20" in summary.fields["names"]  # type: ignore[operator]
    assert told_truly(much_later) == []


def test_little_history_is_left_alone(repo: Path, git: Git) -> None:
    store = begun(repo)
    tip = git(repo, "rev-parse", STATE_REF)
    assert GitCare(store).compact(month_ago()) == 0, "one commit is as short as it gets"
    store.apply(enqueue(1))
    now = later(repo)
    for _ in range(30):
        now.apply(raise_priority(1))
    assert GitCare(now).compact(month_ago()) == 0, "the young part would be written anew for two old commits"
    assert git(repo, "rev-list", "--max-parents=0", STATE_REF) == tip


def test_compaction_beside_a_writer_loses_no_transaction(repo: Path, git: Git) -> None:
    """S-20 (transactions), S-21: a writer in a hot loop goes on through checkpoints, and each of its changes counts."""
    worked(repo, 40)

    def write_on() -> None:
        store = later(repo)
        store.apply(enqueue(5))
        for number in range(120):
            store.apply(raise_priority(5))
            if number == 20:
                (repo / "going").touch()

    with beside(write_on) as writer:
        wait_for(repo / "going", writer)
        assert GitCare(later(repo)).compact(month_ago()) == 40
        writer.join()
    store = opened(repo)
    assert store.read().entries[5].priority == 120
    assert told_truly(store) == []
    assert git(repo, "rev-list", "--min-parents=2", STATE_REF) == ""
    git_fsck(repo)


def put_away(store: GitStore, *batches: str) -> None:
    """Write batches into the archive, and leave them in the state as well."""
    state = store.read()
    members = [member for key, member in sorted(state.members.items()) if key[0] in batches]
    move = GitCare(store).shelve([*(state.batches[name] for name in batches), *members])
    store.apply(lambda draft: draft.moves.append(move))


def test_the_archive_holds_what_it_was_given_and_can_be_read_by_itself(repo: Path, git: Git) -> None:
    store = begun(repo)
    store.apply(enqueue(1, 2, 3))
    store.apply(form("b1", 1))
    store.apply(form("b2", 2, 3))
    put_away(store, "b1")
    assert list(store.ended().batches) == ["b1"]
    for ref in (ARCHIVE_REF, STATE_REF):
        assert git(repo, "rev-parse", f"{ref}:batches/b1") == git(repo, "rev-parse", f"{STATE_REF}:batches/b1")
    assert git(repo, "ls-tree", "-r", "--name-only", ARCHIVE_REF).splitlines() == [
        "batches/b1/batch",
        "batches/b1/members/1-1",
        "format",
    ]
    put_away(store, "b2")
    assert sorted(store.ended().batches) == ["b1", "b2"]
    assert WholeStore(repo, TickingClock()).read().batches == store.read().batches
    assert opened(repo).ended() == store.ended()


def test_garbage_collection_keeps_archive_and_old_history(repo: Path, git: Git) -> None:
    """S-19 (archive): after `git gc --prune=now` archived batches and the history before a checkpoint are there."""
    store = worked(repo, 20)
    put_away(store, "b1")
    old = git(repo, "rev-parse", f"{STATE_REF}~10")
    GitCare(store).compact(month_ago())
    subprocess.run(["git", "-C", repo, "reflog", "expire", "--expire=now", "--all"], check=True)
    subprocess.run(["git", "-C", repo, "gc", "-q", "--prune=now"], check=True)
    cold = opened(repo)
    assert cold.read_at(old).batches["b1"].status is BatchStatus.FORMING
    assert list(cold.ended().batches) == ["b1"]
    assert len(list(cold.history())) == 25
    assert cold.read().entries[1].status is EntryStatus.QUEUED


def test_git_repacks_by_its_own_rules(repo: Path, git: Git) -> None:
    store = begun(repo)
    git(repo, "config", "gc.auto", "1")
    store.apply(enqueue(*range(1, 600)))
    GitCare(store).repack()
    assert int(git(repo, "count-objects").split()[0]) < 50


def test_dates_say_nothing_of_what_a_ref_holds(repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit that was dated by a clock which was ahead is kept like any other."""
    store = begun(repo)

    def made(word: str, at: str) -> str:
        monkeypatch.setenv("GIT_COMMITTER_DATE", at)
        return git(repo, "commit-tree", "-p", "HEAD", "-m", word, "HEAD^{tree}")

    kept, loose = made("kept", "2040-01-01T00:00:00Z"), made("loose", "2040-01-01T00:00:00Z")
    for commit in (kept, *(made(f"later {number}", "2026-02-01T00:00:00Z") for number in range(9))):
        store.apply(lambda draft, one=commit: draft.keeps.append(one))  # type: ignore[misc]
    assert GitCare(store).unkept([kept, loose]) == {loose}
