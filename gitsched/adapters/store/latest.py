"""Follow what other writers of the clone do by the redo log: one read instead of several for each transaction."""

from collections.abc import Mapping
from zlib import decompress

from msgspec import Struct

from gitsched.adapters.store.loose import Oid
from gitsched.adapters.store.redo import Payload, RedoLog
from gitsched.domain.ids import STATE_REF


class Told(Struct, frozen=True):
    """What the log tells of the way from one state commit to another."""

    tree: Oid
    """The tree of the later one."""
    records: Mapping[str, bytes | None]
    """What changed, by path in that tree; None: gone."""
    objects: Mapping[str, bytes]
    """All objects of the transactions between, by their file, as git stores them."""


class Latest:
    """The newest transactions of one clone, each looked at once."""

    def __init__(self, redo: RedoLog | None) -> None:
        """Stand on a log; without one nothing is told."""
        self._redo = redo
        self._at: tuple[int, int] | None = None

    def told(self, known: str, tip: str) -> Told | None:
        """Tell how the state went from one commit to another; None when the log does not hold all of it."""
        if self._redo is None:
            return None
        records, objects, here = dict[str, str | None](), dict[str, bytes](), known
        for payload in self._new(self._redo, tip):
            objects |= payload.objects
            state = next((move for move in payload.moves if move.name == STATE_REF), None)
            if state is None or (here == known and state.old != known):
                continue  # known already, or not the state's
            if payload.records is None or state.old != here or state.new is None:
                return None
            here = state.new
            records |= payload.records
        if here == known or here != tip:
            return None
        contents = {path: None if file is None else _content(objects[file]) for path, file in records.items()}
        return Told(_tree_in(objects[f"{tip[:2]}/{tip[2:]}"]), contents, objects)

    def _new(self, redo: RedoLog, tip: str) -> list[Payload]:
        """Read on to the transaction that made the tip: what was logged after it may not come true."""
        newest, found = redo.newest(), list[Payload]()
        if self._at is None or newest is None or newest[0] != self._at[0]:
            self._at = newest
            return []
        for payload, at in redo.after(*self._at):
            found.append(payload)
            if any(move.new == tip for move in payload.moves):
                self._at = newest[0], at
                return found
        self._at = newest
        return []


def _tree_in(packed: bytes) -> Oid:
    return bytes.fromhex(_content(packed)[5:45].decode())


def _content(packed: bytes) -> bytes:
    return decompress(packed).partition(b"\0")[2]
