"""Bundle pieces into members, so that what needs one another stays together.

A real batch has members that each work by themselves. Pieces of one release do not: one imports a name, one
uses it, one tests it. So pieces are joined when

1. they stand in the same function or class of the same file,
2. both speak of a name that a module of either release binds and the other does not, or
3. one calls a function that the other changes.

Names are matched as words, which joins a few too many and never harms. What is joined goes to one member; the
rest is dealt out in order, so that members come out about equally large.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cut import Piece

_WORD = re.compile(r"[^\W\d]\w*")
_CALL = re.compile(r"([^\W\d]\w*)\(")
_CODE = (".py", ".pyi")


class Release(NamedTuple):
    """Both states of every file, by path."""

    older: Mapping[str, str]
    newer: Mapping[str, str]


def bundles(pieces: Sequence[Piece], release: Release, count: int) -> list[list[Piece]]:
    """Deal pieces out to at most `count` members; each bundle keeps the pieces' order."""
    joined = _Joined(len(pieces))
    for topic_of in (_places(pieces, release), _new_names(pieces, release), _calls(pieces, release)):
        first: dict[str, int] = {}
        for number, topics in enumerate(topic_of):
            for topic in topics:
                joined.join(first.setdefault(topic, number), number)
    return _dealt([[pieces[n] for n in group] for group in joined.groups()], count)


class _Joined:
    """Which numbers belong together (union-find)."""

    def __init__(self, count: int) -> None:
        self._leader = list(range(count))

    def leader(self, number: int) -> int:
        while self._leader[number] != number:
            number = self._leader[number]
        return number

    def join(self, one: int, other: int) -> None:
        one, other = sorted((self.leader(one), self.leader(other)))
        self._leader[other] = one

    def groups(self) -> Iterator[list[int]]:
        found: dict[int, list[int]] = {}
        for number in range(len(self._leader)):
            found.setdefault(self.leader(number), []).append(number)
        return iter(found.values())


def _dealt(groups: list[list[Piece]], count: int) -> list[list[Piece]]:
    """Put each group, the largest first, where there is least so far."""
    hands: list[list[Piece]] = [[] for _ in range(min(count, len(groups)))]
    for group in sorted(groups, key=_size, reverse=True):
        min(hands, key=_size).extend(group)
    return hands


def _size(pieces: Iterable[Piece]) -> int:
    return sum(len(hunk.body) for piece in pieces for hunk in piece.hunks) + sum(len(p.whole) for p in pieces)


def _places(pieces: Sequence[Piece], release: Release) -> Iterator[set[str]]:
    """Name the definitions of the older release that each piece stands in."""
    for piece in pieces:
        yield {f"{piece.path}:{name}" for name in changed_definitions(piece, release.older)}


def _new_names(pieces: Sequence[Piece], release: Release) -> Iterator[set[str]]:
    """Name what each piece says of the names that one release binds and the other does not.

    What a file imports or assigns concerns that file; what it defines concerns every file.
    """
    paths = [path for path in release.older.keys() | release.newer.keys() if path.endswith(_CODE)]
    before = {path: _bound(release.older.get(path, "")) for path in paths}
    after = {path: _bound(release.newer.get(path, "")) for path in paths}
    defined = {name for path in paths for name in before[path].defined ^ after[path].defined}
    for piece in pieces:
        words = set(_WORD.findall(_text(piece))) if piece.path in before else set()
        own = before[piece.path].other ^ after[piece.path].other if words else set()
        yield (words & defined) | {f"{piece.path}:{name}" for name in words & own}


def _calls(pieces: Sequence[Piece], release: Release) -> Iterator[set[str]]:
    changed = [changed_definitions(piece, release.older) for piece in pieces]
    known = set().union(*changed)
    for piece, own in zip(pieces, changed, strict=True):
        called = set(_CALL.findall(_text(piece))) if piece.path.endswith(".py") else set()
        yield own | (called & known)


def changed_definitions(piece: Piece, files: Mapping[str, str]) -> set[str]:
    """Name the top-level functions and classes of a file that a piece changes a line of."""
    if not piece.path.endswith(".py"):
        return set()
    return {
        node.name
        for node in ast.parse(files.get(piece.path, "")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for hunk in piece.hunks
        if hunk.start <= (node.end_lineno or 0) and hunk.end > node.lineno
    }


class _Bound(NamedTuple):
    """The names that a module binds at its top level, inside `if` and `try` too."""

    defined: set[str]
    other: set[str]


def _bound(source: str) -> _Bound:
    bound, waiting = _Bound(set(), set()), list(ast.parse(source).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.defined.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound.other.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign):
            bound.other.update(target.id for target in node.targets if isinstance(target, ast.Name))
        waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt | ast.excepthandler)]
    return bound


def _text(piece: Piece) -> str:
    return b"".join(line[1:] for hunk in piece.hunks for line in hunk.body).decode("utf-8", "replace")
