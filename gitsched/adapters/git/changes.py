"""What differs in a tree from its commit, as `git status --porcelain=v2 -z` tells it."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from gitsched.adapters.git.site import Site

_STATUS = ("status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all", "--no-ahead-behind")
_FIELDS = {b"1": 8, b"u": 10}
"""How many words stand before the path, by the kind of the line (git-status(1), "Porcelain Format Version 2")."""


class Change(NamedTuple):
    """One path that differs."""

    path: str
    is_tracked: bool
    is_nested: bool
    """It is a repository or worktree of its own: git would record a pointer and none of its files."""
    is_dirty_inside: bool
    """It is a submodule with changes of its own, which a commit here cannot hold."""


def changes(site: Site, *, inside_submodules: bool) -> tuple[Change, ...]:
    """List what differs from HEAD, ignored files left out, in order of path."""
    depth = "none" if inside_submodules else "dirty"
    out = site.git.run(*_STATUS, f"--ignore-submodules={depth}").out
    return tuple(sorted(_read(out)))


def _read(out: bytes) -> Iterator[Change]:
    for line in out.split(b"\0"):
        kind = line[:1]
        if kind == b"?":
            path = os.fsdecode(line[2:])
            yield Change(path, is_tracked=False, is_nested=path.endswith("/"), is_dirty_inside=False)
        elif kind in _FIELDS:
            words = line.split(b" ", _FIELDS[kind])
            inside = words[2][:1] == b"S" and words[2][2:] != b".."
            yield Change(os.fsdecode(words[-1]), is_tracked=True, is_nested=False, is_dirty_inside=inside)
