"""A disposable file with the objects of the state, for processes that start cold.

It holds what the repository holds anyway, in one piece and with a checksum. Only writers make it: a reading verb
writes nothing.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gitsched.adapters.store.loose import Oid
from gitsched.adapters.store.objects import ObjectReader

_MAGIC = b"gitsched objects 1\n"
_SUM_BYTES = 20
_ENTRY = re.compile(rb"([0-7]+) [^\0]+\0(.{20})", re.DOTALL)
_FOLDER = b"40000"
_CACHED_FROM_COUNT = 256
"""How many objects a cold start may read one by one before a cache is worth its writing."""
_DECODER = msgspec.msgpack.Decoder(list[bytes])


class ColdStart:
    """The cache of one process: what it reads of it at its start, and when it makes a new one."""

    def __init__(self, file: Path, objects: ObjectReader) -> None:
        """Stand on a file, and on whoever reads the objects themselves."""
        self._file = file
        self._objects = objects
        self._uncached_count = 0

    @contextmanager
    def start(self) -> Iterator[None]:
        """Have the cache at hand, and count what is read beside it."""
        before_count = self._objects.read_count
        self._objects.at_hand = load(self._file)
        try:
            yield
        finally:
            self._objects.at_hand = {}
        self._uncached_count = self._objects.read_count - before_count

    def refresh(self, tree: Oid, entry_count: int, changed_count: int) -> None:
        """Make a new cache once so much has changed that the next start would read long; its cost is spread."""
        self._uncached_count += changed_count
        if self._uncached_count >= max(_CACHED_FROM_COUNT, entry_count // 4):
            with self.start():
                save(self._file, gathered(self._objects, tree))
            self._uncached_count = 0


def gathered(objects: ObjectReader, root: Oid) -> Iterable[tuple[Oid, bytes]]:
    """Read a tree with everything below it, folder by folder."""
    level = [root]
    while level:
        found = objects.read_many(level)
        yield from found.items()
        entries = [match for content in found.values() for match in _ENTRY.findall(content)]
        level = [oid for mode, oid in entries if mode == _FOLDER]
        yield from objects.read_many(oid for mode, oid in entries if mode != _FOLDER).items()


def load(file: Path) -> Mapping[Oid, bytes]:
    """Read the cache; empty when there is none, or it is not whole."""
    try:
        whole = file.read_bytes()
    except OSError:
        return {}
    start = len(_MAGIC) + _SUM_BYTES
    if whole[: len(_MAGIC)] != _MAGIC or _sum(memoryview(whole)[start:]) != whole[len(_MAGIC) : start]:
        return {}
    parts = _DECODER.decode(memoryview(whole)[start:])
    return dict(zip(parts[::2], parts[1::2], strict=True))


def save(file: Path, objects: Iterable[tuple[Oid, bytes]]) -> None:
    """Put a new cache in the place of the old one; on a full disk there is none."""
    body = msgspec.msgpack.encode([part for pair in objects for part in pair])
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(_MAGIC + _sum(body) + body)
        os.replace(temporary, file)
    except OSError:
        temporary.unlink(missing_ok=True)


def _sum(body: bytes | memoryview) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).digest()
