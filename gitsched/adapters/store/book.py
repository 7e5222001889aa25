"""The book of a clone that shares a remote: what waits for the next push, what came of the last, what the remote has.

One small file, written whole by whoever has the queue's turn, so that all writers of a clone stand on one chain and
share one push. It is a cache: without it the next fetch tells everything but what waited.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from pathlib import Path

import msgspec
from msgspec import Struct, field

from gitsched.adapters.store.rivalry import Rivalry
from gitsched.domain.ids import STATE_REF
from gitsched.domain.state import RefMove

LARGEST_BYTES = 128 << 10
"""So much of one transaction is written down here."""
_REMEMBERED = 2048
"""How many accepted transactions are told of: whoever waits longer than that for its push finds it in the history."""


class Waiting(Struct, frozen=True):
    """A transaction whose objects are here, and which the remote has not accepted yet."""

    token: str
    moves: list[RefMove]
    objects: dict[str, bytes] = field(default_factory=dict)
    """What it brings in, as `LooseWriter.packed`: no ref leads there yet, and a garbage collection may take it.

    Empty where that is much; then a transaction that was collected is void, and is decided again.
    """


class Refusal(Struct, frozen=True):
    """Why the remote does not take a transaction; without words it is to be asked alone."""

    ref: str
    words: str


class Book(Struct):
    """What is written in it."""

    waiting: list[Waiting] = field(default_factory=list)
    """Each stands on the one before, the first on what the remote has."""
    sent_count: int = 0
    """How many of them a push took along whose outcome is not known."""
    shared_count: int = 0
    """How many the last push took along."""
    took_s: float = 0.1
    """How long the last accepted push took."""
    lost_count: int = 0
    """How many pushes in a row lost their race."""
    rivalry: Rivalry = field(default_factory=Rivalry)
    accepted: list[str] = field(default_factory=list)
    refused: dict[str, Refusal] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    """Where the remote's refs are, as far as the local ones have followed."""
    astray: dict[str, str] = field(default_factory=dict)
    """Refs that both sides moved, with the local place that was left as it is: they are not pushed."""
    fetched_s: float = 0.0
    """When the last fetch began, on the clock since boot."""
    pushed_s: list[float] = field(default_factory=list)
    """When pushes of the last minute began."""

    def has_fetched_since(self, at_s: float, now_s: float) -> bool:
        """Say whether a fetch began after an instant; what lies ahead of now was written before a boot."""
        return at_s < self.fetched_s <= now_s

    def pushed_last_s(self, now_s: float) -> float:
        """Tell when the last push began, of those since the boot; long ago where there was none."""
        return max((at_s for at_s in self.pushed_s if at_s <= now_s), default=float("-inf"))

    @property
    def tip(self) -> str | None:
        """Name the state commit on which the next transaction stands; None: nothing waits that changes the state."""
        states = (move.new for one in self.waiting for move in one.moves if move.name == STATE_REF)
        return next(reversed(list(states)), None)

    def overlay(self, read: Callable[[str], str | None]) -> Callable[[str], str | None]:
        """Read refs as they will be once all that waits is accepted."""
        moved = {move.name: move.new for one in self.waiting for move in one.moves}
        return lambda name: moved[name] if name in moved else read(name)

    def accept(self, count: int) -> None:
        """Take the first so many out: the remote has them."""
        self.accepted = [*self.accepted, *(one.token for one in self.waiting[:count])][-_REMEMBERED:]
        self.waiting = self.waiting[count:]
        self.sent_count = 0

    def void(self) -> None:
        """Take all out: others were quicker, and each is to be decided again."""
        self.waiting, self.sent_count = [], 0

    def refuse(self, ref: str, words: str) -> None:
        """Take all out: the remote refused them. Where there are several, it is not known whom it meant."""
        told = Refusal(ref, words if len(self.waiting) == 1 else "")
        self.refused |= {one.token: told for one in self.waiting}
        self.void()


class Verdict(Enum):
    """What came of some transactions."""

    ACCEPTED = auto()
    WAITING = auto()
    LOST = auto()


def verdict(book: Book, tokens: Iterable[str]) -> Verdict | Refusal:
    """Say what came of transactions: of several, what is worst."""
    waiting, accepted = {one.token for one in book.waiting}, set(book.accepted)
    found = set()
    for token in tokens:
        if token in book.refused:
            return book.refused[token]
        found.add(Verdict.WAITING if token in waiting else Verdict.ACCEPTED if token in accepted else Verdict.LOST)
    return next((kind for kind in (Verdict.LOST, Verdict.WAITING) if kind in found), Verdict.ACCEPTED)


def folded(waiting: Iterable[Waiting]) -> dict[str, RefMove]:
    """Put all moves of one ref into one, by ref, in the order in which refs first appear."""
    moves: dict[str, RefMove] = {}
    for one in waiting:
        for move in one.moves:
            first = moves.get(move.name)
            moves[move.name] = move if first is None else RefMove(move.name, first.old, move.new)
    return moves


class BookFile:
    """The file of a clone; it is read at any time, and written in a turn of the queue."""

    def __init__(self, file: Path) -> None:
        """Stand on a file that may not be there."""
        self._file = file
        self._decoder = msgspec.msgpack.Decoder(Book)

    def read(self) -> Book:
        """Read it; one that is not there, or not whole, is empty."""
        try:
            return self._decoder.decode(self._file.read_bytes())
        except (FileNotFoundError, msgspec.MsgspecError):
            return Book()

    def stamp(self) -> object:
        """Tell whether it is still the same, without reading it."""
        try:
            found = os.stat(self._file)
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns

    def write(self, book: Book) -> None:
        """Put another in its place, whole or not at all."""
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        fresh.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(msgspec.msgpack.encode(book))
        fresh.replace(self._file)


def places(known: Mapping[str, str], seen: Mapping[str, str]) -> Iterable[tuple[str, str | None, str | None]]:
    """List the refs that the remote has moved: name, where it was known to be, where it is."""
    for name in sorted(known.keys() | seen.keys()):
        before, after = known.get(name), seen.get(name)
        if before != after:
            yield name, before, after
