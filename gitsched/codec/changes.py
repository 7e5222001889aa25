"""Changes of records from one process to another of the same clone: quick to read, many at a time, and kept nowhere."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from gitsched.codec.records import cell_of
from gitsched.domain.records import (
    Batch,
    Control,
    DayCosts,
    Driver,
    Entry,
    Heard,
    Job,
    Judged,
    Lease,
    Member,
    Rates,
    Record,
    Schedule,
    Settings,
)
from gitsched.domain.state import State

_COUNT_BYTES = 4
_LIST = b"\xdd"
"""How msgpack begins a list whose length has four bytes."""


Entries = dict[bytes, bytes | None]
"""Raw entries of a tree by their names; None: one that is gone."""


class Rows(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Records by their keys, in the fields that a state has them in."""

    control: dict[None, Control] | None = None
    entries: dict[int, Entry] | None = None
    batches: dict[str, Batch] | None = None
    members: dict[tuple[str, int], Member] | None = None
    settings: dict[str, Settings] | None = None
    leases: dict[tuple[str, int], Lease] | None = None
    jobs: dict[tuple[str, str], Job] | None = None
    judged: dict[str, Judged] | None = None
    drivers: dict[str, Driver] | None = None
    heard: dict[int, Heard] | None = None
    costs: dict[str, DayCosts] | None = None
    rates: dict[str, Rates] | None = None
    schedules: dict[str, Schedule] | None = None


class Change(Struct, frozen=True, array_like=True):
    """What one transaction made of the state."""

    old: str
    """The state commit before."""
    new: str
    fields: tuple[str, ...]
    """Those of `rows` that hold something."""
    rows: Rows
    gone: tuple[str, ...]
    """Paths of records that are no more."""
    tree: bytes
    upper: dict[str, Entries]
    """What changed in the tree itself, at '', and in its folders."""


_DECODER = msgspec.msgpack.Decoder(list[Change])


def change_of(
    old: str, new: str, changed: Mapping[str, Record | None], tree: bytes, upper: Mapping[str, Entries]
) -> Change | None:
    """Put a transaction down as a change; None where only its tree can tell, as with another format."""
    rows: dict[str, dict[Any, Record]] = {}
    for path, record in changed.items():
        cell = cell_of(path)
        if cell is None or cell.field not in Rows.__struct_fields__:
            return None
        if record is not None:
            rows.setdefault(cell.field, {})[cell.key] = record
    gone = tuple(path for path, record in changed.items() if record is None)
    held: Any = rows
    return Change(old, new, tuple(rows), Rows(**held), gone, tree, dict(upper))


def encode_change(change: Change) -> bytes | None:
    """Write a change; None for one that cannot be written so."""
    try:
        return msgspec.msgpack.encode(change)
    except OverflowError:
        return None  # a field of a newer version holds a number beyond 64 bits


def decode_changes(count: int, encoded: bytes) -> list[Change] | None:
    """Read so many changes, one written after the other; None when that is not what they are."""
    try:
        return _DECODER.decode(_LIST + count.to_bytes(_COUNT_BYTES, "big") + encoded)
    except msgspec.MsgspecError:
        return None


def changed_by(state: State, changes: Iterable[Change]) -> State:
    """Give the state after these changes, in their order."""
    fields: dict[str, dict[Any, Record | None]] = {}
    for change in changes:
        for path in change.gone:
            cell = cell_of(path)
            assert cell is not None, path
            fields.setdefault(cell.field, {})[cell.key] = None
        for name in change.fields:
            fields.setdefault(name, {}).update(getattr(change.rows, name))
    new: dict[str, Any] = {name: _rows(getattr(state, name), rows) for name, rows in fields.items()}
    return replace(state, **new)


def _rows(before: Any, rows: Mapping[Any, Record | None]) -> Any:
    if None in rows:
        return rows[None]
    if None not in rows.values():
        return before.update(rows)
    after = before.mutate()
    for key, record in rows.items():
        if record is None:
            after.pop(key, None)
        else:
            after[key] = record
    return after.finish()
