"""Trees as they are stored: read, compared and edited by their raw entries, only along the paths that change."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeGuard

from gitsched.adapters.store.loose import Kind, Oid
from gitsched.adapters.store.objects import ObjectReader
from gitsched.codec.changes import Change, Entries
from gitsched.errors import InternalError

Tree = dict[bytes, bytes]
"""Name → the whole raw entry (`mode SP name NUL oid`), in git's order."""

_ENTRY = re.compile(rb"([0-7]+ ([^\0]+)\0.{20})", re.DOTALL)
_FOLDER = b"40000 "
_FILE = b"100644 "
_KEPT = 4096

Put = Callable[[Kind, bytes], Oid]


class Trees:
    """The trees of one repository, those of late at hand."""

    def __init__(self, objects: ObjectReader) -> None:
        """Read by `objects`."""
        self._objects = objects
        self._known: OrderedDict[Oid, Tree] = OrderedDict()

    def load(self, oids: Iterable[Oid]) -> None:
        """Bring trees at hand, all that are missing in one go. Raises InternalError for one that is not there."""
        missing = [oid for oid in set(oids) if oid not in self._known]
        found = self._objects.read_many(missing) if missing else {}
        for oid in missing:
            if oid not in found:
                raise InternalError(
                    f"The tree {oid.hex()} of the state was to be read.",
                    "It is not in the repository, or not whole.",
                    "`git fsck` tells what is damaged.",
                )
            self._keep(oid, {name: entry for entry, name in _ENTRY.findall(found[oid])})

    def tree(self, oid: Oid) -> Tree:
        """Give one tree; the caller does not change it."""
        if oid in self._known:
            self._known.move_to_end(oid)
        else:
            self.load([oid])
        return self._known[oid]

    def changes(self, before: Oid | None, after: Oid) -> dict[str, Oid | None]:
        """List the files that differ: path → blob, None for one that is gone. Equal folders are not entered."""
        found: dict[str, Oid | None] = {}
        level: list[tuple[str, Oid | None, Oid | None]] = [("", before, after)]
        while level:
            self.load(oid for _, old, new in level for oid in (old, new) if oid is not None)
            sides = [(prefix, self._side(old), self._side(new)) for prefix, old, new in level]
            level = []
            for prefix, old, new in sides:
                for name in _differing(old, new):
                    path = prefix + _text(name)
                    _sort_in(found, level, path, old.get(name), new.get(name))
        return found

    def find(self, root: Oid, path: str) -> Oid | None:
        """Name what stands at a path, a folder or a file; None where there is nothing."""
        here: bytes = _FOLDER + root
        for step in path.encode("utf-8", "surrogateescape").split(b"/"):
            entry = self.tree(here[-20:]).get(step) if here.startswith(_FOLDER) else None
            if entry is None:
                return None
            here = entry
        return here[-20:]

    def edit(
        self,
        root: Oid | None,
        changes: Mapping[str, Oid | None],
        put: Put,
        upper: dict[str, Entries] | None = None,
        at: str = "",
    ) -> Oid | None:
        """Write the trees along the changed paths (None removes a file); None when nothing is left.

        What changes in it and in its folders, but not in theirs, is noted in `upper`; it stands `at` a path.
        """
        here: dict[bytes, Oid | None] = {}
        below: dict[bytes, dict[str, Oid | None]] = {}
        for path, oid in changes.items():
            first, slash, rest = path.partition("/")
            if slash:
                below.setdefault(first.encode("utf-8", "surrogateescape"), {})[rest] = oid
            else:
                here[first.encode("utf-8", "surrogateescape")] = oid
        tree = dict(self._side(root))
        new = {name: _FILE + name + b"\0" + oid if oid else None for name, oid in here.items()}
        for name, inner in below.items():
            entry = tree.get(name)
            within = None if at else upper
            folder = self.edit(entry[-20:] if _is_folder(entry) else None, inner, put, within, _text(name))
            new[name] = _FOLDER + name + b"\0" + folder if folder else None
        if upper is not None:
            upper[at] = new
        return self.write(_merged(tree, new), put)

    def upper(self, before: Oid, after: Oid) -> dict[str, Entries]:
        """List what differs in a tree itself, at '', and in its folders, as the later one has it (see `follow`)."""
        old, new = self.tree(before), self.tree(after)
        upper: dict[str, Entries] = {"": {name: new.get(name) for name in _differing(old, new)}}
        for name in upper[""]:
            was, now = old.get(name), new.get(name)
            if _is_folder(was) and _is_folder(now):
                left, right = self.tree(was[-20:]), self.tree(now[-20:])
                upper[_text(name)] = {one: right.get(one) for one in _differing(left, right)}
        return upper

    def follow(self, before: Oid, changes: Sequence[Change]) -> Oid:
        """Name the tree after others' changes, and have its upper folders at hand where those before are.

        The lower ones are many and small, and read when one of them is wanted.
        """
        upper: dict[str, Entries] = {}
        for change in changes:
            for folder, entries in change.upper.items():
                upper.setdefault(folder, {}).update(entries)
        root = self._known.get(before)
        if root is not None:
            new = upper.pop("", {})
            for folder, entries in upper.items():
                name = folder.encode("utf-8", "surrogateescape")
                self._patch(root.get(name), new.get(name), entries)
            self._keep(changes[-1].tree, _merged(dict(root), new))
        return changes[-1].tree

    def _patch(self, old: bytes | None, new: bytes | None, entries: Entries) -> None:
        """Keep a folder's tree after changes, if the one before is at hand."""
        tree = self._known.get(old[-20:]) if _is_folder(old) else None
        if tree is not None and _is_folder(new):
            self._keep(new[-20:], _merged(dict(tree), entries))

    def write(self, tree: Tree, put: Put) -> Oid | None:
        """Write one tree; an empty one is not written."""
        if not tree:
            return None
        oid = put("tree", b"".join(tree.values()))
        self._keep(oid, tree)
        return oid

    def _side(self, oid: Oid | None) -> Tree:
        return {} if oid is None else self.tree(oid)

    def _keep(self, oid: Oid, tree: Tree) -> None:
        self._known[oid] = tree
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _differing(old: Tree, new: Tree) -> set[bytes]:
    return {name for name, _ in old.items() ^ new.items()}


def _sort_in(
    found: dict[str, Oid | None],
    level: list[tuple[str, Oid | None, Oid | None]],
    path: str,
    old: bytes | None,
    new: bytes | None,
) -> None:
    folders = (old[-20:] if _is_folder(old) else None, new[-20:] if _is_folder(new) else None)
    if folders != (None, None):
        level.append((path + "/", *folders))
    if new is not None and not _is_folder(new):
        found[path] = new[-20:]
    elif old is not None and not _is_folder(old):
        found[path] = None


def _merged(tree: Tree, new: Mapping[bytes, bytes | None]) -> Tree:
    in_order = True
    for name, entry in new.items():
        if entry is None:
            tree.pop(name, None)
        else:
            in_order &= name in tree and _is_folder(tree[name]) == _is_folder(entry)
            tree[name] = entry
    return tree if in_order else dict(sorted(tree.items(), key=_in_gits_order))


def _in_gits_order(item: tuple[bytes, bytes]) -> bytes:
    """Sort a folder as if its name ended in `/`."""
    name, entry = item
    return name + b"/" if _is_folder(entry) else name


def _is_folder(entry: bytes | None) -> TypeGuard[bytes]:
    return entry is not None and entry.startswith(_FOLDER)
