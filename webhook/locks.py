"""One instance drains a repository at a time: a lock of the system, which dies with its holder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def draining(common: Path) -> Iterator[bool]:
    """Say whether this instance may drain the repository now; nobody waits."""
    folder = common / "gitsched"
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / "draining", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(file)
