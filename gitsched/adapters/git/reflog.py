"""Read git's reflogs from their files: no process, no lock."""

import os
from collections.abc import Iterator
from pathlib import Path

from gitsched.ports.worktrees import Reflogged


def entries(log: Path, skip_bytes: int = 0) -> Iterator[Reflogged]:
    """Yield the entries of a reflog, oldest first, from a length it had before.

    A log that has no line ending at that length was rewritten in between: then all of it counts. A log that is not
    there is empty.
    """
    try:
        text = log.read_bytes()
    except OSError:
        return
    is_same = text[:skip_bytes].endswith(b"\n") and len(text) >= skip_bytes
    for line in text[skip_bytes if is_same else 0 :].split(b"\n"):
        words, _, message = line.partition(b"\t")
        oids = words.split(b" ", 2)
        if len(oids) == 3:
            yield Reflogged(
                oids[0].decode("ascii", "replace"), oids[1].decode("ascii", "replace"), os.fsdecode(message)
            )


def length(log: Path) -> int:
    """Tell how long a reflog is."""
    try:
        return log.stat().st_size
    except OSError:
        return 0
