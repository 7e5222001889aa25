"""What writers of one clone tell one another, and what a writer makes of it before its turn."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from gitsched.adapters.store import latest
from gitsched.adapters.store.ahead import look_ahead
from gitsched.adapters.store.latest import Latest
from gitsched.adapters.store.store import GitStore
from gitsched.adapters.store.transaction import Lost, Writer
from gitsched.adapters.store.trees import Trees
from gitsched.codec.changes import Change, change_of
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft, State
from gitsched.errors import RefusedError
from tests.real_git import Git
from tests.store.verbs import applied, begun, enqueue, opened, queued, raise_priority

_BOUND_S = 30.0


def change(old: str, new: str) -> Change:
    made = change_of(old, new, {"queue/07/7": queued(7)}, b"", {})
    assert made is not None
    return made


def pair(file: Path) -> tuple[Latest, Latest]:
    """Give one that tells and one that has read all that is told."""
    teller, reader = Latest(file), Latest(file)
    teller.tell(change("0", "a"))
    assert reader.since("0", "a") == []  # it begins to read where it stands
    return teller, reader


def test_the_way_to_the_tip_is_told(tmp_path: Path) -> None:
    teller, reader = pair(tmp_path / "latest")
    for old, new in (("a", "b"), ("b", "c"), ("c", "d")):
        teller.tell(change(old, new))
    assert [one.new for one in reader.since("a", "c")] == ["b", "c"]
    assert [one.new for one in reader.since("c", "d")] == ["d"]


def test_what_came_to_nothing_is_not_on_the_way(tmp_path: Path) -> None:
    """It is told before the refs move, and not taken back."""
    teller, reader = pair(tmp_path / "latest")
    for old, new in (("a", "void"), ("a", "b"), ("b", "void too"), ("b", "c")):
        teller.tell(change(old, new))
    assert [one.new for one in reader.since("a", "c")] == ["b", "c"]


def test_what_is_being_made_of_the_tip_is_told(tmp_path: Path) -> None:
    teller, reader = pair(tmp_path / "latest")
    assert reader.upon("a") is None
    teller.tell(change("a", "b"))
    assert reader.upon("a") == change("a", "b")
    assert [one.new for one in reader.since("a", "b")] == ["b"]


def test_a_gap_is_left_to_the_trees(tmp_path: Path) -> None:
    teller, reader = pair(tmp_path / "latest")
    teller.tell(change("b", "c"))
    assert reader.since("a", "c") == []
    teller.tell(change("c", "d"))
    assert [one.new for one in reader.since("c", "d")] == ["d"]


def test_a_file_that_is_full_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    teller, reader = pair(tmp_path / "latest")
    monkeypatch.setattr(latest, "_LIMIT_BYTES", 0)
    teller.tell(change("a", "b"))
    assert reader.since("a", "b") == []
    monkeypatch.undo()
    teller.tell(change("b", "c"))
    assert [one.new for one in reader.since("b", "c")] == ["c"]


def test_too_much_is_left_to_the_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    teller, reader = pair(tmp_path / "latest")
    teller.tell(change("a", "b"))
    monkeypatch.setattr(latest, "_LARGEST_BYTES", 8)
    assert reader.since("a", "b") == []
    teller.tell(change("b", "c"))
    monkeypatch.undo()
    teller.tell(change("c", "d"))
    assert [one.new for one in reader.since("c", "d")] == ["d"]


@pytest.mark.parametrize("damage", [b"", b"torn", bytes(64), b"tell" + bytes(60)])
def test_a_file_that_is_damaged_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "latest"
    teller, reader = pair(file)
    file.write_bytes(damage)
    assert reader.since("a", "b") == []
    teller.tell(change("a", "b"))
    assert reader.since("a", "b") == []
    teller.tell(change("b", "c"))
    assert [one.new for one in reader.since("b", "c")] == ["c"]


def test_a_file_that_was_removed_is_left_for_the_one_that_is_there(tmp_path: Path) -> None:
    file = tmp_path / "latest"
    teller, reader = pair(file)
    file.unlink()
    newcomer = Latest(file)
    newcomer.tell(change("a", "b"))
    assert reader.since("a", "b") == []  # and it opens the other one from here on
    assert reader.since("a", "b") == []
    newcomer.tell(change("b", "c"))
    assert [one.new for one in reader.since("b", "c")] == ["c"]
    teller.tell(change("c", "d"))
    assert reader.since("c", "d") == []


def test_no_room_for_it_refuses_no_transaction(repo: Path) -> None:
    store = begun(repo)
    (repo / ".git/gitsched/latest").unlink(missing_ok=True)
    (repo / ".git/gitsched/latest").mkdir()
    applied(opened(repo).apply(enqueue(1)))
    assert 1 in store.read().entries


def ahead_of(store: GitStore, intent: Callable[[Draft], None]) -> object:
    """Look ahead for a transaction, as whoever is next does."""
    assert store._known is not None

    def decided(state: State) -> Draft:
        intent(draft := Draft(state, "2026-05-06T07:08:09.000Z"))
        return draft

    return look_ahead(store.writer(), store.trees, store._known, decided)


def _while_another_writes(
    one: GitStore, other: GitStore, monkeypatch: pytest.MonkeyPatch, outcome: Lost | None
) -> list[int]:
    """Raise a priority while another does, which is told and not true yet; list what it stood on each time.

    The other's comes to `outcome` at first, if there is one.
    """
    seen, reached, looked, real = list[int](), Event(), Event(), Writer.moved

    def raise_seen(draft: Draft) -> None:
        seen.append(draft.state.entries[1].priority)
        raise_priority(2)(draft)

    def look(*args: object) -> object:
        found = look_ahead(*args)  # type: ignore[arg-type]
        if found is not None:
            looked.set()
        return found

    def stand_still(writer: Writer, *args: object) -> object:
        monkeypatch.setattr(Writer, "moved", real)
        reached.set()
        assert looked.wait(_BOUND_S)
        return outcome or real(writer, *args)  # type: ignore[arg-type]

    monkeypatch.setattr("gitsched.adapters.store.ahead.look_ahead", look)
    monkeypatch.setattr(Writer, "moved", stand_still)
    first = Thread(target=one.apply, args=(raise_priority(1),))
    first.start()
    assert reached.wait(_BOUND_S)
    applied(other.apply(raise_seen))
    first.join(_BOUND_S)
    assert one.read() == other.read() == opened(one.place.common).read()
    assert [one.read().entries[issue].priority for issue in (1, 2)] == [3, 1]
    return seen


def _warm(repo: Path) -> tuple[GitStore, GitStore]:
    """Give two stores that follow each other, with issue 1 at priority 2."""
    one, other = begun(repo), opened(repo)
    other.apply(enqueue(1, 2))
    one.apply(raise_priority(1))
    other.apply(raise_priority(1))
    return one, other


def test_whoever_is_next_decides_on_what_is_being_written(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one more transaction, on top of the other, decided once."""
    assert _while_another_writes(*_warm(repo), monkeypatch, None) == [3]


def test_whoever_is_next_decides_again_when_that_came_to_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _while_another_writes(*_warm(repo), monkeypatch, Lost("refs/gitsched/state"))[:2] in ([3, 2], [3, 3])


def test_a_draft_that_moves_refs_or_comes_to_nothing_waits_for_its_turn(repo: Path) -> None:
    one, other = _warm(repo)
    assert ahead_of(other, raise_priority(1)) is None  # nothing is being made
    known = other._known
    assert known is not None
    made = change_of(known[0], "e" * 40, {"queue/03/3": queued(3)}, known[1], {})
    assert made is not None
    one.writer().latest.tell(made)

    def keep(draft: Draft) -> None:
        raise_priority(2)(draft)
        draft.keeps.append(known[0])

    def refuse(_: Draft) -> None:
        raise RefusedError("It was asked.", "No.", "Do not.")

    assert ahead_of(other, raise_priority(2)) is not None
    for intent in (keep, refuse, lambda _: None):
        assert ahead_of(other, intent) is None
    assert other._known == known


def test_upper_trees_are_followed(repo: Path, git: Git) -> None:
    """Also where something new comes, and where a folder goes."""
    one, other = begun(repo), opened(repo)

    def leave(draft: Draft) -> None:
        gone = [draft.state.entries[1]]
        draft.note(EventName.ENQUEUED, "Enqueued 9.", queued(9), removed=gone, issue=9)

    other.apply(enqueue(1, 3))
    for intent in (raise_priority(1), enqueue(2), leave, enqueue(257, 258)):
        applied(one.apply(intent))
        other.read()
        before = dict(other.trees._known)
        applied(other.apply(raise_priority(3)))
        assert git(repo, "fsck", "--strict") == ""
        assert all(Trees(other.objects).tree(oid) == tree for oid, tree in before.items())
    assert one.read() == other.read() == opened(repo).read()
