"""The queue in front of the compare-and-swap: an OS lock that dies with its holder, and is never the truth.

While it holds the lock, a writer notes in the locked file which refs it is about to move. A successor that finds
a note there knows that its writer was killed, what it locked, and whether it had got past the ref that decides.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from weakref import finalize

import msgspec
from msgspec import Struct

from gitsched.domain.state import RefMove

_LENGTH_DIGITS = 8
_EMPTY = b"0" * _LENGTH_DIGITS
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
        self._inside = Lock()
        self._stuck: Thread | None = None

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Wait for a turn and hold it."""
        if not self._inside.acquire(timeout=self._patience_s):
            yield Turn(None)
            return
        try:
            held = self._locked()
            yield Turn(self._fd if held else None)
        finally:
            if self._fd is not None:
                fcntl.flock(self._fd, fcntl.LOCK_UN)
            self._inside.release()

    def _locked(self) -> bool:
        if self._stuck is not None and self._stuck.is_alive():
            return False
        if self._fd is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._closing = finalize(self, os.close, self._fd)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return self._waited(self._fd)
        return True

    def _waited(self, fd: int) -> bool:
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
        got.wait(self._patience_s)
        with decided:
            is_ours = got.is_set()
            if not is_ours:
                given_up.set()
                self._closing.detach()  # whoever still stands in line closes it
                self._fd, self._stuck = None, line
        return is_ours
