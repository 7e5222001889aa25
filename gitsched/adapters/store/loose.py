"""Write the objects of one transaction as loose objects; what makes them durable is the redo log."""

import errno
import hashlib
import os
import zlib
from pathlib import Path
from secrets import token_hex
from struct import pack
from typing import Literal

from gitsched.errors import NO_SPACE, InternalError, RefusedError, StorageFullError

Kind = Literal["blob", "tree", "commit"]
Oid = bytes
"""An object id in its 20 raw bytes."""

_ONE_BLOCK_BYTES = 4096
_TEMPORARY = "tmp_obj_"
_TRIES = 3
_NO_RIGHT = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_STORED_BYTES = 0xFFFF
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_UNNAMED = getattr(os, "O_TMPFILE", 0)


class LooseWriter:
    """The objects of one transaction: named as they are put, written all together when it settles.

    A killed writer leaves at most one file called `tmp_obj_…`, which git's own prune clears away, and mostly none.
    """

    def __init__(self, objects: Path) -> None:
        """Write below the folder `objects`."""
        self._objects = str(objects)
        self.packed: dict[str, bytes] = {}
        """Path of each object below that folder → its bytes as git stores them."""

    def put(self, kind: Kind, content: bytes) -> Oid:
        """Name an object that is to be written."""
        whole = b"%b %d\0%b" % (kind.encode(), len(content), content)
        digest = hashlib.sha1(whole, usedforsecurity=False)
        path = _path(digest.hexdigest())
        if path not in self.packed:
            # A file takes whole blocks, and trees hold hashes, which no compression makes much smaller.
            as_it_is = kind == "tree" or len(whole) < _ONE_BLOCK_BYTES
            self.packed[path] = _stored(whole) if as_it_is else zlib.compress(whole, 1)
        return digest.digest()

    def settle(self) -> None:
        """Write all of them. Raises StorageFullError."""
        for path, packed in self.packed.items():
            write_loose(self._objects, path, packed)

    def names(self, oid: str) -> bool:
        """Say whether this is an object of the transaction."""
        return _path(oid) in self.packed

    def wrote(self, oid: str) -> bool:
        """Say whether this is an object of the transaction, and there."""
        path = _path(oid)
        return path in self.packed and os.access(f"{self._objects}/{path}", os.F_OK)

    def restore(self) -> bool:
        """Write again what was pruned since it was settled; say whether anything was."""
        gone = [path for path in self.packed if not os.access(f"{self._objects}/{path}", os.F_OK)]
        for path in gone:
            write_loose(self._objects, path, self.packed[path])
        return bool(gone)


def write_loose(objects: str, path: str, packed: bytes) -> None:
    """Write the file of one object, whole or not at all. Raises StorageFullError."""
    if _linked(objects, f"{objects}/{path}", packed):
        return
    for _ in range(_TRIES):
        temporary = f"{objects}/{_TEMPORARY}{token_hex(6)}"
        try:
            _write(temporary, packed)
            if _named(temporary, f"{objects}/{path}"):
                return
        except OSError as refused:
            _remove(temporary)
            raise as_ours(refused) from refused
        _remove(temporary)
    raise InternalError(f"The object '{path}' was to be written.", f"Its file vanished {_TRIES} times.")


def _path(name: str) -> str:
    return f"{name[:2]}/{name[2:]}"


def _linked(objects: str, final: str, packed: bytes) -> bool:
    """Write a file without a name and give it its own: one change of a folder instead of three.

    False where that cannot be done, for whatever reason, or where a file is there already: it may be a torn one.
    All begin in one folder: ext4 puts a new file's inode near its folder, and 256 folders lie far apart.
    """
    if not _UNNAMED:
        return False
    try:
        fd = os.open(objects, os.O_WRONLY | os.O_CLOEXEC | _UNNAMED, 0o444)
    except OSError:
        return False
    try:
        _pour(fd, packed)
        os.link(f"/proc/self/fd/{fd}", final, src_dir_fd=fd, follow_symlinks=True)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _write(temporary: str, packed: bytes) -> None:
    fd = os.open(temporary, _NEW, 0o444)
    try:
        _pour(fd, packed)
    finally:
        os.close(fd)


def _pour(fd: int, packed: bytes) -> None:
    while packed:
        packed = packed[os.write(fd, packed) :]


def _named(temporary: str, final: str) -> bool:
    """Put the file in its place; False when a `git prune --expire=now` took it, as it does with living writers'."""
    try:
        os.rename(temporary, final)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(final), exist_ok=True)
    else:
        return True
    try:
        os.rename(temporary, final)
    except FileNotFoundError:
        return False
    return True


def _remove(temporary: str) -> None:
    try:
        os.unlink(temporary)
    except FileNotFoundError:
        return


def _stored(content: bytes) -> bytes:
    """Wrap bytes as zlib does at level 0 (RFC 1950, 1951), at a tenth of the time."""
    if len(content) > _STORED_BYTES:
        return zlib.compress(content, 0)
    size = len(content)
    return b"\x78\x01\x01" + pack("<HH", size, size ^ 0xFFFF) + content + pack(">I", zlib.adler32(content))


def full_disk(told: str) -> StorageFullError:
    """Say that there is no room, in the words of whoever refused."""
    return StorageFullError(
        "A transaction was to be written.",
        f"There is no room for it: {told}. The state before still holds.",
        "Free some space and call again.",
    )


def as_ours(refused: OSError) -> OSError | StorageFullError | RefusedError:
    """Give a refused write as ours where there is no room or no right to it, and any other as it is."""
    if refused.errno in NO_SPACE:
        return full_disk(os.strerror(refused.errno))
    if refused.errno in _NO_RIGHT:
        told = f"It may not be written: {os.strerror(refused.errno)}: {refused.filename or 'the repository'}."
        return RefusedError(
            "A transaction was to be written.", told, "Run as its owner, or let this user write the repository."
        )
    return refused
