"""What the writers of a clone tell one another of their transactions, so that none has to look into trees for it.

It is told by whoever has its turn in the queue, right before the refs move, and found again by the names of the
commits: where no way leads from the commit that is known to the tip, the trees tell. So it is never the truth, need not
reach the disk, and may be removed at any time.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from struct import Struct as Layout
from struct import error as NotThatLayout  # noqa: N812 - struct names it so
from typing import NamedTuple
from weakref import finalize

from gitsched.adapters.store.line import is_still_at
from gitsched.adapters.store.redo import boot_mark
from gitsched.codec.changes import Change, decode_changes, encode_change

_LIMIT_BYTES = 4 << 20
_LARGEST_BYTES = 256 << 10
_REMEMBERED = 64
_FIRST_AT = 64
_MAGIC = b"tell"
_HEADER = Layout(">4s8sQQQ")
"""Magic, boot, round, how many changes it has, and where the next one goes."""


class _Mark(NamedTuple):
    """A place in the file: of which round, how many changes of it are before, and where it is."""

    epoch: int
    changes: int
    at: int


class Latest:
    """The newest transactions of one clone, each looked at once."""

    def __init__(self, file: Path) -> None:
        """Stand on a file; it is made by the first who tells."""
        self._file = file
        self._boot = boot_mark()
        self._fd: int | None = None
        self._closing: Callable[[], object] = _nothing_is_open
        self._read_to: _Mark | None = None
        self._told: list[Change] = []
        """Read, but not on the way to a tip yet."""

    def tell(self, change: Change) -> None:
        """Tell of a transaction; one that is too large, or finds no room, is told by its trees alone."""
        body = encode_change(change)
        if body is None or len(body) > _LARGEST_BYTES:
            return
        with suppress(OSError):
            fd = self._opened(os.O_CREAT)
            before = self._newest(fd)
            if before is None or before.at + len(body) > _LIMIT_BYTES:
                before = _Mark(time.time_ns(), 0, _FIRST_AT)
            os.pwrite(fd, body, before.at)
            after = _Mark(before.epoch, before.changes + 1, before.at + len(body))
            os.pwrite(fd, _HEADER.pack(_MAGIC, self._boot, *after), 0)
            if self._read_to == before:
                self._read_to = after

    def since(self, known: str, tip: str) -> list[Change]:
        """List how the state went from one commit to another; nothing where not all of it is told."""
        self._told += self._unread()
        way, here = list[Change](), tip
        for change in reversed(self._told):
            if change.new == here:
                way.append(change)
                here = change.old
            if here == known:
                break
        if here != known:
            self._leave_replaced()
            way = []
        del self._told[: self._told.index(way[0]) + 1 if way else -_REMEMBERED]
        return way[::-1]

    def upon(self, tip: str) -> Change | None:
        """Tell what is being made of the state at its tip; it may yet come to nothing."""
        self._told += self._unread()
        return next((change for change in reversed(self._told) if change.old == tip), None)

    def _unread(self) -> list[Change]:
        try:
            fd = self._opened()
        except OSError:
            return []
        begun, newest = self._read_to, self._newest(fd)
        self._read_to = newest
        if begun is None or newest is None or newest.epoch != begun.epoch or newest.changes <= begun.changes:
            return []
        if newest.at - begun.at > _LARGEST_BYTES:
            return []  # the trees tell so much as quickly
        content = os.pread(fd, newest.at - begun.at, begun.at)
        again = self._newest(fd)
        if again is None or again.epoch != begun.epoch:
            return []  # it began anew, maybe before this was read
        return decode_changes(newest.changes - begun.changes, content) or []

    def _newest(self, fd: int) -> _Mark | None:
        try:
            magic, boot, *mark = _HEADER.unpack(os.pread(fd, _HEADER.size, 0))
        except NotThatLayout:
            return None
        return _Mark(*mark) if (magic, boot) == (_MAGIC, self._boot) else None

    def _leave_replaced(self) -> None:
        """Leave a file that somebody removed: the others tell in another one."""
        if self._fd is not None and not is_still_at(self._fd, self._file):
            self._closing()
            self._fd = None

    def _opened(self, how: int = 0) -> int:
        if self._fd is None:
            self._fd = os.open(self._file, os.O_RDWR | os.O_CLOEXEC | how, 0o644)
            self._closing = finalize(self, os.close, self._fd)
        return self._fd


def _nothing_is_open() -> None:
    """Stand for closing what was never opened."""
