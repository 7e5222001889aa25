"""Open a repository and read and write its objects as bytes, without index, worktree or refs.

Trees and commits are parsed here rather than by libgit2, because what is kept must be kept to the byte:
author lines, encodings, modes.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitsched.adapters.git.process import engine_git
from gitsched.errors import RefusedError

Entry = tuple[bytes, bytes]
"""Mode as written in the tree (no leading zero), and the object id in raw bytes."""
Tree = dict[bytes, Entry]
"""Name to entry, in the order of the tree."""

TREE_MODE = b"40000"
GITLINK_MODE = 0o160000
SYMLINK_MODE = 0o120000
V = TypeVar("V")
_WRITES, _NO_FOLDER = 4, "No such file or directory"
_TREES_KEPT = 512
_COMMITS_KEPT = 1024


class Leaf(NamedTuple):
    """What stands at a path: anything but a folder."""

    mode: int
    oid: str


class Change(NamedTuple):
    """One path that differs between two trees; None where the path is absent."""

    path: bytes
    old: Leaf | None
    new: Leaf | None


class Commit(NamedTuple):
    """A commit's own bytes; signatures and headers that a rebase drops too are not kept."""

    tree: str
    parents: tuple[str, ...]
    author: bytes
    committer: bytes
    encoding: bytes | None
    message: bytes

    def encoded(self) -> bytes:
        """Write the commit as git stores it."""
        lines = [b"tree " + self.tree.encode()]
        lines += [b"parent " + parent.encode() for parent in self.parents]
        lines += [b"author " + self.author, b"committer " + self.committer]
        if self.encoding is not None:
            lines.append(b"encoding " + self.encoding)
        return b"\n".join(lines) + b"\n\n" + self.message


_FOREIGN = "If it is another user's: git config --global --add safe.directory '{}'"


def open_repository(path: Path) -> pygit2.Repository:
    """Open the repository at `path` or above it: normal, bare, or a linked worktree.

    Raises `RefusedError` where there is none, or where git's ownership check forbids it.
    """
    try:
        return pygit2.Repository(str(path), RepositoryOpenFlag(0))
    except pygit2.GitError as refused:
        is_misconfigured = "parse config" in str(refused)
        remedy = "Mend that line; `git config --list` then shows what git reads." if is_misconfigured else _FOREIGN
        asked, against = f"The repository at '{path}' was to be opened.", f"git says: {refused}."
        raise RefusedError(asked, against, remedy.format(path)) from refused


def shown(path: bytes) -> str:
    """Give a path as text that can always be written down."""
    return path.decode("utf-8", "backslashreplace")


def write_object(repository: pygit2.Repository, kind: ObjectType, content: bytes) -> str:
    """Write an object and name it.

    Garbage collection takes away a folder of objects that is empty at that moment, so it is tried again.
    """
    for _ in range(_WRITES - 1):
        try:
            return str(repository.write(kind, content))
        except (pygit2.GitError, OSError) as failed:
            if _NO_FOLDER not in str(failed):
                raise
    return str(repository.write(kind, content))


class Objects:
    """The objects of one repository, with the parsed trees and commits of late at hand."""

    def __init__(self, repository: pygit2.Repository) -> None:
        """Stand on an open repository; the id width follows its object format."""
        self.repository = repository
        self.empty_tree = _empty_tree(repository)  # only named: whoever looks writes nothing
        self._raw_size = len(self.empty_tree) // 2
        self._entry = re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % self._raw_size, re.DOTALL)
        self._trees: OrderedDict[str, Tree] = OrderedDict()
        self._commits: OrderedDict[str, Commit] = OrderedDict()

    def commit(self, oid: str) -> Commit:
        """Read a commit."""
        known = self._commits.get(oid)
        if known is None:
            known = _parsed_commit(self._read(oid)[1])
            _keep(self._commits, oid, known, _COMMITS_KEPT)
        return known

    def write_commit(self, commit: Commit) -> str:
        """Write a commit and name it."""
        if commit.tree == self.empty_tree:
            write_object(self.repository, ObjectType.TREE, b"")
        oid = write_object(self.repository, ObjectType.COMMIT, commit.encoded())
        _keep(self._commits, oid, commit, _COMMITS_KEPT)
        return oid

    def tree(self, oid: str) -> Tree:
        """Read a tree; the caller does not change what it gets."""
        if oid == self.empty_tree:
            return {}
        known = self._trees.get(oid)
        if known is None:
            found = self._entry.findall(self._read(oid)[1])
            known = {name: (mode, raw) for mode, name, raw in found}
            _keep(self._trees, oid, known, _TREES_KEPT)
        return known

    def write_tree(self, entries: Tree, *, ordered: bool = False) -> str:
        """Write a tree in git's order (folders sort as if their names ended in `/`) and name it.

        `ordered` says that they have that order; the entries are not to be changed afterwards.
        """
        if not ordered:
            entries = dict(sorted(entries.items(), key=_tree_order))
        raw = b"".join([mode + b" " + name + b"\0" + oid for name, (mode, oid) in entries.items()])
        oid = write_object(self.repository, ObjectType.TREE, raw)
        _keep(self._trees, oid, entries, _TREES_KEPT)
        return oid

    def blob(self, oid: str) -> bytes:
        """Read a blob."""
        return self._read(oid)[1]

    def size_of(self, oid: str) -> int:
        """Tell a blob's size in bytes."""
        named = pygit2.Oid(hex=oid)
        if named not in self.repository.odb:
            self._fetch(oid)
        return self.repository.odb.read_header(named)[1]

    def tree_of(self, oid: str) -> str:
        """Name the tree of a commit; a tree is its own."""
        if oid in self._commits:
            return self._commits[oid].tree
        kind, _ = self._read(oid)
        return oid if kind == ObjectType.TREE else self.commit(oid).tree

    def entry_at(self, tree: str, path: bytes) -> Entry | None:
        """Look a path up in a tree, folders included."""
        *folders, name = path.split(b"/")
        for folder in folders:
            entry = self.tree(tree).get(folder)
            if entry is None or entry[0] != TREE_MODE:
                return None
            tree = entry[1].hex()
        return self.tree(tree).get(name)

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """List the paths that differ between two trees, in order; a rename is two of them.

        Only folders that differ are read: libgit2's own comparison reads all of both trees.
        """
        return tuple(sorted(self._changes(before, after, b""))) if before != after else ()

    def _read(self, oid: str) -> tuple[int, bytes]:
        """Read an object's type and bytes. Raises `GitFailedError` where it is nowhere to be had."""
        try:
            kind, raw, *_ = self.repository.read(oid)
        except KeyError:
            self._fetch(oid)
            kind, raw, *_ = self.repository.read(oid)
        return kind, raw

    def _fetch(self, oid: str) -> None:
        """Let git bring an object in that a partial clone left out; libgit2 does not know how to."""
        engine_git(Path(self.repository.path)).run("cat-file", "-e", oid)

    def _changes(self, before: str, after: str, under: bytes) -> Iterator[Change]:
        was, new = self.tree(before), self.tree(after)
        for name in {name for name, _ in was.items() ^ new.items()}:
            old_tree, old = self._split(was.get(name))
            new_tree, leaf = self._split(new.get(name))
            if old is not None or leaf is not None:
                yield Change(under + name, old, leaf)
            if old_tree != new_tree:
                yield from self._changes(old_tree, new_tree, under + name + b"/")

    def _split(self, entry: Entry | None) -> tuple[str, Leaf | None]:
        """Tell an entry as a folder's tree (the empty one if it is none) and as a leaf."""
        if entry is None:
            return self.empty_tree, None
        mode, raw = entry
        return (raw.hex(), None) if mode == TREE_MODE else (self.empty_tree, Leaf(int(mode, 8), raw.hex()))


def _empty_tree(repository: pygit2.Repository) -> str:
    config, key = repository.config, "extensions.objectformat"
    named = config[key] if key in config else "sha1"  # noqa: SIM401  (it is no mapping, and has no `get`)
    return hashlib.new(str(named), b"tree 0\0").hexdigest()


def _tree_order(item: tuple[bytes, Entry]) -> bytes:
    name, (mode, _) = item
    return name + b"/" if mode == TREE_MODE else name


def _parsed_commit(raw: bytes) -> Commit:
    head, _, message = raw.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        fields.setdefault(name, []).append(value)
    encoding = fields.get(b"encoding")
    return Commit(
        tree=fields[b"tree"][0].decode(),
        parents=tuple(parent.decode() for parent in fields.get(b"parent", ())),
        author=fields[b"author"][0],
        committer=fields[b"committer"][0],
        encoding=encoding[0] if encoding else None,
        message=message,
    )


def _keep(kept: OrderedDict[str, V], oid: str, value: V, limit: int) -> None:
    kept[oid] = value
    if len(kept) > limit:
        kept.popitem(last=False)
