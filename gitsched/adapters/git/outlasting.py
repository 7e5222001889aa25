"""Keep what a ref has just been moved to from a garbage collection that had listed the refs before that.

`git gc --prune=now` deletes single objects that it did not list, also when a ref leads to them by now. A pack that it
did not list it leaves alone; and one that begins later finds the ref.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from gitsched.adapters.git.process import engine_git

_TRIES = 5


def outlast(common: Path, oids: Sequence[str], write_again: Callable[[], object]) -> None:
    """See to it that these objects stay; `write_again` writes those of them that are gone by now."""
    for _ in range(_TRIES):
        are_there = all(_is_there(common, oid) for oid in oids)
        if are_there and (not (common / "gc.pid").exists() or _packed(common, oids)):
            return
        write_again()


def _is_there(common: Path, oid: str) -> bool:
    if os.path.exists(f"{common}/objects/{oid[:2]}/{oid[2:]}"):
        return True
    return engine_git(common).run("--git-dir=.", "cat-file", "-e", oid, check=False).ok


def _packed(common: Path, oids: Sequence[str]) -> bool:
    git = engine_git(common)
    listed = "".join(f"{oid}\n" for oid in oids).encode()
    pack = git.run("--git-dir=.", "pack-objects", "--stdout", "--quiet", stdin=listed, check=False)
    return pack.ok and git.run("--git-dir=.", "index-pack", "--stdin", stdin=pack.out, check=False).ok
