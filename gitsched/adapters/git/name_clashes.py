"""Find names that are one and the same on a file system that folds case or composes letters.

Two of them in one tree cannot both be checked out on macOS or Windows, so they never meet, also where
this machine could hold both.
"""

import unicodedata
from collections.abc import Callable, Iterator

from gitsched.adapters.git.objects import TREE_MODE, Change, Objects, shown
from gitsched.domain.landing import Hazard, HazardKind

Owner = Callable[[bytes], int | None]
"""Says which issue brought a path in, if one did."""


def name_clashes(
    objects: Objects, changes: tuple[Change, ...], before: str, after: str, owner: Owner
) -> Iterator[Hazard]:
    """Compare each new name with its neighbours in `after`; only folders with a new name are read."""
    told: set[frozenset[bytes]] = set()
    folders: dict[bytes, dict[str, list[bytes]]] = {}
    for change in changes:
        if change.old is None:
            for folder, name in _new_names(objects, before, change.path):
                if folder not in folders:
                    folders[folder] = _folded_names(objects, after, folder)
                for twin in folders[folder][_folded(name)]:
                    pair = frozenset({folder + name, folder + twin})
                    if twin != name and pair not in told:
                        told.add(pair)
                        yield _clash(folder, name, twin, owner)


def _new_names(objects: Objects, before: str, path: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Split a path where it goes on in names that `before` does not have: (folder with `/`, name)."""
    parts, tree = path.split(b"/"), before
    for depth, name in enumerate(parts):
        entry = objects.tree(tree).get(name) if tree else None
        if entry is None:
            yield b"".join(part + b"/" for part in parts[:depth]), name
        tree = entry[1].hex() if entry is not None and entry[0] == TREE_MODE else ""


def _folded_names(objects: Objects, tree: str, folder: bytes) -> dict[str, list[bytes]]:
    entry = objects.entry_at(tree, folder[:-1]) if folder else None
    names: dict[str, list[bytes]] = {}
    for name in objects.tree(entry[1].hex() if entry is not None else tree):
        names.setdefault(_folded(name), []).append(name)
    return names


def _folded(name: bytes) -> str:
    """Fold a name for comparing. Source: The Unicode Standard, 3.13, canonical caseless matching (D145)."""
    text = name.decode("utf-8", "surrogateescape")
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())


def _clash(folder: bytes, name: bytes, twin: bytes, owner: Owner) -> Hazard:
    ours, theirs = shown(folder + name), shown(folder + twin)
    issue = owner(folder + twin)
    whose = f" (issue {issue})" if issue is not None else ""
    if unicodedata.normalize("NFC", ours) == unicodedata.normalize("NFC", theirs):
        kind, why = HazardKind.UNICODE_CLASH, "one name in two Unicode spellings"
        ours, theirs = f"{ours} = {ours!a}", f"{theirs} = {theirs!a}"
    else:
        kind, why = HazardKind.CASE_CLASH, "one name where case does not count"
    return Hazard(kind, f"{ours} and {theirs}{whose} are {why}", (shown(folder + name), shown(folder + twin)))
