"""The one who pushes: everything that waits in a clone goes to the remote as one push.

All writers of a clone stand in one line for it. Whoever comes to its front pushes what waits, everybody's; the others
find theirs done when their turn comes. An answer that was lost is settled by what the remote has, never by asking
again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import SystemRandom
from threading import Event
from typing import assert_never

from gitsched.adapters.git.process import engine_git
from gitsched.adapters.git.push_report import NotHere, PushAnswer, Pushed, PushRefused, RaceLost, Unanswered
from gitsched.adapters.git.remote import Remote
from gitsched.adapters.store.book import Book, BookFile, folded
from gitsched.adapters.store.budget import Budget
from gitsched.adapters.store.following import Follower, is_by_transaction, is_followed
from gitsched.adapters.store.line import Line
from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.queue import Queue, Turn
from gitsched.adapters.store.riders import PRIVATE, riders
from gitsched.adapters.store.rivalry import clone_of
from gitsched.domain.ids import STATE_REF
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import RefMove
from gitsched.errors import BusyError

LINE_S = 240.0
"""How long a writer stands in line: a push and a fetch at their limits, and a minute of the budget."""

_GATHER_S, _GROWS_S, _LOOK_S, _RECENT_S = 0.2, 0.03, 0.003, 10.0
"""How long to wait for others at most, without another coming, between two looks, and after which push at all."""

_CHANCE = SystemRandom()
_LONGEST_PAUSE, _LONGEST_TURN = 4, 16
"""A pause in the time of pushes."""

LocalMove = Callable[[list[RefMove], Turn, LooseWriter], bool]
"""Moves local refs as one, durably, to what was written; False: one of them is elsewhere, or something is missing."""


class Pusher:
    """Pushes and fetches for all writers of one clone."""

    def __init__(  # many-parameters: everything that a push touches
        self,
        own: Path,
        remote: Remote,
        queue: Queue,
        follower: Follower,
        budget: Budget,
        move: LocalMove,
        is_discreet: Callable[[], bool],
        driver: str,
    ) -> None:
        """Stand on a clone by its folder of ours.

        `queue` is the one of its local transactions; `is_discreet` says whether the remote is not to have `PRIVATE`;
        `driver` signs what is written here.
        """
        self._clone = clone_of(driver)
        self.book = BookFile(own / "shared" / "book")
        self.remote = remote
        self._line = Line(own / "shared" / "line", LINE_S)
        self._queue = queue
        self._follower = follower
        self._budget = budget
        self._move = move
        self._objects = own.parent / "objects"
        self._is_discreet = is_discreet
        self._git = engine_git(own.parent)
        self.has_carried = False
        """Whether the last push arrived, or had nothing to bring."""

    @contextmanager
    def front(self, is_done: Callable[[], bool] | None = None) -> Iterator[None]:
        """Stand in line and be at its front, or see in the book that it is done; raises BusyError (see `Line`)."""
        seen: object = None

        def is_over() -> bool:
            nonlocal seen
            before, seen = seen, self.book.stamp()
            return is_done is not None and seen != before and is_done()

        with self._line.front(is_over):
            yield

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Take a turn at the clone's refs and its book; raises BusyError when its holder is stuck."""
        with self._queue.turn() as turn:
            if turn.fd is None:
                raise BusyError("A transaction was to be written.", "Another process keeps the clone's queue.")
            yield turn

    def has_fetched(self, since_s: float) -> bool:
        """Say whether another process of this clone has fetched since then."""
        return self.book.read().has_fetched_since(since_s, time.monotonic())

    def fetch(self, *, is_meeting: bool = False) -> Unreachable | None:
        """Bring what the remote has, at the front of the line; what waits is judged by it, and local refs follow.

        Raises ApartError (see `Follower.follow`).
        """
        began_s = time.monotonic()
        away = self.remote.fetch()
        if away is not None:
            return away
        with self.turn():
            book = self.book.read()
            before = book.known.get(STATE_REF)
            self._follower.follow(book, self.remote.seen(), is_meeting=is_meeting)
            book.rivalry.met(
                self._follower.writers(before, book.known.get(STATE_REF)) - {self._clone}, time.monotonic()
            )
            book.fetched_s = began_s
            self.book.write(book)
        return None

    def await_turn(self) -> Unreachable | None:
        """Let other clones go first where this one has just won a race, then bring what they did."""
        book = self.book.read()
        wait_s = book.rivalry.wait_s(book.fetched_s, time.monotonic())
        if wait_s is None:
            return None
        Event().wait(max(wait_s, self._budget.wait_s(book.pushed_s, time.monotonic())))
        due_s = book.rivalry.due_s
        with self.front(lambda: self.has_fetched(due_s)):
            return None if self.has_fetched(due_s) else self.fetch()

    def push(self, pinned: dict[str, str], *, alone: bool = False) -> Unreachable | None:
        """Push all that waits, at the front of the line; what came of it stands in the book.

        `alone`: nothing has to wait, what rides along may go by itself.
        """
        if self.book.read().sent_count and (away := self.fetch()) is not None:
            return away
        self._await_budget()
        self._gather()
        with self.turn():
            book = self.book.read()
            self.restored()
            asked = [_leased(move, book) for move in folded(book.waiting).values()]
            ridden = riders(self._git, book, pinned, PRIVATE if self._is_discreet() else ())
            along = [move for move in ridden if move.name not in {one.name for one in asked}]
            count = len(book.waiting)
            if not asked and not (along and alone):
                book.accept(count)  # what waited without a move is done
                self.book.write(book)
                self.has_carried = True
                return None
            book.sent_count, book.shared_count = count, max(count, book.shared_count * 3 // 4)
            book.pushed_s = [*self._budget.recent(book.pushed_s, time.monotonic()), time.monotonic()]
            self.book.write(book)
        return self._sent(asked, along, count)

    def restored(self, count: int | None = None) -> LooseWriter:
        """Write again, in a turn, what a garbage collection took of the first so many that wait; give it all."""
        writer = LooseWriter(self._objects)
        for one in self.book.read().waiting[:count]:
            writer.packed |= one.objects
        writer.restore()
        return writer

    def withdraw(self) -> None:
        """Take back what was never sent: whoever waits for it is told that the remote is away."""

        def withdrawn(book: Book) -> None:
            book.waiting = book.waiting[: book.sent_count]

        self._change(withdrawn)

    def _sent(self, asked: list[RefMove], along: list[RefMove], count: int) -> Unreachable | None:
        # A ref that is to stay where it is goes along too: where it is elsewhere by now, all of the push fails.
        sent = [move for move in asked if move.new is not None or move.old is not None]
        sent += [move for move in along if move.old != move.new]
        with self._follower.holding([move.new for move in asked if move.new], self.restored(count)) as are_here:
            began_s = time.monotonic()
            answer = NotHere("") if not are_here else self.remote.push(sent) if sent else Pushed()
            took_s = time.monotonic() - began_s
            is_whole = not isinstance(answer, Pushed) or self._accepted(asked, along, count, took_s)
        return self._answered(answer, along, took_s) if is_whole else self.fetch()

    def _answered(self, answer: PushAnswer, along: list[RefMove], took_s: float) -> Unreachable | None:
        self.has_carried = isinstance(answer, Pushed)
        match answer:
            case Pushed():
                return None
            case RaceLost():
                self._pause(took_s)
                return self.fetch()
            case Unanswered():
                return self.fetch()
            case NotHere():
                self._change(Book.void)
                return None
            case PushRefused(ref, words):
                self._refused(ref, words, along)
                return None
            case _:
                assert_never(answer)

    def _accepted(self, asked: list[RefMove], along: list[RefMove], count: int, took_s: float) -> bool:
        """Follow an accepted push; a kill in between is made good by the next fetch.

        False: something of it was collected here meanwhile, and has to be fetched.
        """
        with self.turn() as turn:
            book = self.book.read()
            local = [self._here(move) for one in [folded(book.waiting[:count])] for move in one.values()]
            left: set[str] = set()
            if not self._move(local, turn, self.restored(count)):
                left = {move.name for move in local if not self._follower.bring(move)}
            for move in (*asked, *along):
                if move.name not in left:
                    _set(book, move)
            book.accept(count)
            self._give_way(book, took_s)
            self.book.write(book)
            return not left

    def _here(self, move: RefMove) -> RefMove:
        """Name the local ref that follows a move: a branch of the user's is theirs, and only its sight is ours."""
        return move if is_followed(move.name) else RefMove(self.remote.target_seen, move.old, move.new)

    def _refused(self, ref: str, words: str, along: list[RefMove]) -> None:
        """Note a refusal. One of a ref that only rode along concerns nobody else: it rides no more."""
        ridden = {move.name: move for move in along}

        def noted(book: Book) -> None:
            if ref in ridden and not is_by_transaction(ref):
                book.astray[ref] = ridden[ref].new or ""
                book.sent_count = 0
            else:
                book.refuse(ref, words)

        self._change(noted)

    def _change(self, change: Callable[[Book], None]) -> None:
        with self.turn():
            book = self.book.read()
            change(book)
            self.book.write(book)

    def _gather(self) -> None:
        """Wait a moment for those who shared the last push: told of it just now, they are about to come back.

        Not after a lost race: whoever goes on winning is only overtaken by one who is quicker.
        """
        book, now_s = self.book.read(), time.monotonic()
        if book.lost_count or now_s - book.pushed_last_s(now_s) > _RECENT_S + book.rivalry.pause_s:
            return
        turn_s = book.rivalry.turn_s if book.rivalry.seen_s else 0.0
        until_s, grows_s = now_s + max(_GATHER_S, book.took_s / 2, turn_s), max(_GROWS_S, book.took_s / 8, turn_s / 8)
        grown_s, count, stamp = now_s, len(book.waiting), self.book.stamp()
        while count < book.shared_count and now_s < min(until_s, grown_s + grows_s):
            Event().wait(_LOOK_S)
            now_s = time.monotonic()
            if stamp != (stamp := self.book.stamp()):
                grown_s, count = now_s, len(self.book.read().waiting)

    def _give_way(self, book: Book, took_s: float) -> None:
        """Let other clones go next, if there are any; what was decided on top meanwhile would come too late then."""
        now_s = time.monotonic()
        if book.rivalry.won(max(book.fetched_s, now_s - _LONGEST_TURN * took_s), now_s, took_s):
            book.void()
        book.took_s, book.lost_count = took_s, 0

    def _pause(self, took_s: float) -> None:
        """Pause after a lost race, by chance, all writers of the clone: who fetches at once meets others."""
        with self.turn():
            book = self.book.read()
            book.took_s, book.lost_count = took_s, book.lost_count + 1
            self.book.write(book)
        Event().wait(_CHANCE.random() * book.took_s * min(2 ** (book.lost_count - 1), _LONGEST_PAUSE))

    def _await_budget(self) -> None:
        while (wait_s := self._budget.wait_s(self.book.read().pushed_s, time.monotonic())) > 0:
            Event().wait(wait_s)


def _leased(move: RefMove, book: Book) -> RefMove:
    """Expect on the remote what is known of it; a ref that we do not follow is expected as the move says."""
    return RefMove(move.name, book.known.get(move.name), move.new) if is_followed(move.name) else move


def _set(book: Book, move: RefMove) -> None:
    book.astray.pop(move.name, None)
    if move.new is None:
        book.known.pop(move.name, None)
    elif is_followed(move.name):
        book.known[move.name] = move.new
