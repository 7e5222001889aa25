"""What `fsck` finds: what is damaged, whom it belongs to, and what mends it where there is one right answer."""

from typing import NamedTuple

from msgspec import Struct

from gitsched.domain.events import Event
from gitsched.domain.state import Note


class RestoreBranch(Struct, frozen=True):
    """Make a branch again at the commit on record."""

    ref: str
    head: str


class KeepCommit(Struct, frozen=True):
    """Anchor a commit that a record names and nothing keeps reachable."""

    commit: str


class WriteNote(Struct, frozen=True):
    """Write a note anew from the state."""

    note: Note


class DropNote(Struct, frozen=True):
    """Remove a note whose object is gone."""

    ref: str
    target: str


class ForgetRun(Struct, frozen=True):
    """Delete a run ref that no lease and no job stands behind."""

    batch: str
    name: str
    gen: int


class StaleLock(NamedTuple):
    """The lock file of a ref that no living process holds."""

    ref: str
    file: str


class MoveLock(Struct, frozen=True):
    """Move the lock of a ref aside whose process is gone."""

    lock: StaleLock


class RemoveTree(Struct, frozen=True):
    """Remove a clean worktree that nothing names; its commits stay on their branches."""

    path: str


Mend = RestoreBranch | KeepCommit | WriteNote | DropNote | ForgetRun | MoveLock | RemoveTree


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is not as it has to be."""

    code: str
    unit: str
    """What it belongs to: an issue, a batch, a ref, a path of the state tree."""
    message: str
    fix: str
    """A command, or a sentence; of what `--fix` mends, that."""
    mend: Mend | None = None
    """None where there is more than one answer: a person decides."""


class Audited(Struct, frozen=True, kw_only=True):
    """One commit of the state's history, as it is checked."""

    commit: str
    events: tuple[Event, ...]
    changed: frozenset[str]
    """Paths of the state tree that differ from the commit before; all of them at the very beginning."""
    cut: bool = False
    """What was before it is not there: it is a checkpoint, or the edge of a shallow clone. Nothing is changed then."""


class Damage(NamedTuple):
    """A file of a batch's evidence that is not what its manifest says."""

    batch: str
    path: str
    what: str
