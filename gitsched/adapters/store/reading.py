"""Turn state trees into states: only what differs from a state that is known is read and decoded."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gitsched.adapters.store.loose import Oid
from gitsched.adapters.store.migrations import FORMATS, Formats
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.trees import Trees
from gitsched.codec.records import Unreadable, cell_of, decode_record
from gitsched.domain.events import EventName
from gitsched.domain.ids import STATE_REF
from gitsched.domain.records import Control, Format, Record
from gitsched.domain.state import Draft, State
from gitsched.errors import FormatError, InternalError, RecordUnreadableError

Known = tuple[str, Oid, State]
"""A state commit, its tree and the state in it."""


class _Numbered(msgspec.Struct):
    """The part of a format record that every version can read."""

    format: int
    needs: str | None = None
    """The version of gitsched that the writer says is needed."""


class Reader:
    """Reads the states of one store."""

    def __init__(self, objects: ObjectReader, trees: Trees, formats: Formats = FORMATS) -> None:
        """Read by `objects` and `trees`; older records are taken to the newest of these formats."""
        self._objects = objects
        self._trees = trees
        self.formats = formats

    def state(self, tree: Oid, known: tuple[Oid, State] | None) -> State:
        """Give the state that a tree holds, by its difference to a known one.

        Raises FormatError for a newer format, RecordUnreadableError when the format record itself is broken.
        """
        before, state = known or (None, State())
        return folded(state, self.records(before, tree, state))

    def records(self, before: Oid | None, tree: Oid, known: State) -> dict[str, Record | Unreadable | None]:
        """List the records that differ between two trees, as the later one has them (None: gone); raises as `state`.

        `known` is a state of the former's format.
        """
        changes = self._trees.changes(before, tree)
        is_new = "format" in changes or before is None
        found = self._checked_format(tree) if is_new else known.format.format
        contents = self._contents(changes, found)
        return {path: _decoded(path, oid, contents) for path, oid in changes.items() if cell_of(path)}

    def tree_of(self, commit: str) -> Oid:
        """Name the tree of a state commit."""
        content = self._objects.read(bytes.fromhex(commit))
        if content is None:
            raise InternalError(
                f"'{STATE_REF}' names {commit}.", "That commit is not in the repository.", "`git fsck` tells more."
            )
        return bytes.fromhex(content[5:45].decode())

    def is_plain(self, known: State) -> bool:
        """Say whether records can be put into a known state as they are: it is of the newest format, and all whole."""
        return known.format.format == self.formats.newest and not known.unreadable

    def outdated(self, tree: Oid) -> dict[str, Record]:
        """List what a tree of an older format holds in another form than the newest, by path, in the newest."""
        found = self._checked_format(tree)
        blobs = {path: oid for path, oid in self._trees.changes(None, tree).items() if oid is not None}
        before, after = self._contents(blobs, self.formats.newest), self._contents(blobs, found)
        changed = {path: _decoded(path, oid, after) for path, oid in blobs.items() if cell_of(path)}
        return {
            path: record
            for path, record in changed.items()
            if record is not None and not isinstance(record, Unreadable) and before[blobs[path]] != after[blobs[path]]
        }

    def _contents(self, blobs: Mapping[str, Oid | None], found: int) -> dict[Oid, bytes]:
        """Read records as the newest format has them, from one in which they are written down."""
        contents = self._objects.read_many(oid for oid in blobs.values() if oid is not None)
        if found >= self.formats.newest:
            return contents
        paths = {oid: path for path, oid in blobs.items() if oid is not None}
        return {oid: self.formats.migrated(paths[oid], content, found) for oid, content in contents.items()}

    def _checked_format(self, tree: Oid) -> int:
        oid = self._trees.find(tree, "format")
        content = self._objects.read(oid) if oid else None
        try:
            told = msgspec.json.decode(content or b"", type=_Numbered)
        except msgspec.DecodeError as broken:
            raise RecordUnreadableError("format", oid.hex() if oid else "", str(broken)) from broken
        newest = self.formats.newest
        if told.format > newest:
            raise FormatError(
                f"The state of this repository is written in format {told.format}; this gitsched knows {newest}.",
                f"This repository needs gitsched >= {told.needs or f'the first that knows format {told.format}'}.",
                "Install it and call again; nothing was written.",
            )
        return told.format


def migrate(draft: Draft, reader: Reader, tree: Oid) -> None:
    """Bring the state that a tree holds to the newest format, if it is of an older one."""
    found, newest = draft.state.format, reader.formats.newest
    if found.format < newest:
        records = [record for path, record in reader.outdated(tree).items() if path != "format"]
        raised = replace(found, format=newest)
        sentence = f"Bring the state from format {found.format} to {newest}"
        draft.note(EventName.MIGRATED, sentence, *records, raised, before=found.format, after=newest)


def refuse_foreign(known: Format, found: Format) -> None:
    """Refuse a state that is not a later one of the same store. Raises FormatError."""
    if known.store != found.store or known.generation > found.generation:
        raise FormatError(
            f"The state was of store '{known.store}', generation {known.generation}.",
            f"It is now of store '{found.store}', generation {found.generation}: another or an older one.",
            f"`git bundle create state.bundle {STATE_REF}` exports what is there now.",
        )


def folded(state: State, changes: Mapping[str, Record | Unreadable | None]) -> State:
    """Put decoded records (None: gone) into a state; one that does not decode stands in `unreadable`."""
    fields: dict[str, Any] = {}
    unreadable = state.unreadable.mutate()
    for path, found in sorted(changes.items(), key=lambda change: change[1] is not None):
        cell = cell_of(path)
        assert cell is not None, path
        unreadable.pop(path, None)
        record = None if isinstance(found, Unreadable) else found
        if isinstance(found, Unreadable):
            unreadable[path] = found.detail
        if cell.key is None:
            fields[cell.field] = record or _in_place_of(cell.type)
            continue
        rows = fields.setdefault(cell.field, None)
        if rows is None:
            rows = fields[cell.field] = getattr(state, cell.field).mutate()
        if record is not None:
            rows[cell.key] = record
        else:
            rows.pop(cell.key, None)
    finished = {name: value.finish() if hasattr(value, "finish") else value for name, value in fields.items()}
    return replace(state, unreadable=unreadable.finish(), **finished)


def _in_place_of(kind: type[Record]) -> Control | Format:
    """Hold everything when the record that rules it cannot be read."""
    if kind is Format:
        return Format()
    return Control(paused=True, pause_reason="record-unreadable", paused_by="engine")


def _decoded(path: str, oid: Oid | None, contents: Mapping[Oid, bytes]) -> Record | Unreadable | None:
    if oid is None:
        return None
    content = contents.get(oid)
    if content is None:
        return Unreadable(f"its blob {oid.hex()} is not in the repository, or not whole")
    return decode_record(path, content)
