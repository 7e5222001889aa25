"""The queue in front of the compare-and-swap: an OS lock that dies with its holder, and is never the truth.

There is a door in front of it, another lock, where the others wait asleep and in the kernel's order; the one who stands
in it is next, and reads and decides meanwhile. Writers take turns one by one: several turns in a row would be quicker,
and the others would wait for so many times as long.

While it holds the lock, a writer notes in the locked file which refs it is about to move. A successor that finds
a note there knows that its writer was killed, what it locked, and whether it had got past the ref that decides.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct as Layout
from threading import Event, Lock

import msgspec
from msgspec import Struct

from gitsched.adapters.store.waiting import LockFile
from gitsched.domain.state import RefMove

_LENGTH_DIGITS = 8
_EMPTY = b"0" * _LENGTH_DIGITS
_SELDOM_S = 0.5
"""How often somebody in the line does what is to be done meanwhile."""
_PART, _SHORTEST_S, _LONGEST_S = 0.1, 0.0001, 0.005
"""How long the next one looks away: a part of the time waited, within bounds."""
_BACK_S, _JUST_NOW_S = 0.001, 0.1
"""Who comes back so soon has come back at once; and what was just now."""
_INSTANT = Layout(">d")
_GIVE_WAY_S = 0.0002
"""How long who comes back at once leaves the door to whoever was woken for it."""
_WAITED_AT = 1 << 20
"""Where in the file it stands when somebody last had to wait."""
_MOVES = msgspec.json.Decoder(list[RefMove])


class Turn(Struct, frozen=True):
    """A writer's turn: in the queue's order, or, when the holder is stuck, beside it."""

    fd: int | None

    def left_behind(self) -> list[RefMove]:
        """Read the note of a writer that was killed in its turn: its moves, the deciding one first."""
        if self.fd is None:
            return []
        length = os.pread(self.fd, _LENGTH_DIGITS, 0)
        if length in {_EMPTY, b""}:
            return []
        try:
            return _MOVES.decode(os.pread(self.fd, int(length), _LENGTH_DIGITS))
        except (ValueError, msgspec.MsgspecError):
            return []  # killed while it wrote the note: it had locked nothing yet

    def note(self, moves: Sequence[RefMove]) -> None:
        """Write down what is about to be moved; nothing clears it but `clear`."""
        if self.fd is not None:
            text = msgspec.json.encode(moves)
            os.pwrite(self.fd, text, _LENGTH_DIGITS)
            os.pwrite(self.fd, b"%0*d" % (_LENGTH_DIGITS, len(text)), 0)

    def clear(self) -> None:
        """Take the note back: nothing of ours is locked or half done."""
        if self.fd is not None:
            os.pwrite(self.fd, _EMPTY, 0)


def nothing() -> None:
    """Do nothing while waiting."""


class Queue:
    """Lets the writers of one clone in one after the other."""

    def __init__(self, file: Path, patience_s: float) -> None:
        """Stand on a lock file; a writer goes on beside the queue when it has waited for `patience_s`."""
        self._lock = LockFile(file)
        self._door = LockFile(file.with_name(f"{file.name}.door"))
        self._patience_s = patience_s
        self._left_s = -_BACK_S
        self._inside = Lock()

    @contextmanager
    def turn(self, meanwhile: Callable[[], object] = nothing) -> Iterator[Turn]:
        """Wait for a turn and hold it; `meanwhile` is done now and then by whoever has to wait."""
        if not self._inside.acquire(timeout=self._patience_s):
            yield Turn(None)
            return
        try:
            fd = self._entered(meanwhile)
            try:
                yield Turn(fd)
            finally:
                if fd is not None:
                    self._lock.leave()
                    self._left_s = time.monotonic()
        finally:
            self._inside.release()

    def _entered(self, meanwhile: Callable[[], object]) -> int | None:
        """Get the lock, of the file that others find too: somebody may remove it at any time."""
        until_s = time.monotonic() + self._patience_s
        while True:
            fd = self._lock.opened()
            if not self._at_door(fd, until_s, meanwhile):
                return None
            try:
                if not self._next(fd, until_s, meanwhile):
                    return None
            finally:
                self._door.leave()
            if self._lock.is_there():
                return fd

    def _at_door(self, fd: int, until_s: float, meanwhile: Callable[[], object]) -> bool:
        """Come to be the next one. Who was there just now lets those go first who wait already."""
        now_s = time.monotonic()
        is_back = now_s - self._left_s < _BACK_S and abs(now_s - _instant(fd, _WAITED_AT)) < _JUST_NOW_S
        if not is_back and self._door.take_if_free():
            return True
        _write_instant(fd, _WAITED_AT, now_s)
        if is_back:
            Event().wait(_GIVE_WAY_S)  # whoever was woken for the door may not have come to it yet
        return self._door.wait(until_s, _SELDOM_S, meanwhile)

    def _next(self, fd: int, until_s: float, meanwhile: Callable[[], object]) -> bool:
        """Look again and again, the more seldom the longer it takes."""
        began_s = time.monotonic()
        while not self._lock.take_if_free():
            now_s = time.monotonic()
            if now_s > until_s:
                return False
            _write_instant(fd, _WAITED_AT, now_s)
            meanwhile()
            Event().wait(min(max((now_s - began_s) * _PART, _SHORTEST_S), _LONGEST_S))
        return True


def _instant(fd: int, at: int) -> float:
    found = os.pread(fd, _INSTANT.size, at)
    return float(_INSTANT.unpack(found)[0]) if len(found) == _INSTANT.size else 0.0


def _write_instant(fd: int, at: int, instant_s: float) -> None:
    with suppress(OSError):  # on a full disk the order is by chance
        os.pwrite(fd, _INSTANT.pack(instant_s), at)
