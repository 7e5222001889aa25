"""The store of a clone whose remote is the authority.

A transaction is written in the clone, on top of those that wait already, and counts once the remote has accepted it.
The clone's own refs follow then and not before, so that they are never ahead of the remote.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from gitsched.adapters.git.remote import Remote
from gitsched.adapters.store.absence import Absence, needed
from gitsched.adapters.store.book import LARGEST_BYTES, Refusal, Verdict, Waiting, verdict
from gitsched.adapters.store.bounds import Bounds
from gitsched.adapters.store.budget import Budget
from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.store import GitStore
from gitsched.domain.ids import STATE_REF
from gitsched.domain.outcomes import Applied, RefMoved, Transacted, Unchanged, Unreachable
from gitsched.domain.state import Draft, RefMove, State
from gitsched.errors import RaceLostError, RemoteRefusedError
from gitsched.ports.runner import Clock
from gitsched.ports.store import Intent

if TYPE_CHECKING:
    from gitsched.adapters.store.patience import Patience
    from gitsched.adapters.store.pushing import Pusher

_CARRIED = 3
FAR = Bounds(race_s=60.0, pause_s=0.001, queue_s=20.0)
"""Races over a remote are lost more often, and nobody goes on beside the queue; the clone pauses as one (`Pusher`)."""


class SharedStore(GitStore):
    """Keeps a cache of what the remote has, and changes it by pushes."""

    beginning = "`gitsched sync` fetches it. Where the remote has none, `gitsched init` sets it up."

    def __init__(  # many-parameters: what it stands on, and what tests set shorter
        self,
        repository: Path,
        clock: Clock,
        remote: Remote,
        driver: str = "cli",
        *,
        fsync: bool = True,
        bounds: Bounds = FAR,
        budget: Callable[[], Budget] = Budget,
        is_discreet: Callable[[], bool] = lambda: False,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Stand on a clone and its remote, and ask nothing yet; `is_discreet`: logs and unfinished work stay here."""
        super().__init__(repository, clock, driver, fsync=fsync, bounds=bounds, tell=tell)
        self._remote = remote
        self._budget_of = budget
        self._is_discreet = is_discreet
        self._mine: list[str] = []
        self._acts: list[Callable[[], None]] = []
        self._is_together = False
        self._is_alone = False
        self._is_drafting = False
        self._has_caught_up = False
        self._made: Pusher | None = None
        self._absence = Absence(self.place.own / "shared" / "away")

    def catch_up(self, *, is_meeting: bool = False) -> Unreachable | None:
        """Bring what the remote has, unless another process of the clone did so meanwhile (see the port).

        Raises ApartError where this clone did something apart; `is_meeting` sets that aside instead.
        """
        asked_s = time.monotonic()
        with self._pusher.front(lambda: self._pusher.has_fetched(asked_s)):
            away = None if self._pusher.has_fetched(asked_s) else self._pusher.fetch(is_meeting=is_meeting)
        self._has_caught_up = away is None
        self._is_alone = False
        self._absence.write(away)
        return away

    @property
    def away(self) -> Unreachable | None:
        """Tell what stood against the last `catch_up` of any process of this clone (see the port)."""
        return self._absence.read()

    @property
    def has_looked(self) -> bool:
        """Say whether this clone has ever had the remote's refs."""
        return self._pusher.book.read().fetched_s > 0

    def there(self, ref: str) -> str | None:
        """Name where the remote has a ref, as far as this clone knows."""
        return self._pusher.book.read().known.get(ref)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let transactions of this process wait for `settle` inside the block (see the port)."""
        self._is_together = True
        try:
            yield
            self.settle()
        finally:
            self._is_together = False
            self._mine, self._acts = [], []

    def settle(self) -> None:
        """Have what waits of this process accepted (see the port)."""
        mine, acts = self._mine, self._acts
        self._mine, self._acts = [], []
        if mine and self._is_lost(self._patience(), mine):
            raise RaceLostError("What was decided was to be shared.", "Another driver was quicker.")
        for act in acts:
            act()

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do something once what waits of this process is accepted, and never when it is void; else at once."""
        if self._mine:
            self._acts.append(act)
        else:
            act()

    def placed(self, name: str, seen: str) -> str | None:
        """Name where a ref is, for this process: as it will be once what waits of it is accepted, else at `seen`."""
        here = read_ref(self.place, seen)
        return self._pusher.book.read().overlay(lambda _: here)(name) if self._mine else here

    def apply(self, intent: Intent, actor: str = "gitsched") -> Transacted:
        """Change the state by one commit that the remote accepts, from what it has (see the port)."""
        if not self._has_caught_up:
            self.need()
        return super().apply(intent, actor)

    @property
    def has_waiting(self) -> bool:
        """Say whether something of this process waits for `settle`."""
        return bool(self._mine)

    def publish(self, moves: Sequence[RefMove]) -> bool:
        """Move refs that no state names; False: one of them was elsewhere, and the clone knows it now."""
        if not self._has_caught_up:
            self.need()
        with self._pusher.turn():
            self._add(token := token_hex(8), list(moves))
        if self._is_together and not self._is_alone:
            self._mine.append(token)
            return True
        return not self._is_lost(self._patience(), [token])

    def carry(self) -> Unreachable | None:
        """Push what rides along although nothing else has to be pushed; tried again after a race."""
        for _ in range(_CARRIED):
            with self._pusher.front():
                away = self._pusher.push(self._pinned(), alone=True)
                if away is not None or self._pusher.has_carried:
                    return away
        return None

    def has_room(self) -> bool:
        """Say whether something that could wait may have a push of its own."""
        return self._budget_of().has_room(self._pusher.book.read().pushed_s, time.monotonic())

    def quiet_s(self) -> float:
        """Tell for how long nothing has been pushed from this clone, as far as that is remembered."""
        now_s = time.monotonic()
        return now_s - self._pusher.book.read().pushed_last_s(now_s)

    def _apply(self, intent: Intent, actor: str, current: Callable[[], State]) -> Transacted:
        if not self._has_caught_up:
            self.need()
        patience = self._patience()
        while True:
            if not self._mine:
                needed(self._pusher.await_turn())
            current()  # outside the turn, in which all others wait
            accepted, write = self._known, self._alone if self._is_alone else self._waiting
            outcome, token = write(intent, actor, current)
            if token is None:
                return outcome
            if self._is_together and not self._is_alone:
                self._mine.append(token)
                return outcome
            if not self._is_lost(patience, [token]):
                return outcome
            self._known = accepted  # what lost is nobody's state: two that set one remote up make a store each
            patience.lost(STATE_REF)

    def _alone(self, intent: Intent, actor: str, current: Callable[[], State]) -> tuple[Transacted, str | None]:
        """Push a transaction with nothing else in it, so that it is known whom a refusal means."""
        with self._pusher.front():
            if self._pusher.book.read().waiting:
                needed(self._pusher.push(self._pinned()))
            outcome, token = self._waiting(intent, actor, current)
            if token is not None:
                needed(self._pusher.push(self._pinned()))
            return outcome, token

    def _waiting(self, intent: Intent, actor: str, current: Callable[[], State]) -> tuple[Transacted, str | None]:
        """Write a transaction on top of those that wait, and name it; None: there is none to be written."""
        with self._pusher.turn() as turn:
            (writer := self.writer()).recovery.mend(turn)
            self._pusher.restored()
            self._is_drafting = True
            try:
                draft = Draft(current(), self._clock.now(), actor)
            finally:
                self._is_drafting = False
            based = self._based()  # before the intent, whose own reading stands on what is true already
            intent(draft)
            if not (draft.events or draft.moves or draft.keeps or draft.notes):
                return Unchanged(), None
            read = self._pusher.book.read().overlay(partial(read_ref, self.place))
            prepared = writer.prepare(draft, based, read)
            if isinstance(prepared, RefMoved):
                return prepared, None
            prepared.writer.settle()
            writer.tell(draft, based, prepared)
            self._add(token := token_hex(8), prepared.moves, prepared.writer.packed)
            self._known = (prepared.commit, prepared.tree, draft.state)
        return Applied(commit=prepared.commit, events=tuple(draft.events)), token

    def _add(self, token: str, moves: list[RefMove], objects: Mapping[str, bytes] = {}) -> None:
        book = self._pusher.book.read()
        is_little = sum(map(len, objects.values())) <= LARGEST_BYTES
        book.waiting.append(Waiting(token, moves, dict(objects) if is_little else {}))
        self._pusher.book.write(book)

    def _is_lost(self, patience: "Patience", tokens: list[str]) -> bool:
        """Stand in line until it is known what came of these, and say whether they lost a race.

        Raises RemoteAwayError, RemoteRefusedError.
        """
        while True:
            with self._pusher.front(lambda: verdict(self._pusher.book.read(), tokens) is not Verdict.WAITING):
                found = verdict(self._pusher.book.read(), tokens)
                away = self._pusher.push(self._pinned()) if found is Verdict.WAITING else None
                if away is not None:
                    self._pusher.withdraw()
                needed(away)
                found = verdict(self._pusher.book.read(), tokens)
            match found:
                case Refusal(ref, words):
                    self._is_alone = True
                    if words:
                        raise RemoteRefusedError(ref, words)
                    return True
                case Verdict.WAITING:
                    patience.lost(STATE_REF)
                case _:
                    return found is Verdict.LOST

    def _newest(self) -> str | None:
        """Stand on what waits where something of this process waits with it, or is about to."""
        if self._mine or self._is_drafting:
            book = self._pusher.book.read()
            if book.tip is not None and (self._is_drafting or verdict(book, self._mine) is Verdict.WAITING):
                return book.tip
        return super()._newest()

    def _pinned(self) -> dict[str, str]:
        from gitsched.adapters.store.riders import pins

        return pins(self._known[2]) if self._known else {}

    @property
    def _pusher(self) -> "Pusher":
        if self._made is None:
            from gitsched.adapters.store.following import Follower
            from gitsched.adapters.store.news import News
            from gitsched.adapters.store.pushing import Pusher

            writer = self.writer()
            news = News(self.reader, self.trees, writer.latest, lambda: self._known)
            follower = Follower(self.place, writer.repository, self._joined, news.tell)
            own, move, discreet = self.place.own, writer.follow, self._is_discreet
            where, budget = (own, self._remote, self._queue, follower), self._budget_of()
            self._made = Pusher(*where, budget, move, discreet, self._driver)
        return self._made

    def _joined(self, ref: str, local: str, remote: str) -> str:
        """Join two evidence commits (see `Evidence`)."""
        from gitsched.adapters.store.commits import put_commit

        loose, writer, batch = LooseWriter(self.place.objects), self.writer(), ref.rpartition("/")[2]
        tree = self._kept().joined(loose, writer.tree_of(remote), writer.tree_of(local), batch)
        commit = put_commit(loose, self.signer(), tree.hex(), [remote, local], f"Join what was kept in '{ref}'\n")
        loose.settle()
        return commit

    def need(self, *, is_meeting: bool = False) -> None:
        """Catch up. Raises RemoteAwayError where the remote does not answer."""
        needed(self.catch_up(is_meeting=is_meeting))

    def _patience(self) -> "Patience":
        from gitsched.adapters.store.patience import Patience

        return Patience(self.place, self._bounds, self._tell)
