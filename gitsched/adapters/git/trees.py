"""Merge trees where no path was changed on both sides: the strict fast path of landing.

Its answer is git's wherever it gives one. Git's merge machinery looks at more than single paths in three
cases, and each of them shows as a name that both sides changed at some level of the tree:

- a rename matters when the other side changed its source (that path changed on both sides) or its
  destination (so did that one); git looks for renames on each side by itself, never across them;
- a folder counts as renamed only when one side removed it entirely; it matters only when the other side
  changed something below it, and then the folder's own name changed on both sides;
- a file against a folder of the same name is one name changed on both sides.

The same change on both sides is not accepted either: it can hide a rename met by a deletion.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gitsched.adapters.git.objects import TREE_MODE, Entry, Objects, Tree

_GITLINK = b"160000"


class Clash(NamedTuple):
    """A path that both sides changed; each side may be absent or a folder."""

    path: bytes
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None

    def is_submodule_moved_twice(self) -> bool:
        """Say whether both sides moved a submodule, to different commits.

        Git's answer to that depends on whether the submodule's objects are in this clone; ours does not.
        """
        sides = {self.base, self.ours, self.theirs}
        return len(sides) == 3 and all(side is not None and side[0] == _GITLINK for side in sides)


def merge_one_sided(objects: Objects, base: str, ours: str, theirs: str) -> str | None:
    """Merge three trees if every name differs on one side at most; None: git must be asked."""
    if base == ours:
        return theirs
    if base == theirs:
        return ours
    if next(clashes(objects, base, ours, theirs), None) is not None:
        return None
    return _merged(objects, base, ours, theirs) or objects.empty_tree


def clashes(objects: Objects, base: str, ours: str, theirs: str, under: bytes = b"") -> Iterator[Clash]:
    """Walk the names that both sides changed, as deep as all three are folders."""
    was, mine, new = objects.tree(base), objects.tree(ours), objects.tree(theirs)
    for name in sorted(_changed(was, mine) & _changed(was, new)):
        sides = was.get(name), mine.get(name), new.get(name)
        if _all_trees(sides):
            below = [_oid(side) for side in sides]
            yield from clashes(objects, below[0], below[1], below[2], under + name + b"/")
        else:
            yield Clash(under + name, *sides)


def _merged(objects: Objects, base: str, ours: str, theirs: str) -> str | None:
    """Merge below one folder; None where nothing is left of it: git keeps no empty folders."""
    was, mine, new = objects.tree(base), objects.tree(ours), objects.tree(theirs)
    result, ordered = dict(mine), True
    for name in _changed(was, new):
        entry = _entry(objects, was.get(name), mine.get(name), new.get(name))
        if entry is None:
            result.pop(name, None)
        else:
            ordered &= name in mine and mine[name][0] == entry[0]
            result[name] = entry
    return objects.write_tree(result, ordered=ordered) if result else None


def _entry(objects: Objects, was: Entry | None, mine: Entry | None, new: Entry | None) -> Entry | None:
    if mine == was:
        return new
    below = _merged(objects, _oid(was), _oid(mine), _oid(new))
    return None if below is None else (TREE_MODE, bytes.fromhex(below))


def _changed(before: Tree, after: Tree) -> set[bytes]:
    return {name for name, _ in before.items() ^ after.items()}


def _all_trees(sides: tuple[Entry | None, ...]) -> bool:
    return all(side is not None and side[0] == TREE_MODE for side in sides)


def _oid(entry: Entry | None) -> str:
    assert entry is not None
    return entry[1].hex()
