"""The care of a store: what `fsck` and `gc` do beyond what the engine's own work needs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from gitsched.domain.instants import Instant
from gitsched.domain.integrity import Audited, Damage, StaleLock
from gitsched.domain.records import Record
from gitsched.domain.state import RefMove


class Care(Protocol):
    """Looks after one store and what it keeps beside the state."""

    def audited(self) -> Iterator[Audited]:
        """Walk the state's history, newest first, with what each commit changed; the last one may be a cut."""

    def missing(self, objects: Iterable[str]) -> frozenset[str]:
        """Tell which of these objects the repository does not have; nothing is fetched."""

    def unkept(self, commits: Iterable[str]) -> frozenset[str]:
        """Tell which of these commits, all of them there, no ref holds."""

    def notes(self, ref: str) -> Mapping[str, str]:
        """Read all notes of a ref by the object each is on."""

    def without_notes(self, ref: str, targets: Iterable[str]) -> RefMove | None:
        """Write a notes ref without some of its notes, and give the move to it; None: none of them is there."""

    def damage(self) -> tuple[Damage, ...]:
        """Compare every batch's evidence with its manifest."""

    def stale_locks(self) -> tuple[StaleLock, ...]:
        """Find locks of our refs that have not changed for half a minute and that no process holds."""

    def free(self, lock: StaleLock) -> None:
        """Move such a lock aside; it stays where somebody holds it after all."""

    def shelve(self, records: Iterable[Record]) -> RefMove:
        """Write records into the archive beside what is there, and give the move that brings them in."""

    def committed_at(self, commits: Iterable[str]) -> Mapping[str, Instant]:
        """Tell when each of these commits was made; one that is none is left out."""

    def compact(self, before: Instant) -> int:
        """Sum up the history before an instant in a checkpoint, and say how many transactions that were.

        0 where there is too little of it. The history that was cut off stays reachable from the archive.
        """

    def repack(self) -> None:
        """Let git repack what is worth it, by the rules of the repository's own configuration."""
