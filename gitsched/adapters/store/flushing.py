"""Get to the disk what others wrote just now and a transaction is about to name.

git and libgit2 write loose objects without waiting for the disk; a ref that outlives what it names breaks the
repository for all of git. Whoever makes a pack waits for the disk, and a file that the kernel has had for some minutes
is there too, with all that it names: nothing names what was made after it.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gitsched.adapters.git.place import Place

if TYPE_CHECKING:
    import pygit2

WRITTEN_BACK_S = 300.0
"""Ten times as long as Linux keeps written files from the disk unless told otherwise."""
_MANY = 256
"""So many files are not waited for one by one."""
_LOGGED_BYTES, _SMALL_BYTES = 256 << 10, 32 << 10
"""How much of what others wrote goes to the log of a transaction, and how large a file of it may be."""
_REMEMBERED = 4096
_NAMES = re.compile(rb"^(tree|parent) ([0-9a-f]{40})$", re.MULTILINE)
_ENTRY = re.compile(rb"([0-7]+) [^\0]+\0(.{20})", re.DOTALL)
_FOLDER, _SUBMODULE = b"40000", b"160000"


class Flusher:
    """Gets the objects of one repository."""

    def __init__(self, place: Place, repository: "pygit2.Repository", sync_all: Callable[[], None]) -> None:
        """Stand on an open repository; `sync_all` gets everything to the disk."""
        self._folder = str(place.objects)
        self._repository = repository
        self._sync_all = sync_all
        self._flushed: dict[str, None] = {}

    def flush(self, commits: Sequence[str], written: Iterable[str]) -> dict[str, bytes]:
        """Wait until these commits and all they name are on the disk, but for small files: those are given back.

        They are to be logged with the transaction, by their path below the folder of objects: one wait for all of it.
        `written` are files of the transaction's own there: their time is what "just now" is.
        """
        if not commits:
            return {}
        times = (_modified_s(f"{self._folder}/{file}") for file in written)
        now_s = max((at_s for at_s in times if at_s is not None), default=None)
        fresh: list[str] = []
        for name in self._fresh(commits, now_s):
            fresh.append(name)
            if len(fresh) > _MANY:
                self._sync_all()
                self._remember(fresh)
                return {}
        small = self._small(fresh)
        large = [name for name in fresh if name not in small]
        for name in large:
            _sync(self._file_of(name))
        self._remember(large)
        return {f"{name[:2]}/{name[2:]}": content for name, content in small.items()}

    def logged(self, files: Iterable[str]) -> None:
        """Remember that what was given back is in the log, and that the transaction was done."""
        self._remember(file.replace("/", "") for file in files)

    def _small(self, fresh: Iterable[str]) -> dict[str, bytes]:
        """Read files as long as there is room for them in the log."""
        found, room_bytes = dict[str, bytes](), _LOGGED_BYTES
        for name in fresh:
            try:
                with open(self._file_of(name), "rb", buffering=0) as opened:
                    content = opened.read(_SMALL_BYTES + 1)
            except FileNotFoundError:
                continue  # packed meanwhile
            if len(content) <= min(_SMALL_BYTES, room_bytes):
                found[name] = content
                room_bytes -= len(content)
        return found

    def _remember(self, names: Iterable[str]) -> None:
        self._flushed.update(dict.fromkeys(names))
        while len(self._flushed) > _REMEMBERED:
            del self._flushed[next(iter(self._flushed))]

    def _fresh(self, commits: Iterable[str], now_s: float | None) -> Iterator[str]:
        """Walk from commits to what they name, as far as it has a file of its own that is new."""
        waiting, seen = [(name, True) for name in commits], set[str]()
        while waiting:
            name, has_more = waiting.pop()
            if name in seen or name in self._flushed:
                continue
            seen.add(name)
            at_s = _modified_s(self._file_of(name))
            if at_s is None or (now_s is not None and now_s - at_s > WRITTEN_BACK_S):
                continue
            yield name
            if has_more:
                waiting += self._named_by(name)

    def _named_by(self, name: str) -> Iterator[tuple[str, bool]]:
        """List what a commit or tree names, and whether that names more."""
        import pygit2

        kind, content = self._repository.read(name)
        if kind == pygit2.enums.ObjectType.COMMIT:
            head = bytes(content).partition(b"\n\n")[0]
            yield from ((found.decode(), True) for _, found in _NAMES.findall(head))
        elif kind == pygit2.enums.ObjectType.TREE:
            entries = _ENTRY.findall(content)
            yield from ((found.hex(), mode == _FOLDER) for mode, found in entries if mode != _SUBMODULE)

    def _file_of(self, name: str) -> str:
        return f"{self._folder}/{name[:2]}/{name[2:]}"


def _modified_s(file: str) -> float | None:
    try:
        return os.stat(file).st_mtime
    except FileNotFoundError:
        return None


def _sync(file: str) -> None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # packed meanwhile
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
