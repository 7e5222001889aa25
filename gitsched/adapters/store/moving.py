"""Make one transaction durable, then move its refs."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import TYPE_CHECKING

from gitsched.adapters.git.place import Place
from gitsched.adapters.store.flushing import Flusher
from gitsched.adapters.store.loose import LooseWriter, as_ours, full_disk
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.redo import Mark, Payload, RedoLog
from gitsched.adapters.store.refs import Missing, Moved, Swapped, read_ref, swap
from gitsched.adapters.store.shelter import sheltered
from gitsched.domain.state import RefMove
from gitsched.errors import GitFailedError, StorageFullError

if TYPE_CHECKING:
    import pygit2

_TRIES = 50
_PAUSE_S = 0.01
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
        self._flusher = Flusher(place, repository, sync_all)

    def move(self, writer: LooseWriter, moves: Sequence[RefMove], named: Sequence[str], turn: Turn) -> Swapped:
        """Write the objects, make them and the moves durable, and swap; `named` are older objects that they need.

        Raises StorageFullError.
        """
        writer.settle()
        with sheltered(self._place, writer, moves):
            missing = next((oid for oid in named if oid not in self._repository), None)
            if missing is not None:
                return Missing(moves[0].name, missing)
            flushed = self._flush(writer, [*named, *(move.new for move in moves if move.new is not None)])
            mark = self._logged(Payload(list(moves), flushed | writer.packed), turn)
            turn.note(moves)
            swapped = self._swapped(writer, moves)
        if self._redo is not None and mark is None and isinstance(swapped, Moved):
            self._sync_all()
        elif self._redo is not None and mark is not None and not isinstance(swapped, Moved):
            self._redo.take_back(mark)
        if isinstance(swapped, Moved):
            self._flusher.logged(flushed)
        turn.clear()
        if isinstance(swapped, GitFailedError):
            raise _full_or(swapped) from swapped
        return swapped

    def _flush(self, writer: LooseWriter, named: Sequence[str]) -> dict[str, bytes]:
        """Get what others wrote to the disk before a ref names it, but for what is to be logged with our own."""
        if self._redo is None:
            return {}
        try:
            return self._flusher.flush([oid for oid in named if not writer.names(oid)], writer.packed)
        except OSError as refused:
            raise as_ours(refused) from refused

    def _swapped(self, writer: LooseWriter, moves: Sequence[RefMove]) -> Swapped | GitFailedError:
        try:
            return swap(self._repository, self._place, moves, lambda oid: writer.wrote(oid) or oid in self._repository)
        except GitFailedError as failed:
            decided = read_ref(self._place, moves[0].name) == moves[0].new
            return self._followed(moves[1:]) if decided else failed

    def _followed(self, moves: Sequence[RefMove]) -> Swapped:
        """Move what is left: the deciding ref has moved, so the transaction has happened, come what may."""
        for move in moves:
            for _ in range(_TRIES):
                if read_ref(self._place, move.name) != move.old:
                    break
                try:
                    swap(self._repository, self._place, [move])
                except GitFailedError:
                    Event().wait(_PAUSE_S)  # a packed ref is deleted under one more lock, which git takes too
        return Moved()

    def _logged(self, payload: Payload, turn: Turn) -> Mark | None:
        """Log the transaction; one that is too large, or not in its turn, is synced with all the file system."""
        if self._redo is None:
            return None
        try:
            mark = self._redo.append(payload) if turn.fd is not None else None
            if mark is None:
                self._sync_all()
        except OSError as refused:
            raise as_ours(refused) from refused
        return mark


def _full_or(failed: GitFailedError) -> GitFailedError | StorageFullError:
    return full_disk(failed.detail) if any(words in failed.detail for words in _NO_SPACE) else failed
