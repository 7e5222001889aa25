"""The tally: what was sent to one GitHub by one credential, in a file that all processes of this machine share.

The drivers of a service are processes of their own, and GitHub counts them together. Where the file cannot be written
each process counts for itself.
"""

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct, field


class Sent(Struct, kw_only=True):
    """What was sent of late, oldest first, in seconds on the clock."""

    points: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """By pool."""
    writes: list[float] = field(default_factory=list)
    closed_until_s: dict[str, float] = field(default_factory=dict)
    """By pool: until when GitHub has said to wait."""


class Tally:
    """One tally; threads and processes take turns at it."""

    def __init__(self, file: Path | None = None) -> None:
        """Keep it in that file; in memory alone where there is none."""
        self._file = file
        self._sent = Sent()
        self._is_alone = False
        """The file did not take what was sent: it is told all of it as soon as it does."""
        self._lock = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[Sent]:
        """Give what was sent, and keep what is changed in it."""
        with self._lock:
            descriptor = None if self._file is None else _opened(self._file)
            if descriptor is None:
                yield self._sent
                return
            try:
                before = _read(descriptor)
                if before is not None and not self._is_alone:
                    self._sent = _decoded(before)
                yield self._sent
                after = msgspec.msgpack.encode(self._sent)
                self._is_alone = before is None or (after != before and not _written(descriptor, after))
            finally:
                os.close(descriptor)


def tally_file(api_url: str, who: str) -> Path:
    """Name the file of one GitHub and one credential, of which only a digest is told."""
    from platformdirs import user_state_path

    digest = hashlib.sha256(f"{api_url}\0{who}".encode()).hexdigest()[:32]
    return user_state_path("gitsched") / "github" / digest


def _opened(file: Path) -> int | None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _read(descriptor: int) -> bytes | None:
    """Read all of it under a lock that lasts until it is closed; None where it is no file that can be shared."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    except OSError:
        return None


def _written(descriptor: int, content: bytes) -> bool:
    """Write all of it, or say that the disk takes it no more."""
    try:
        written_count = os.pwrite(descriptor, content, 0)
        os.ftruncate(descriptor, written_count)
    except OSError:
        return False
    return written_count == len(content)


def _decoded(content: bytes) -> Sent:
    """Take what was kept; what is not whole, as after a death while it was written, is begun anew."""
    try:
        return msgspec.msgpack.decode(content, type=Sent)
    except msgspec.DecodeError:
        return Sent()
