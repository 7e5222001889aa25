"""Clones that write to one remote take turns: who has won gives way to those who have lately written."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gitsched.adapters.git.push_report import PushAnswer, RaceLost
from gitsched.adapters.git.remote import Remote
from gitsched.adapters.store.book import BookFile
from gitsched.adapters.store.line import Line, take_if_free
from gitsched.adapters.store.rivalry import LONGEST_S, Rivalry, clone_of
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import RefMove
from gitsched.errors import BusyError
from tests.store.remotes import clone_of as cloned
from tests.store.remotes import joined, make_remote, shared
from tests.store.verbs import applied, enqueue, raise_priority

pytestmark = pytest.mark.usefixtures("sound")


class Counting(Remote):
    """A remote that counts lost races and fetches."""

    lost_count = fetch_count = 0

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        """Push, and count."""
        answer = super().push(moves)
        self.lost_count += isinstance(answer, RaceLost)
        return answer

    def fetch(self) -> Unreachable | None:
        """Fetch, and count."""
        self.fetch_count += 1
        return super().fetch()


def test_a_clone_that_met_nobody_hardly_waits() -> None:
    """Now and then it lets those in who never won: three pushes' time, in the end once in 256."""
    rivalry, waits, now_s = Rivalry(), list[float](), 1.0
    for _ in range(2000):
        now_s += 0.1
        assert not rivalry.won(now_s - 0.1, now_s, 0.1), "nothing that waits is void for that"
        waits.append(rivalry.wait_s(now_s - 0.1, now_s) or 0.0)
        now_s += waits[-1]
        rivalry.due_s = 0.0
    assert max(waits[:15]) == 0.0
    assert sum(waits) < 0.02 * 2000 * 0.1
    assert sum(waits[:100]) > 0


def test_whoever_has_won_waits_for_as_long_as_its_rivals_need() -> None:
    rivalry = Rivalry(turn_s=0.2)
    rivalry.met({"aa", "bb", "cc"}, 10.0)
    assert not rivalry.won(10.0, 10.1, 0.1), "a turn has a second push"
    assert rivalry.won(10.0, 10.2, 0.1)
    assert rivalry.wait_s(10.0, 10.2) == pytest.approx(0.6)
    assert rivalry.wait_s(10.0, 10.9) == 0.0, "its turn has come, but what they did is not here"
    assert rivalry.wait_s(10.85, 10.9) is None


def test_rivals_are_forgotten_and_nobody_waits_for_ever() -> None:
    rivalry = Rivalry(turn_s=3.0)
    rivalry.met(map(str, range(32)), 10.0)
    assert [rivalry.won(10.0, 16.0, 0.1), rivalry.won(10.0, 16.0, 0.1)] == [False, False], (
        "they have not written for long"
    )
    rivalry.met(map(str, range(32)), 20.0)
    assert [rivalry.won(20.0, 21.0, 0.1), rivalry.won(20.0, 21.0, 0.1)] == [True, False]
    assert rivalry.wait_s(20.0, 21.0) == LONGEST_S
    assert rivalry.wait_s(1.0, 2.0) is None, "that was before a boot"


def test_a_driver_names_its_clone() -> None:
    assert (clone_of("cli-7.a1b2"), clone_of("d1")) == ("a1b2", "d1")


def test_who_gave_way_looks_before_it_decides(repo: Path, tmp_path: Path) -> None:
    """P8: the clone that won lets the other go first, and finds what it did without losing a race."""
    remote = make_remote(tmp_path, repo)
    shared(repo, driver="d1.one").apply(enqueue(1))
    there = joined(cloned(remote, tmp_path / "other"), "d2.two")
    applied(there.apply(raise_priority(1)))
    counted = Counting(repo / ".git", "origin", "main")
    here = joined(repo, "d1.one", counted)
    assert here.catch_up() is None
    book = BookFile(here.place.own / "shared" / "book")
    assert set(book.read().rivalry.seen_s) == {"two"}
    applied(here.apply(raise_priority(1)))  # it has pushed before: this ends its turn
    assert book.read().rivalry.due_s > book.read().fetched_s
    there.catch_up()
    applied(there.apply(raise_priority(1)))
    applied(here.apply(raise_priority(1)))
    assert (counted.lost_count, counted.fetch_count) == (0, 2)
    assert here.read().entries[1].priority == 4


def test_what_one_fetches_the_others_need_not_look_for(repo: Path, tmp_path: Path) -> None:
    """P8: who has fetched tells all of it, and who waits in a clone tells each step; they read what the trees say."""
    remote = make_remote(tmp_path, repo)
    shared(repo).apply(enqueue(1, 2))
    there = joined(cloned(remote, tmp_path / "other"), "d2.two")
    here, beside = joined(repo, "d1.one"), joined(repo, "d3.one")
    for store in (here, beside):
        store.catch_up()
        store.read()
    known, latest = beside.tip or "", beside.writer().latest
    latest.since(known, known)  # from here on it hears of each
    for issue in (1, 2, 2):
        applied(there.apply(raise_priority(issue)))
    here.catch_up()
    here.read()
    told = latest.since(known, here.tip or "")
    assert [(change.old, change.new, sorted(change.rows.entries or {})) for change in told] == [
        (known, here.tip, [1, 2])
    ]
    before = here.tip or ""
    applied(here.apply(raise_priority(1)))
    assert [change.new for change in latest.since(before, here.tip or "")] == [here.tip]
    assert beside.read() == here.read() == joined(repo).read()


def test_a_line_that_nobody_leaves_ends_in_an_error(tmp_path: Path) -> None:
    line = Line(tmp_path / "line", 0.1)
    with line.front(lambda: False), pytest.raises(BusyError, match="has kept the line"), line.front(lambda: False):
        raise AssertionError("somebody is at its front")


def test_a_line_whose_file_was_removed_goes_on_with_another(tmp_path: Path) -> None:
    file = tmp_path / "line"
    line = Line(file, 20.0)
    with line.front(lambda: False):
        file.unlink()
        with line.front(lambda: False), file.open() as again:
            assert not take_if_free(again.fileno())
