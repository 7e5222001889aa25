"""Make one transaction durable, then move its refs."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gitsched.adapters.store.loose import LooseWriter, full_disk, full_or
from gitsched.adapters.store.place import Place
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.redo import Mark, RedoLog
from gitsched.adapters.store.refs import Moved, Swapped, read_ref, swap
from gitsched.adapters.store.shelter import collects_garbage, shelter
from gitsched.domain.state import RefMove
from gitsched.errors import GitFailedError

if TYPE_CHECKING:
    import pygit2

_NO_SPACE = ("No space left", "quota exceeded", "File too large")


class Mover:
    """Moves refs to what a transaction wrote, once that is safe."""

    def __init__(
        self, place: Place, repository: "pygit2.Repository", redo: RedoLog | None, sync_all: Callable[[], None]
    ) -> None:
        """Stand on an open repository; without a log nothing is synced at all."""
        self._place = place
        self._repository = repository
        self._redo = redo
        self._sync_all = sync_all

    def move(self, writer: LooseWriter, moves: Sequence[RefMove], turn: Turn) -> Swapped:
        """Write the objects, make them and the moves durable, and swap. Raises StorageFullError."""
        writer.settle()
        mark = self._logged(writer, moves, turn)
        turn.note(moves)
        try:
            swapped = swap(
                self._repository, self._place, moves, lambda oid: writer.wrote(oid) or oid in self._repository
            )
        except GitFailedError as refused:
            if read_ref(self._place, moves[0].name) != moves[0].new:
                self._void(mark)
            if any(words in refused.detail for words in _NO_SPACE):
                raise full_disk(refused.detail) from refused
            raise
        turn.clear()  # not after an exception: some refs may have moved, and the next turn finishes the others
        if not isinstance(swapped, Moved):
            self._void(mark)
        elif collects_garbage(self._place):
            shelter(self._place, writer, moves)
        if isinstance(swapped, Moved) and mark is None and self._redo is not None:
            self._sync_all()
        return swapped

    def _logged(self, writer: LooseWriter, moves: Sequence[RefMove], turn: Turn) -> Mark | None:
        """Log the transaction; one that is too large, or not in its turn, is synced with all the file system."""
        if self._redo is None:
            return None
        try:
            mark = self._redo.append(moves, writer.packed) if turn.fd is not None else None
            if mark is None:
                self._sync_all()
        except OSError as refused:
            raise full_or(refused) from refused
        return mark

    def _void(self, mark: Mark | None) -> None:
        if mark is not None and self._redo is not None:
            self._redo.take_back(mark)
