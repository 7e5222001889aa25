"""The queue in front of the compare-and-swap: an OS lock that dies with its holder, and is never the truth.

There is a door in front of it, another lock, where the others wait in the kernel's order; the one who stands in it is
next. A writer that comes back at once is let in before all of them, for a while: each would have to read all that the
others wrote before it can write, so a crowd that takes turns one by one mostly reads.

While it holds the lock, a writer notes in the locked file which refs it is about to move. A successor that finds
a note there knows that its writer was killed, what it locked, and whether it had got past the ref that decides.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct as Layout
from threading import Event, Lock, Thread
from weakref import finalize

import msgspec
from msgspec import Struct

from gitsched.adapters.store.line import is_still_at, take_if_free
from gitsched.domain.state import RefMove

_LENGTH_DIGITS = 8
_EMPTY = b"0" * _LENGTH_DIGITS
_PART, _SHORTEST_S, _LONGEST_S = 0.1, 0.0001, 0.005
_JUST_NOW_S, _GIVE_WAY_S, _MISSED_S = 0.1, 0.002, 0.01
_BACK_S = 0.001
"""Who comes back so soon has come back at once."""
_ROW_COUNT, _ROW_S = 32, 0.032
_INSTANT = Layout(">d")
_WAITED_AT, _RESERVED_AT = 1 << 20, (1 << 20) + 8
"""Where in the file it stands when somebody last had to wait, and until when who left last is waited for."""
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


class Queue:
    """Lets the writers of one clone in one after the other."""

    def __init__(self, file: Path, patience_s: float) -> None:
        """Stand on a lock file; a writer goes on beside the queue when it has waited for `patience_s`."""
        self._file = file
        self._patience_s = patience_s
        self._fd: int | None = None
        self._row = _Row()
        self._door = Door(file.with_name(f"{file.name}.door"))
        self._inside = Lock()

    @contextmanager
    def turn(self, meanwhile: Callable[[], object] | None = None) -> Iterator[Turn]:
        """Wait for a turn and hold it; `meanwhile` is done now and then by whoever has to wait."""
        if not self._inside.acquire(timeout=self._patience_s):
            yield Turn(None)
            return
        try:
            fd, held = self._entered(meanwhile)
            try:
                yield Turn(fd if held else None)
            finally:
                if self._row.ends(time.monotonic()):
                    _write_instant(fd, _RESERVED_AT, self._row.left_s + _BACK_S)
                fcntl.flock(fd, fcntl.LOCK_UN)
        finally:
            self._inside.release()

    def _entered(self, meanwhile: Callable[[], object] | None) -> tuple[int, bool]:
        """Get the lock, of the file that others find too: somebody may remove it at any time."""
        while True:
            fd = self._opened()
            held = self._locked(fd, meanwhile)
            if is_still_at(fd, self._file):
                return fd, held
            self._closing()  # which gives the lock back
            self._fd, self._row = None, _Row()

    def _opened(self) -> int:
        if self._fd is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._closing = finalize(self, os.close, self._fd)
        return self._fd

    def _locked(self, fd: int, meanwhile: Callable[[], object] | None) -> bool:
        now_s = time.monotonic()
        if self._row.goes_on(now_s) and take_if_free(fd):
            self._row.begins(now_s, goes_on=True)
            return True
        if self._row.is_back(now_s) and abs(now_s - _instant(fd, _WAITED_AT)) < _JUST_NOW_S:
            Event().wait(_GIVE_WAY_S)  # whoever stands at the door is woken more slowly than we come back
        until_s = now_s + self._patience_s
        if not self._door.entered(self._patience_s, meanwhile):
            return False
        try:
            return self._next(fd, until_s)
        finally:
            self._door.leave()

    def _next(self, fd: int, until_s: float) -> bool:
        """Look again and again, the more seldom the longer it takes."""
        began_s = now_s = time.monotonic()
        while _is_reserved(fd, now_s) or not take_if_free(fd):
            if now_s > until_s:
                return False
            _write_instant(fd, _WAITED_AT, now_s)
            Event().wait(min(max((now_s - began_s) * _PART, _SHORTEST_S), _LONGEST_S))
            now_s = time.monotonic()
        self._row.begins(now_s, goes_on=False)
        return True


class Door:
    """The line before a lock: one stands in it, the others wait in the kernel's order."""

    def __init__(self, file: Path) -> None:
        """Stand on a lock file, whose folder is there when somebody comes."""
        self._file = file
        self._fd: int | None = None
        self._closing: finalize[[int], Door]
        self._stuck: Thread | None = None

    def entered(self, patience_s: float, meanwhile: Callable[[], object] | None) -> bool:
        """Wait to be the one who stands in it; False when that took too long."""
        if self._stuck is not None and self._stuck.is_alive():
            return False
        if self._fd is not None and not is_still_at(self._fd, self._file):
            self._closing()
            self._fd = None
        if self._fd is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._closing = finalize(self, os.close, self._fd)
        return take_if_free(self._fd) or self._waited(self._fd, patience_s, meanwhile)

    def leave(self) -> None:
        """Let the next one in."""
        assert self._fd is not None, "it was entered"
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _waited(self, fd: int, patience_s: float, meanwhile: Callable[[], object] | None) -> bool:
        """Wait in the kernel's line, in a thread, because only so can the wait have an end."""
        got, given_up, decided = Event(), Event(), Lock()

        def stand_in_line() -> None:
            fcntl.flock(fd, fcntl.LOCK_EX)
            with decided:
                got.set()
                if given_up.is_set():
                    os.close(fd)

        line = Thread(target=stand_in_line, daemon=True)
        line.start()
        until_s = time.monotonic() + patience_s
        while not got.wait(_MISSED_S if meanwhile else patience_s) and time.monotonic() < until_s:
            if meanwhile is not None:
                meanwhile()
        with decided:
            is_ours = got.is_set()
            if not is_ours:
                given_up.set()
                self._closing.detach()  # whoever still stands in line closes it
                self._fd, self._stuck = None, line
        return is_ours


class _Row:
    """The turns in a row of a writer that comes back at once each time."""

    def __init__(self) -> None:
        self.left_s = -_BACK_S
        self._began_s = 0.0
        self._count = 0

    def is_back(self, now_s: float) -> bool:
        """Say whether the writer was there just now."""
        return now_s - self.left_s < _BACK_S

    def goes_on(self, now_s: float) -> bool:
        """Say whether the next turn is one more of the row."""
        return self.is_back(now_s) and self._count < _ROW_COUNT and now_s - self._began_s < _ROW_S

    def begins(self, now_s: float, *, goes_on: bool) -> None:
        """Count a turn."""
        self._count = self._count + 1 if goes_on else 0
        self._began_s = self._began_s if goes_on else now_s

    def ends(self, now_s: float) -> bool:
        """Say whether the writer is to be waited for: it has come back before."""
        self.left_s = now_s
        return self._count > 0 and self.goes_on(now_s)


def _is_reserved(fd: int, now_s: float) -> bool:
    return now_s < _instant(fd, _RESERVED_AT) < now_s + _BACK_S


def _instant(fd: int, at: int) -> float:
    found = os.pread(fd, _INSTANT.size, at)
    return float(_INSTANT.unpack(found)[0]) if len(found) == _INSTANT.size else 0.0


def _write_instant(fd: int, at: int, instant_s: float) -> None:
    with suppress(OSError):  # on a full disk the order is by chance
        os.pwrite(fd, _INSTANT.pack(instant_s), at)
