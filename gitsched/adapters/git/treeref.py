"""Keep a small tree of files under one ref of its own, changed by compare-and-swap, one commit per change.

The ref is locked by git's own lock file, read again under the lock and compared there; that it is absent is
compared like any other value, because libgit2's plain ways to create a ref are not exclusive. A lost race
decides anew on what is there now.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from secrets import SystemRandom
from threading import Event
from typing import TypeVar

import pygit2
from pygit2.enums import ObjectType

from gitsched.adapters.git.lock_notes import lock_notes
from gitsched.adapters.git.objects import TREE_MODE, Commit, Objects, Tree, write_object
from gitsched.adapters.git.outlasting import outlast
from gitsched.adapters.git.sequencer import common_folder
from gitsched.domain.state import RefMove
from gitsched.errors import BusyError, InternalError, StorageFullError

T = TypeVar("T")

ATTEMPTS = 120
_FIRST_PAUSE_S = 0.004
_LONGEST_PAUSE_S = 0.25
_ROOM_NEEDED_BYTES = 1 << 20
_FILE_MODE = b"100644"
_CHANCE = SystemRandom()
_UNFIT_FOR_A_NAME = dict.fromkeys(map(ord, "<>\n\r\0"), " ")


@dataclass(frozen=True, slots=True)
class Signed:
    """Who makes a change, and when."""

    name: str
    at_s: int
    """Whole seconds since 1970."""

    def encoded(self) -> bytes:
        """Write it as commits do; a name that holds nothing git allows becomes gitsched's."""
        name = self.name.translate(_UNFIT_FOR_A_NAME).strip(" .,:;\"'\\") or "gitsched"
        return f"{name} <gitsched@localhost> {self.at_s} +0000".encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Edit:
    """Files to write (None removes one), and the sentence that becomes the commit's subject."""

    files: Mapping[str, bytes | None]
    sentence: str
    by: Signed


class Snapshot:
    """The tree as it was at one commit; empty before the first."""

    def __init__(self, objects: Objects, commit: str | None) -> None:
        """Look at `commit`."""
        self._objects = objects
        self.commit = commit
        self.tree = objects.empty_tree if commit is None else objects.tree_of(commit)

    def file(self, path: str) -> bytes | None:
        """Read a file; None where there is none."""
        entry = self._objects.entry_at(self.tree, path.encode())
        return None if entry is None else self.blob(entry[1].hex())

    def blob(self, oid: str) -> bytes:
        """Read a file by its object id."""
        return self._objects.blob(oid)

    def oid(self, path: str) -> str | None:
        """Name the object at a path: equal names are equal content, folders included."""
        entry = self._objects.entry_at(self.tree, path.encode())
        return None if entry is None else entry[1].hex()

    def names(self, folder: str) -> Mapping[str, str]:
        """List a folder: name to object id; empty where there is no such folder."""
        entry = self._objects.entry_at(self.tree, folder.encode())
        if entry is None or entry[0] != TREE_MODE:
            return {}
        found = self._objects.tree(entry[1].hex())
        return {name.decode(): raw.hex() for name, (_, raw) in found.items()}


@dataclass(frozen=True, slots=True)
class Shared:
    """A remote whose refs are the true ones."""

    publish: Callable[[Sequence[RefMove]], bool]
    """Moves refs there, and here once it has accepted that; False: one of them was elsewhere."""
    tip: Callable[[str], str | None]
    """Names where a full ref is for this process, what it has asked for and waits for included."""


class TreeRef:
    """One ref, its files, and the only way to change them."""

    def __init__(
        self,
        objects: Objects,
        ref: str,
        *,
        fsync: bool = True,
        chance: Callable[[], float] = _CHANCE.random,
        shared: Shared | None = None,
    ) -> None:
        """Stand on an open repository; `chance` gives from 0 to 1 and spreads those that lost a race.

        With `shared` the ref belongs to a remote, and is moved by that alone.

        With `fsync` a change is on the disk when `change` returns, its objects before its ref.
        """
        self.ref = ref
        self.objects = objects
        self._fsync = fsync
        self._chance = chance
        self._shared = shared
        self._common = common_folder(objects.repository)

    def tip(self) -> str | None:
        """Name the newest commit; None before the first change."""
        return tip_of(self.objects, self.ref) if self._shared is None else self._shared.tip(self.ref)

    def snapshot(self) -> Snapshot:
        """Look at the newest commit."""
        return Snapshot(self.objects, self.tip())

    def change(self, decide: Callable[[Snapshot], tuple[Edit | None, T]]) -> T:
        """Change the files as `decide` says and give back its answer; None instead of an edit changes nothing.

        `decide` is called again on the newer files after each lost race and touches nothing else. Raises
        BusyError when the race was lost too often, StorageFullError with everything as it was before.
        """
        lost, sentence = "", ""
        for attempt in range(ATTEMPTS):
            before = self.snapshot()
            edit, answer = decide(before)
            if edit is None:
                return answer
            written = self._written(before, edit)
            if not written:
                return answer
            lost, sentence = self._swap(before.commit, written[-1]), edit.sentence
            if not lost:
                if self._shared is None:
                    outlast(self._common, written, partial(self._written, before, edit))
                return answer
            Event().wait(self._chance() * min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(attempt, 10)))
        raise BusyError(
            f"'{self.ref}' was to be changed: {sentence}.",
            f"{ATTEMPTS} attempts were lost: {lost}.",
            f"Try again; when nothing else runs, look for '{self.ref}.lock' in the repository.",
        )

    def _written(self, before: Snapshot, edit: Edit) -> Sequence[str]:
        """Write what is new, and name it, the commit last; nothing where the files are what they were."""
        try:
            written: list[str] = []
            tree = _with_files(self.objects, before.tree, edit.files, written) or self.objects.empty_tree
            if tree == before.tree:
                return ()
            signed = edit.by.encoded()
            parents = () if before.commit is None else (before.commit,)
            message = f"{edit.sentence}\n".encode("utf-8", "replace")
            commit = self.objects.write_commit(Commit(tree, parents, signed, signed, None, message))
            self._to_disk(f"objects/{oid[:2]}/{oid[2:]}" for oid in (*written, tree, commit))
        except (pygit2.GitError, OSError) as failed:
            raise self._failure(edit, str(failed)) from failed
        return (*written, tree, commit)

    def _to_disk(self, names: Iterable[str]) -> None:
        """Wait until files of the git folder, and the folders that name them, are on the disk."""
        if not self._fsync:
            return
        files = [self._common / name for name in names]
        for path in dict.fromkeys((*files, *(file.parent for file in files))):
            with suppress(FileNotFoundError):  # it is in a pack, and packs are on the disk
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)

    def _failure(self, edit: Edit, detail: str) -> StorageFullError | InternalError:
        asked = f"'{self.ref}' was to be changed: {edit.sentence}."
        room = os.statvfs(self.objects.repository.path)
        if room.f_bavail * room.f_frsize < _ROOM_NEEDED_BYTES:
            return StorageFullError(asked, f"The disk has no room: {detail}.", "Make room and try again.")
        return InternalError(asked, f"Its objects could not be written: {detail}.")

    def _swap(self, expected: str | None, new: str) -> str:
        """Move the ref if it is still where it was expected; else say in a few words why it was not moved."""
        if self._shared is not None:
            return "" if self._shared.publish([RefMove(self.ref, expected, new)]) else "another clone was quicker"
        notes = lock_notes(self._common)
        with notes.noted(self.ref), self.objects.repository.transaction() as transaction:
            try:
                transaction.lock_ref(self.ref)
            except (pygit2.GitError, OSError) as held:
                notes.heal()
                return str(held).strip().rstrip(".")
            if self.tip() != expected:
                return "another writer was quicker"
            transaction.set_target(self.ref, new)
        self._to_disk((self.ref,))
        return ""


def tip_of(objects: Objects, ref: str) -> str | None:
    """Name what a full ref is at; None where there is no such ref."""
    found = objects.repository.references.get(ref)
    return None if found is None else str(found.resolve().target)


def _with_files(objects: Objects, tree: str, files: Mapping[str, bytes | None], written: list[str]) -> str | None:
    """Write the tree with those files changed, and note what was written; None where nothing is left of it."""
    entries: Tree = dict(objects.tree(tree))
    below: dict[str, dict[str, bytes | None]] = {}
    for path, content in files.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = content
        else:
            _put(entries, name, None if content is None else (_FILE_MODE, _blob(objects, content, written)))
    for name, inner in below.items():
        here = entries.get(name.encode())
        under = objects.empty_tree if here is None else here[1].hex()
        oid = _with_files(objects, under, inner, written)
        _put(entries, name, None if oid is None else (TREE_MODE, oid))
    if not entries:
        return None
    written.append(objects.write_tree(entries))
    return written[-1]


def _blob(objects: Objects, content: bytes, written: list[str]) -> str:
    written.append(write_object(objects.repository, ObjectType.BLOB, content))
    return written[-1]


def _put(entries: Tree, name: str, entry: tuple[bytes, str] | None) -> None:
    if entry is None:
        entries.pop(name.encode(), None)
    else:
        entries[name.encode()] = (entry[0], bytes.fromhex(entry[1]))
