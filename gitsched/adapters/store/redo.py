"""The redo log: what makes a transaction durable with one write to one file (docs/decisions/0008-redo-log.md).

Before any ref moves, a transaction's objects and ref moves are appended to a local file and synced. Loose objects
and refs reach the disk when the kernel likes. After the machine went down (the boot id is another one), the next
writer writes again what did not get there. When the file is full, the whole file system is synced once and the
file begins anew. Only the writer whose turn it is in the queue touches it.
"""

import os
import time
import zlib
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from struct import Struct as Layout
from struct import error as NotThatLayout  # noqa: N812 - struct names it so
from typing import NamedTuple
from weakref import finalize

import msgspec
from msgspec import Struct

from gitsched.adapters.store.line import is_still_at
from gitsched.domain.state import RefMove

_LIMIT_BYTES = 8 << 20
_LARGEST_BYTES = 1 << 20
_STEP_BYTES = 256 << 10
_FIRST_AT = 4096
_MAGIC = b"redo"
_HEADER = Layout(">4s8sQQ")
"""Magic, boot, epoch, where the next record goes."""
_RECORD = Layout(">4s8sQII")
"""Magic, boot, epoch, length and checksum of the payload."""


class Payload(Struct, frozen=True, array_like=True):
    """One transaction: its moves, the deciding one first, and its objects as git stores them."""

    moves: list[RefMove]
    objects: dict[str, bytes]
    """Two digits of the id, a slash and the rest → compressed bytes."""


class Mark(NamedTuple):
    """Where a record stands."""

    at: int
    end: int


_DECODER = msgspec.msgpack.Decoder(Payload)


class RedoLog:
    """The log of one clone."""

    def __init__(self, file: Path, sync_all: Callable[[], None], boot: str | None = None) -> None:
        """Stand on a file; `sync_all` gets everything else to the disk; `boot` is another than this one in tests."""
        self._file = file
        self._sync_all = sync_all
        self._boot = boot_mark(boot)
        self._fd: int | None = None
        self._closing: Callable[[], object] = _nothing_is_open

    def lost(self) -> list[Payload] | None:
        """List what was logged before the machine went down, oldest first; None when it did not."""
        header = self._header()
        records = list(_records(self._file)) if header is None or header[0] != self._boot else []
        return records if header is not None and header[0] != self._boot else records or None

    def begin(self) -> tuple[bytes, int, int]:
        """Begin a round that no record in the file is of, once all that was ever logged is on the disk.

        Without a header it is not known how many rounds there were: the log was new, or somebody removed or broke it.
        """
        self._sync_all()
        header = self._header()
        epoch = header[1] + 1 if header else time.time_ns()
        self._write_header(epoch, _FIRST_AT)
        return self._boot, epoch, _FIRST_AT

    def append(self, payload: Payload) -> Mark | None:
        """Make a transaction durable; None when it is too large to be logged. Raises OSError on a full disk."""
        body = msgspec.msgpack.encode(payload)
        size = _RECORD.size + len(body)
        if size > _LARGEST_BYTES:
            return None
        self._reopen_replaced()
        _, epoch, at = self._header() or self.begin()
        if at + size > _LIMIT_BYTES:
            _, epoch, at = self.begin()
        head = _RECORD.pack(_MAGIC, self._boot, epoch, len(body), zlib.crc32(body))
        self._make_room(at + size)
        os.pwrite(self._opened(), head + body, at)
        os.fdatasync(self._opened())
        self._write_header(epoch, at + size)
        return Mark(at, at + size)

    def take_back(self, mark: Mark) -> None:
        """Make a record void whose moves did not happen."""
        header = self._header()
        os.pwrite(self._opened(), bytes(_RECORD.size), mark.at)
        os.fdatasync(self._opened())
        if header is not None and header[2] == mark.end:
            self._write_header(header[1], mark.at)

    def _make_room(self, end: int) -> None:
        """Lengthen the file in large steps: a sync that need not record a new length is several times quicker."""
        length = os.fstat(self._opened()).st_size
        if end > length:
            os.pwrite(self._opened(), bytes(max(_STEP_BYTES, end - length)), length)
            os.fsync(self._opened())

    def _header(self) -> tuple[bytes, int, int] | None:
        try:
            magic, boot, epoch, at = _HEADER.unpack(os.pread(self._opened(), _HEADER.size, 0))
        except NotThatLayout:
            return None
        return (boot, epoch, at) if magic == _MAGIC and _FIRST_AT <= at <= _LIMIT_BYTES else None

    def _reopen_replaced(self) -> None:
        """Leave a file that somebody removed or replaced: nobody else would find what is written there."""
        if self._fd is not None and not is_still_at(self._fd, self._file):
            self._closing()
            self._fd = None

    def _write_header(self, epoch: int, at: int) -> None:
        os.pwrite(self._opened(), _HEADER.pack(_MAGIC, self._boot, epoch, at), 0)

    def _opened(self) -> int:
        if self._fd is None:
            self._file.parent.mkdir(exist_ok=True)
            self._fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._closing = finalize(self, os.close, self._fd)
        return self._fd


def moves_logged(file: Path) -> list[RefMove]:
    """List all moves of a log's newest round, oldest first; it is not touched, and need not be there."""
    return [move for payload in _records(file) for move in payload.moves] if file.is_file() else []


def _records(file: Path) -> Iterator[Payload]:
    """Walk the records of the newest round; a torn or older one ends it."""
    content, at, first = file.read_bytes(), _FIRST_AT, None
    while at + _RECORD.size <= len(content):
        magic, boot, epoch, length, checksum = _RECORD.unpack_from(content, at)
        at += _RECORD.size + length
        body = content[at - length : at]
        first = first or (boot, epoch)
        if magic != _MAGIC or (boot, epoch) != first or len(body) != length or zlib.crc32(body) != checksum:
            return
        try:
            yield _DECODER.decode(body)
        except msgspec.MsgspecError:
            return


def _nothing_is_open() -> None:
    """Stand for closing what was never opened."""


def sync_file_system(folder: Path) -> None:
    """Get everything on the folder's file system to the disk."""
    import ctypes

    sync = getattr(ctypes.CDLL(None), "syncfs", None)
    fd = os.open(folder, os.O_RDONLY)
    try:
        if sync is None or sync(fd):
            os.sync()
    finally:
        os.close(fd)


def boot_mark(boot: str | None = None) -> bytes:
    """Mark what is written since the machine went up; `boot` is another than this one in tests."""
    return blake2b((boot or _boot_id()).encode(), digest_size=8).digest()


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        import psutil

        return str(psutil.boot_time())
