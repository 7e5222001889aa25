"""How bytes reach the disk before a ref names them (decision 0010).

On ext4, whose journal is in order, the bytes of every object are written out and waited for,
and one fsync of the ref, after its rename, makes all of them and all the renames before it durable, in order.
Anywhere else each file and each folder is fsynced.
"""

import os
from collections.abc import Callable, Iterable
from enum import Enum, auto
from pathlib import Path
from typing import cast

_ORDERED = frozenset({"ext4"})
_WAIT_BEFORE, _WRITE, _WAIT_AFTER = 1, 2, 4


WriteOut = Callable[[int, int, int, int], int]


class Way(Enum):
    """How a transaction is made durable."""

    OFF = auto()
    ORDERED = auto()
    EACH = auto()


class Durability:
    """Gets files to the disk, in the way that their file system asks for."""

    def __init__(self, way: Way) -> None:
        """Prepare for one way."""
        self.way = way
        self._write_out = _sync_file_range() if way is Way.ORDERED else None

    def begin(self, fd: int) -> None:
        """Start to write a file's bytes out, where that can go on beside us."""
        if self._write_out is not None:
            self._write_out(fd, 0, 0, _WRITE)

    def wait(self, fd: int) -> None:
        """Wait until a file's bytes are on the device. Raises OSError when they cannot get there."""
        if self._write_out is not None:
            if self._write_out(fd, 0, 0, _WAIT_BEFORE | _WRITE | _WAIT_AFTER):
                os.fsync(fd)  # it tells the error, or does the work
        elif self.way is Way.EACH:
            os.fsync(fd)

    def named(self, folders: Iterable[str]) -> None:
        """Make the names in these folders durable, where the ref's own fsync would not."""
        if self.way is Way.EACH:
            for folder in set(folders):
                _fsync(folder)

    def seal(self, files: Iterable[Path]) -> None:
        """Make the refs in these files durable, and with them all that was written before."""
        if self.way is Way.OFF:
            return
        for file in files:
            try:
                _fsync(file)
                if self.way is Way.EACH:
                    _fsync(file.parent)
            except FileNotFoundError:
                continue  # deleted, or packed meanwhile: git packs durably


def way_for(folder: Path, *, fsync: bool) -> Way:
    """Choose the way for the file system that holds a folder."""
    if not fsync:
        return Way.OFF
    return Way.ORDERED if _file_system(folder) in _ORDERED and _sync_file_range() is not None else Way.EACH


def _fsync(path: str | Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _file_system(folder: Path) -> str | None:
    device = os.stat(folder).st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
    except OSError:
        return None
    return next((line.partition(" - ")[2].split()[0] for line in mounts if line.split()[2] == wanted), None)


def _sync_file_range() -> WriteOut | None:
    """Find the system call; None where there is no Linux below us."""
    import ctypes

    function = getattr(ctypes.CDLL(None), "sync_file_range", None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    return cast("WriteOut | None", function)
