"""Read refs without libgit2, and move several of them as one, compared under git's own locks."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from msgspec import Struct

from gitsched.adapters.git.place import Place
from gitsched.domain.ids import KEEP_REF
from gitsched.domain.outcomes import RefMoved
from gitsched.domain.state import RefMove
from gitsched.errors import GitFailedError, InternalError

if TYPE_CHECKING:
    import pygit2
    from pygit2.transaction import ReferenceTransaction

_OID = re.compile(r"[0-9a-f]{40}")
_LOCKED = re.compile(
    r"failed to lock file '.*' for writing: *$"
    r"|failed to create locked file '.*': (File exists|No such file or directory)",
    re.DOTALL,
)
"""libgit2's words for a lock that another holds, and for a folder that packing removed at that moment."""
_FATAL = 128
_READS = 3
_LONGEST_BYTES = 256


class Moved(Struct, frozen=True):
    """All refs are where they were to be."""


class Locked(Struct, frozen=True):
    """Somebody else holds the lock of a ref; nothing was moved."""

    ref: str


class Missing(Struct, frozen=True):
    """The object that a ref was to name is not there; nothing was moved."""

    ref: str
    oid: str


Swapped = Missing | Moved | RefMoved | Locked


def read_ref(place: Place, name: str) -> str | None:
    """Name the commit at a ref; None when there is no such ref.

    Read again before "there is none" is believed: packing moves a ref from one file to another.
    """
    for _ in range(_READS):
        found = _loose(place, name) or _packed(place, name)
        if found is not None:
            return found
    return None


def swap(
    repository: "pygit2.Repository",
    place: Place,
    moves: Sequence[RefMove],
    is_there: Callable[[str], bool] | None = None,
) -> Swapped:
    """Move all refs or none: lock every one, read it again under its lock, compare, then move in the given order.

    What keeps objects reachable moves before everything that may name them. `is_there` says whether an object is in
    the repository (libgit2 does by default): a ref to a missing one breaks the repository for all of git. A kill, or
    GitFailedError, between two moves leaves the later refs behind; the first one that was given decides.
    """
    import pygit2

    with ExitStack() as held:
        locked: dict[str, ReferenceTransaction] = {}
        for name in sorted(move.name for move in moves):
            locked[name] = repository.transaction()
            held.callback(locked[name].__exit__, InternalError, None, None)  # frees it; undoes nothing that moved
            try:
                locked[name].lock_ref(name)
            except pygit2.GitError as failed:
                if _LOCKED.search(str(failed)):
                    return Locked(name)
                raise _git_failed(name, failed) from failed
        refused = _refused(place, moves, is_there or repository.__contains__)
        if refused is not None:
            return refused
        for move in sorted(moves, key=lambda move: move.name != KEEP_REF):
            try:
                _stage(locked[move.name], move)
                locked[move.name].commit()
            except pygit2.GitError as failed:
                if move is moves[0] and _LOCKED.search(str(failed)):
                    return Locked(move.name)  # by whoever packs refs; nothing has moved yet
                raise _git_failed(move.name, failed) from failed
    return Moved()


def _git_failed(ref: str, failed: Exception) -> GitFailedError:
    return GitFailedError(f"update-ref {ref}", _FATAL, str(failed))


def _refused(place: Place, moves: Sequence[RefMove], is_there: Callable[[str], bool]) -> RefMoved | Missing | None:
    """Compare under the locks."""
    for move in moves:
        found = read_ref(place, move.name)
        if found != move.old:
            return RefMoved(name=move.name, expected=move.old, found=found)
        if move.new is not None and not is_there(move.new):
            return Missing(move.name, move.new)
    return None


def _stage(transaction: "ReferenceTransaction", move: RefMove) -> None:
    if move.new is None:
        transaction.remove(move.name)
    else:
        transaction.set_target(move.name, move.new, message="gitsched")


def _loose(place: Place, name: str) -> str | None:
    try:
        fd = os.open(place.file_of(name), os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        text = os.read(fd, _LONGEST_BYTES).decode("ascii", "replace").strip()
    except IsADirectoryError:
        return None
    finally:
        os.close(fd)
    return text if _OID.fullmatch(text) else None


def _packed(place: Place, name: str) -> str | None:
    try:
        packed = (place.common / "packed-refs").read_bytes()
    except FileNotFoundError:
        return None
    at = packed.find(b" " + name.encode() + b"\n")
    return packed[at - 40 : at].decode() if at >= 0 else None
