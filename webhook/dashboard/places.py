"""The repositories that are shown, and for each thread a clone of its own: git's objects are not shared by threads."""

from collections.abc import Callable, Sequence
from threading import local
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gitsched.wiring.clone import Clone
from gitsched.wiring.service import Repository

if TYPE_CHECKING:
    from gitsched.domain.records import Batch


class Places(local):
    """Finds repositories by their key, a name that fits into an address."""

    def __init__(self, listed: Callable[[], Sequence[Repository]]) -> None:
        """Show what `listed` gives."""
        super().__init__()
        self.listed = listed
        self._clones: WeakKeyDictionary[Clone, Clone] = WeakKeyDictionary()

    @property
    def keys(self) -> dict[str, Repository]:
        """Give the repositories by their keys."""
        return {repository.name.replace("/", "~"): repository for repository in self.listed()}

    def clone_of(self, repository: Repository) -> Clone:
        """Give this thread's clone; a new one once the configuration has changed."""
        origin = repository.clone
        kept = self._clones.get(origin)
        if kept is None:
            kept = Clone(repository.path)
            kept.configured_at = origin.configured_at
            self._clones[origin] = kept
        return kept


def batch_in(clone: Clone, name: str) -> "tuple[Clone, Batch] | None":
    """Find a batch, one that was archived among them, and the clone that knows it; None where there is none."""
    for place in (clone, clone.with_ended()):
        batch = place.store.read().batches.get(name)
        if batch is not None:
            return place, batch
    return None
