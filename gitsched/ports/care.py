"""The care of a store: what `fsck` looks at and mends beyond what the engine's own work needs (spec 02, "Care")."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from gitsched.domain.integrity import Audited, Damage, StaleLock
from gitsched.domain.state import State


class Care(Protocol):
    """Looks after one store and what it keeps beside the state."""

    def audited(self) -> Iterator[Audited]:
        """Walk the state's history, newest first, with what each commit changed; the last one may be a cut."""

    def archived(self) -> State:
        """Give the batches that were moved out of the state, with their members and settings."""

    def missing(self, objects: Iterable[str]) -> frozenset[str]:
        """Tell which of these objects the repository does not have; nothing is fetched."""

    def unkept(self, commits: Iterable[str]) -> frozenset[str]:
        """Tell which of these commits, all of them there, no ref holds."""

    def notes(self, ref: str) -> Mapping[str, str]:
        """Read all notes of a ref by the object each is on."""

    def drop_notes(self, ref: str, targets: Iterable[str]) -> None:
        """Remove notes; those that are not there are no matter."""

    def damage(self) -> tuple[Damage, ...]:
        """Compare every batch's evidence with its manifest."""

    def stale_locks(self) -> tuple[StaleLock, ...]:
        """Find locks of our refs that have not changed for half a minute and that no process holds."""

    def free(self, lock: StaleLock) -> None:
        """Move such a lock aside; it stays where somebody holds it after all."""
