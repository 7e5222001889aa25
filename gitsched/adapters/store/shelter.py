"""Keep a transaction whole that was written while a garbage collection ran.

`git gc --prune=now` lists what is reachable first and deletes later: objects that got their ref in between are
deleted although they are reachable. Packs are safe from it: a running collection removes only packs that it
found when it began.
"""

import os
from collections.abc import Iterable

from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.place import Place
from gitsched.domain.state import RefMove


def collects_garbage(place: Place) -> bool:
    """Say whether a `git gc` runs, or was killed and left its mark."""
    return os.path.exists(f"{place.common}/gc.pid")


def shelter(place: Place, writer: LooseWriter, moves: Iterable[RefMove]) -> None:
    """Pack what the moves brought in, restoring what was already deleted of the transaction's own objects."""
    from gitsched.adapters.git.process import engine_git

    writer.restore()
    wanted = [move.new for move in moves if move.new] + [f"^{move.old}" for move in moves if move.old]
    git = engine_git(place.common)
    packed = git.run(
        "--git-dir=.",
        "pack-objects",
        "--revs",
        "--quiet",
        place.objects / "pack" / "pack",
        stdin="".join(f"{name}\n" for name in wanted).encode(),
        check=False,
    )
    if not packed.ok:
        writer.restore()
