"""Read objects: loose ones straight from their files, packed ones by whoever is at hand."""

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from gitsched.adapters.git.place import Place
from gitsched.adapters.store.loose import Oid


class PackedReader(Protocol):
    """Reads objects that have no file of their own."""

    def __call__(self, oids: Iterable[Oid]) -> dict[Oid, bytes]:
        """Give the contents of those that are there."""


class ObjectReader:
    """The objects of one repository, many at a time."""

    def __init__(self, place: Place) -> None:
        """Read from `place`; what is packed is asked of a git process until `through` names something quicker."""
        self._folder = str(place.objects)
        self.through: PackedReader = _CatFile(place.common)
        self.at_hand: Mapping[Oid, bytes] = {}
        """Contents known beforehand, from a cold-start cache."""
        self.read_count = 0
        """How many objects were read from the repository itself."""

    def read_many(self, oids: Iterable[Oid]) -> dict[Oid, bytes]:
        """Give the contents of all that are there and whole."""
        found, packed = {}, []
        for oid in oids:
            content = self.at_hand.get(oid)
            if content is None:
                self.read_count += 1
                content = self._loose(oid.hex())
            if content is None:
                packed.append(oid)
            else:
                found[oid] = content
        if packed:
            found |= self.through(packed)
        return found

    def read(self, oid: Oid) -> bytes | None:
        """Give one object's content; None when it is not there."""
        return self.read_many([oid]).get(oid)

    def _loose(self, name: str) -> bytes | None:
        path = f"{name[:2]}/{name[2:]}"
        try:
            return zlib.decompress(_content(f"{self._folder}/{path}")).partition(b"\0")[2]
        except (FileNotFoundError, zlib.error):
            return None


def _content(file: str) -> bytes:
    with open(file, "rb", buffering=0) as opened:
        return opened.read()


class _CatFile:
    """One `git cat-file --batch` per call: no process stays behind, and none is started for loose objects."""

    def __init__(self, common: Path) -> None:
        self._common = common

    def __call__(self, oids: Iterable[Oid]) -> dict[Oid, bytes]:
        from gitsched.adapters.git.process import engine_git

        asked = "".join(f"{oid.hex()}\n" for oid in oids)
        out = engine_git(self._common).run("--git-dir=.", "cat-file", "--batch", stdin=asked.encode(), check=False).out
        return dict(_answers(out))


def _answers(out: bytes) -> Iterable[tuple[Oid, bytes]]:
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, _, told = out[at:end].decode().partition(" ")
        at = end + 1
        if told == "missing":
            continue
        size = int(told.rpartition(" ")[2])
        yield bytes.fromhex(name), out[at : at + size]
        at += size + 1
