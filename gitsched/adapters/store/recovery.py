"""Finish what was begun: by a writer that was killed in its turn, or by a machine that went down."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from gitsched.adapters.git.place import Place
from gitsched.adapters.git.ref_locks import move_aside
from gitsched.adapters.store.loose import write_loose
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.redo import Payload, RedoLog
from gitsched.adapters.store.refs import read_ref, swap
from gitsched.domain.ids import STATE_REF
from gitsched.domain.state import RefMove

if TYPE_CHECKING:
    import pygit2

_LOOKED_BACK = 64
_OURS = ("refs/gitsched/", "refs/notes/gitsched/")


class Recovery:
    """Mends one repository, in a turn of the queue, before anything new is written."""

    def __init__(
        self, place: Place, repository: "pygit2.Repository", redo: RedoLog | None, tell: Callable[[str], None]
    ) -> None:
        """Stand on an open repository; without a log nothing is redone."""
        self._place = place
        self._repository = repository
        self._redo = redo
        self._tell = tell

    def mend(self, turn: Turn) -> None:
        """Redo what a machine that went down had logged, once; then finish what a killed writer left."""
        if self._redo is not None and turn.fd is not None:
            redo, self._redo = self._redo, None
            lost = redo.lost()
            if lost is not None:
                self._redone(lost)
                redo.begin()
        moves = turn.left_behind()
        if moves:
            self._finish(moves)
            turn.clear()

    def _finish(self, moves: Sequence[RefMove]) -> None:
        """Clear the locks of a killed writer; had it got past the deciding ref, move the others too."""
        for move in moves:
            move_aside(self._place, move.name, 0, self._tell)
        deciding, *rest = moves
        if deciding.new is not None and deciding.new in self._line(deciding.name):
            for move in rest:
                if read_ref(self._place, move.name) == move.old:
                    swap(self._repository, self._place, [move])

    def _redone(self, lost: Sequence[Payload]) -> None:
        objects = {path: packed for payload in lost for path, packed in payload.objects.items()}
        gone = [path for path, packed in objects.items() if not self._is_whole(path, len(packed))]
        for path in gone:
            write_loose(str(self._place.objects), path, objects[path])
        moved = dict.fromkeys(move.name for payload in lost for move in payload.moves)
        took_branches = bool(lost) and lost[-1].moves[0].name == STATE_REF and not self._state_holds(lost)
        again = [name for name in moved if self._moved_again(name, lost, took_branches=took_branches)]
        if gone or again:
            self._tell(
                f"The machine went down in the middle of the work: {len(gone)} objects were written again and "
                f"{len(again)} refs moved again, from the log of transactions."
            )

    def _is_whole(self, path: str, size: int) -> bool:
        file = f"{self._place.objects}/{path}"
        if os.path.exists(file):
            return os.path.getsize(file) == size
        return path.replace("/", "") in self._repository

    def _moved_again(self, name: str, lost: Sequence[Payload], *, took_branches: bool) -> bool:
        """Move a ref to its last logged place if it fell behind.

        A ref outside our own namespaces is somebody's branch: they may have moved it back on purpose. It is moved
        only when it is broken, or when the state fell back too (`took_branches`).
        """
        found = read_ref(self._place, name)
        steps = [move for payload in lost for move in payload.moves if move.name == name]
        last = steps[-1]
        behind = found != last.new and any(found in {step.old, step.new} for step in steps)
        broken = found is None and self._place.has_file_of(name)
        if not broken and not (behind and (name.startswith(_OURS) or took_branches)):
            return False
        if broken:
            os.unlink(self._place.file_of(name))  # libgit2 refuses to write over a torn file
        swap(self._repository, self._place, [RefMove(name, read_ref(self._place, name), last.new)])
        return True

    def _state_holds(self, lost: Sequence[Payload]) -> bool:
        return any(commit == lost[-1].moves[0].new for commit in self._line(STATE_REF))

    def _line(self, ref: str) -> Iterator[str]:
        """Walk the ref's last commits, newest first."""
        here = read_ref(self._place, ref)
        for _ in range(_LOOKED_BACK):
            if here is None or here not in self._repository:
                return
            yield here
            head = bytes(self._repository.read(here)[1]).partition(b"\n\n")[0]
            here = next((line[7:].decode() for line in head.split(b"\n") if line.startswith(b"parent ")), None)
