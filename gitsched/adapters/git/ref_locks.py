"""Lock files of refs that stand in the way: wait for the living, move the dead aside."""

import os
import time
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from gitsched.adapters.git.place import Place, find_place
from gitsched.errors import RefusedError

_READS = frozenset({"cat-file", "merge-tree", "fsmonitor--daemon", "daemon", "upload-pack"})
"""Commands of git that may run for long and never lock a ref."""

Identity = tuple[int, int]
"""Inode and time of the last change: a lock that was taken anew is another one."""


class Look(Enum):
    """What was found where a lock was."""

    GONE = auto()
    HELD = auto()
    YOUNG = auto()


def identity_of(file: Path) -> Identity | None:
    """Tell a lock file from any other that stands there at another time; None: there is none."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def is_held(place: Place, lock: Path) -> bool:
    """Say whether a process that we may look at has this file open, or is a git that may have closed it meanwhile.

    Between writing a lock and renaming it git has it closed: a git that works in this repository and is older than
    the lock may be its owner.
    """
    import psutil

    changed_s = os.stat(lock).st_mtime if lock.exists() else 0.0
    for process in psutil.process_iter():
        try:
            if any(opened.path == str(lock) for opened in process.open_files()):
                return True
            if process.create_time() <= changed_s and _locks_refs(place, process.cmdline(), process.cwd()):
                return True
        except (psutil.Error, OSError):
            continue  # it ended, or it is somebody else's
    return False


def is_dead(place: Place, lock: Path, unchanged_s: float) -> bool:
    """Say whether a lock file has been unchanged for so long and is held by nobody."""
    seen = identity_of(lock)
    return seen is not None and time.time_ns() - seen[1] >= unchanged_s * 1e9 and not is_held(place, lock)


def _locks_refs(place: Place, words: list[str], directory: str) -> bool:
    if not words or os.path.basename(words[0]) != "git" or _READS.intersection(words):
        return False
    try:
        return find_place(Path(directory)).common == place.common
    except RefusedError:
        return False


def move_aside(place: Place, ref: str, unchanged_s: float, tell: Callable[[str], None]) -> Look:
    """Move a ref's lock out of the way when it is dead: unchanged for so long and open nowhere.

    It is kept below our own folder and told of.
    """
    lock = place.lock_of(ref)
    seen = identity_of(lock)
    if seen is None:
        return Look.GONE
    if is_held(place, lock):
        return Look.HELD
    if time.time_ns() - seen[1] < unchanged_s * 1e9:
        return Look.YOUNG
    aside = place.own / "stale" / f"{ref.replace('/', '-')}.{seen[0]}.lock"
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(lock, aside)
    except FileNotFoundError:
        return Look.GONE
    if identity_of(aside) != seen:
        _put_back(aside, lock)  # somebody else had moved the dead one, and this one is new
        return Look.HELD
    tell(f"The lock '{lock}' was left by a process that is gone. It was moved to '{aside}'.")
    return Look.GONE


def _put_back(aside: Path, lock: Path) -> None:
    try:
        os.link(aside, lock)
    except FileExistsError:
        return
    os.unlink(aside)
