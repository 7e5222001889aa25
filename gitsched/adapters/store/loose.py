"""Write the objects of one transaction as loose objects, all of them on the disk before any has its name."""

import errno
import hashlib
import os
import zlib
from pathlib import Path
from secrets import token_hex
from typing import Literal, NamedTuple

from gitsched.adapters.store.durability import Durability
from gitsched.errors import StorageFullError

Kind = Literal["blob", "tree", "commit"]
Oid = bytes
"""An object id in its 20 raw bytes."""

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_ONE_BLOCK_BYTES = 4096
_TEMPORARY = "tmp_obj_"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class _Begun(NamedTuple):
    fd: int
    temporary: str
    final: str


class LooseWriter:
    """The objects of one transaction on their way to the disk.

    A killed writer leaves files called `tmp_obj_…`, which git's own prune clears away.
    """

    def __init__(self, objects: Path, durability: Durability) -> None:
        """Write below the folder `objects`."""
        self._objects = str(objects)
        self._durability = durability
        self._packed: dict[str, bytes] = {}
        """Final path of each object → its compressed bytes, kept until the transaction is over."""
        self._begun: list[_Begun] = []

    def put(self, kind: Kind, content: bytes) -> Oid:
        """Name an object and begin to write it. Raises StorageFullError."""
        whole = b"%b %d\0%b" % (kind.encode(), len(content), content)
        digest = hashlib.sha1(whole, usedforsecurity=False)
        name = digest.hexdigest()
        final = f"{self._objects}/{name[:2]}/{name[2:]}"
        if final not in self._packed:
            # A file takes whole blocks, and trees hold hashes, which no compression makes much smaller.
            level = 0 if kind == "tree" or len(whole) < _ONE_BLOCK_BYTES else 1
            self._packed[final] = zlib.compress(whole, level)
            self._begin(final)
        return digest.digest()

    def settle(self) -> None:
        """Wait until all bytes are on the disk, then give every object its name. Raises StorageFullError."""
        try:
            for begun in self._begun:
                self._durability.wait(begun.fd)
        except OSError as refused:
            raise _full_or(refused) from refused
        while self._begun:
            begun = self._begun.pop()
            os.close(begun.fd)
            try:
                os.rename(begun.temporary, begun.final)
            except FileNotFoundError:
                # `git prune --expire=now` also takes the temporary files of writers that live: write it again.
                self._begin(begun.final)
                self._durability.wait(self._begun[-1].fd)
        self._durability.named(os.path.dirname(final) for final in self._packed)

    def restore(self) -> bool:
        """Write again what was pruned since it was settled; say whether anything was."""
        gone = [final for final in self._packed if not os.path.exists(final)]
        for final in gone:
            self._begin(final)
        self.settle()
        return bool(gone)

    def close(self) -> None:
        """Clear away whatever was not settled."""
        for begun in self._begun:
            os.close(begun.fd)
            try:
                os.unlink(begun.temporary)
            except FileNotFoundError:
                continue
        self._begun.clear()

    def _begin(self, final: str) -> None:
        folder = os.path.dirname(final)
        temporary = f"{folder}/{_TEMPORARY}{token_hex(6)}"
        try:
            fd = _created(folder, temporary)
            self._begun.append(_Begun(fd, temporary, final))
            rest = self._packed[final]
            while rest:
                rest = rest[os.write(fd, rest) :]
            self._durability.begin(fd)
        except OSError as refused:
            raise _full_or(refused) from refused


def full_disk(told: str) -> StorageFullError:
    """Say that there is no room, in the words of whoever refused."""
    return StorageFullError(
        "A transaction was to be written.",
        f"There is no room for it: {told}. The state before still holds.",
        "Free some space and call again.",
    )


def _created(folder: str, temporary: str) -> int:
    try:
        return os.open(temporary, _NEW, 0o444)
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)
        return os.open(temporary, _NEW, 0o444)


def _full_or(refused: OSError) -> OSError | StorageFullError:
    return full_disk(os.strerror(refused.errno)) if refused.errno in _NO_SPACE else refused
