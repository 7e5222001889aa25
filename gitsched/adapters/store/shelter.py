"""Keep a transaction whole that is written while a garbage collection runs.

`git gc --prune=now` lists what is reachable first and deletes later: objects that got their ref in between are
deleted although they are reachable. A pack with a `.keep` file is safe from it. So what a transaction brings in is
packed and kept before its refs move; once they have moved, a collection that begins then finds it by itself.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gitsched.adapters.git.place import Place
from gitsched.adapters.store.loose import LooseWriter
from gitsched.domain.state import RefMove
from gitsched.errors import BusyError

_TRIES = 5


@contextmanager
def sheltered(place: Place, writer: LooseWriter, moves: Sequence[RefMove]) -> Iterator[None]:
    """Look at what the refs are to name, and move them, inside this block.

    Raises BusyError when a collection that runs has deleted some of it already.
    """
    kept = None
    if _collects_garbage(place):
        kept = _kept(place, writer, moves)
        if kept is None:
            raise BusyError(
                "A transaction was to be written while `git gc` ran.",
                "It deleted objects that the transaction names.",
                "Call again; `git gc` without `--prune=now` leaves such objects alone.",
            )
    yield
    if kept is None:
        # One may have begun meanwhile, and listed the refs before they moved; it may even have ended again.
        kept = _kept(place, writer, moves) if _collects_garbage(place) else None
        writer.restore()
    if kept is not None:
        kept.unlink(missing_ok=True)


def _collects_garbage(place: Place) -> bool:
    """Say whether a `git gc` runs, or was killed and left its mark."""
    return os.path.exists(f"{place.common}/gc.pid")


def _kept(place: Place, writer: LooseWriter, moves: Sequence[RefMove]) -> Path | None:
    for _ in range(_TRIES):
        name = _packed(place, moves)
        if name is not None:
            return place.objects / "pack" / f"pack-{name}.keep"
        writer.restore()
    return None


def _packed(place: Place, moves: Sequence[RefMove]) -> str | None:
    """Pack what is reachable by the moved refs alone, and name the pack; None when a part of it cannot be read."""
    from gitsched.adapters.git.process import engine_git

    git = engine_git(place.common)
    new = [move.new for move in moves if move.new]
    old = [*(f"--exclude={move.name}" for move in moves), "--all", *(move.old for move in moves if move.old)]
    objects = git.run("--git-dir=.", "rev-list", "--objects", "--no-object-names", *new, "--not", *old, check=False)
    pack = git.run("--git-dir=.", "pack-objects", "--stdout", "--quiet", stdin=objects.out, check=False)
    if not (objects.ok and pack.ok):
        return None
    indexed = git.run("--git-dir=.", "index-pack", "--stdin", "--keep=gitsched", stdin=pack.out, check=False)
    return indexed.text().split()[-1] if indexed.ok else None
