"""Scope: whether two write sets meet, and whether a run stayed inside its own.

1. A write set is a list of globs from the root of the repository: `*` and `?` stay inside one name, `**` spans
   folders, `[…]` is a choice of characters.
2. A glob that matches a folder covers everything below it, so `src` covers `src/a.py` and never `srcx/a.py`.
3. A lone name with a wildcard matches at any depth, as in `.gitignore`; a lone plain name stands at the root.
4. Case and Unicode form never tell two paths apart: on some file system they are one file.
5. Whether two globs meet is answered exactly, but for `[…]`, which counts as `?`: `overlaps` may see an overlap
   that is none and never misses one.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

_ANY_DEPTH = "**"
_WILD = re.compile(r"[*?\[]")
_CHOICE = re.compile(r"\[!?\]?[^\]]*\]")

Same = Callable[[str, str], bool]


def overlaps(one: Iterable[str], other: Iterable[str]) -> bool:
    """Say whether some path could be in both write sets; an empty set meets nothing."""
    others = [_segments(glob) for glob in other]
    return any(_globs_meet(_segments(glob), theirs) for glob in one for theirs in others)


def out_of_scope(paths: Iterable[str], globs: Iterable[str]) -> tuple[str, ...]:
    """List the paths that no glob of the declared set covers, in their order."""
    declared = [_segments(glob) for glob in globs]
    return tuple(path for path in paths if not any(_covers(glob, path) for glob in declared))


def _covers(glob: tuple[str, ...], path: str) -> bool:
    return _meet(glob, _folded(path).split("/"), _ANY_DEPTH, lambda name, found: fnmatchcase(found, name))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@lru_cache(maxsize=4096)
def _segments(glob: str) -> tuple[str, ...]:
    """Split a glob into names, with the `**` that rules 2 and 3 add."""
    names = tuple(name for name in _folded(glob).split("/") if name not in {"", "."})
    if "/" not in glob and _WILD.search(glob):
        names = (_ANY_DEPTH, *names)
    return (*names, _ANY_DEPTH)


@lru_cache(maxsize=65536)
def _globs_meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return _meet(one, other, _ANY_DEPTH, _names_meet)


def _names_meet(one: str, other: str) -> bool:
    return _meet(_CHOICE.sub("?", one), _CHOICE.sub("?", other), "*", lambda a, b: "?" in {a, b} or a == b)


def _meet(one: Sequence[str], other: Sequence[str], many: str, same: Same) -> bool:
    """Say whether two patterns have a match in common; the sign `many` stands for any run of signs.

    Walks the pairs of positions that a common match can reach, each pair once.
    """
    goal = (len(one), len(other))
    reached, todo = {(0, 0)}, [(0, 0)]
    while todo:
        i, j = todo.pop()
        if (i, j) == goal:
            return True
        mine, theirs = one[i : i + 1], other[j : j + 1]
        for di, dj in _steps(mine[0] if mine else None, theirs[0] if theirs else None, many, same):
            if (i + di, j + dj) not in reached:
                reached.add((i + di, j + dj))
                todo.append((i + di, j + dj))
    return False


def _steps(mine: str | None, theirs: str | None, many: str, same: Same) -> Iterator[tuple[int, int]]:
    """Yield how far each side moves on: a run may end, or take in what the other side has."""
    if mine == many or (theirs == many and mine is not None):
        yield (1, 0)
    if theirs == many or (mine == many and theirs is not None):
        yield (0, 1)
    if mine is not None and theirs is not None and many not in {mine, theirs} and same(mine, theirs):
        yield (1, 1)
