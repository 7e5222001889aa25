"""Records to canonical JSON and back: sorted keys, no floats, instants as text, unknown fields kept.

A field of the record itself that this version does not know stands in `extra` under its own name; one of a
value inside the record under its JSON pointer, for instance `/evictions/0/weight`. Both are written back.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from gitsched.domain.records import (
    Batch,
    Control,
    DayCosts,
    Driver,
    Entry,
    Extra,
    Format,
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
from gitsched.domain.state import record_path

_UNKNOWN_FIELD = re.compile(r"unknown field `(?P<name>.*?)`(?: - at `\$(?P<where>.*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(?P<field>[^.\[]+)|\[(?P<index>\d+)\]|\[\.\.\.\]")
_ENCODER = msgspec.json.Encoder(order="sorted")


class Cell(NamedTuple):
    """Where the record of a path belongs: the field of the state, its key there, and its type."""

    field: str
    key: Any
    type: type[Record]


class Unreadable(Struct, frozen=True):
    """A record that does not decode, and why."""

    detail: str


@lru_cache(maxsize=1 << 13)
def cell_of(path: str) -> Cell | None:
    """Tell where the record at this path of the state tree belongs; None for a path of no known record."""
    match path.split("/"):
        case ["queue", _, issue] if issue.isdecimal():
            return Cell("entries", int(issue), Entry)
        case ["batches", batch, "batch"]:
            return Cell("batches", batch, Batch)
        case ["batches", batch, "settings"]:
            return Cell("settings", batch, Settings)
        case ["batches", batch, "members", name] if name.rpartition("-")[2].isdecimal():
            return Cell("members", (batch, int(name.rpartition("-")[2])), Member)
        case ["batches", batch, "jobs", name]:
            return Cell("jobs", (batch, name), Job)
        case ["slots", batch, issue] if issue.isdecimal():
            return Cell("leases", (batch, int(issue)), Lease)
        case ["judged", _, tree]:
            return Cell("judged", tree, Judged)
        case ["drivers", name]:
            return Cell("drivers", name, Driver)
        case ["commands", _, comment] if comment.isdecimal():
            return Cell("heard", int(comment), Heard)
        case ["costs", day]:
            return Cell("costs", day, DayCosts)
        case ["rates", profile]:
            return Cell("rates", profile, Rates)
        case ["schedules", name]:
            return Cell("schedules", name, Schedule)
        case ["control"]:
            return Cell("control", None, Control)
        case ["format"]:
            return Cell("format", None, Format)
        case _:
            return None


def encode_record(record: Record) -> bytes:
    """Write a record as canonical JSON: one line, equal records give equal bytes.

    Raises ValueError for a float anywhere in it.
    """
    if not record.extra and not isinstance(record, Settings):
        return _without_extra(_ENCODER.encode(record))
    fields = msgspec.to_builtins(record, str_keys=True)
    del fields["extra"]
    for name, value in record.extra.items():
        _put_back(fields, name, value)
    _refuse_floats(fields)
    return _ENCODER.encode(fields) + b"\n"


def decode_record(path: str, data: bytes) -> Record | Unreadable:
    """Read the record that stands at a path; strictly, but for fields that are not known here."""
    cell = cell_of(path)
    if cell is None:
        return Unreadable("no record of this version stands at such a path")
    try:
        record = _decoder(cell.type).decode(data)
    except msgspec.ValidationError as refused:
        return _with_extra(path, cell.type, data, refused)
    except (msgspec.DecodeError, UnicodeDecodeError) as broken:
        return Unreadable(str(broken))
    return _in_its_place(path, record)


def _with_extra(path: str, kind: type[Record], data: bytes, refused: msgspec.ValidationError) -> Record | Unreadable:
    """Move one unknown field after the other aside until the rest decodes, or is refused for another reason."""
    fields = msgspec.json.decode(data)
    extra: dict[str, Any] = {}
    while unknown := _UNKNOWN_FIELD.search(str(refused)):
        name, holder, pointer = _holder(fields, unknown["where"] or "", unknown["name"])
        extra[f"{pointer}/{_escaped(name)}" if pointer else name] = holder.pop(name)
        try:
            record = msgspec.convert(fields, kind)
        except msgspec.ValidationError as next_refused:
            refused = next_refused
        else:
            return _in_its_place(path, msgspec.structs.replace(record, extra=extra))
    return Unreadable(str(refused))


def _holder(fields: Any, where: str, name: str) -> tuple[str, dict[str, Any], str]:
    """Find the object that holds the unknown field; msgspec names a value of a mapping by `[...]` only."""
    pointer, holders = "", [("", fields)]
    for step in _STEP.finditer(where):
        if step["field"] is not None:
            holders = [(f"{p}/{step['field']}", h[step["field"]]) for p, h in holders if step["field"] in h]
        elif step["index"] is not None:
            holders = [(f"{p}/{step['index']}", h[int(step["index"])]) for p, h in holders if isinstance(h, list)]
        else:
            holders = [(f"{p}/{_escaped(key)}", value) for p, h in holders for key, value in h.items()]
    pointer, holder = next((p, h) for p, h in holders if name in h)
    return name, holder, pointer


def _put_back(fields: dict[str, Any], name: str, value: Any) -> None:
    """Set an unknown field where it came from; one whose cell is gone goes with it."""
    if not name.startswith("/"):
        fields[name] = value
        return
    *steps, last = (step.replace("~1", "/").replace("~0", "~") for step in name.split("/")[1:])
    holder: Any = fields
    for step in steps:
        if isinstance(holder, dict) and step in holder:
            holder = holder[step]
        elif isinstance(holder, list | tuple) and int(step) < len(holder):
            holder = holder[int(step)]
        else:
            return
    holder[last] = value


def _escaped(step: str) -> str:
    """Escape a step as RFC 6901 does."""
    return step.replace("~", "~0").replace("/", "~1")


def _in_its_place(path: str, record: Record) -> Record | Unreadable:
    own = record_path(record)
    return record if own == path else Unreadable(f"it belongs at '{own}'")


def _without_extra(encoded: bytes) -> bytes:
    return encoded.replace(b'"extra":{},', b"", 1) + b"\n"


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise ValueError(f"a record holds no floats: {value!r}")  # noqa: TRY004 - the value is wrong, not its type
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    for part in inner:
        _refuse_floats(part)


@lru_cache(maxsize=16)
def _decoder(kind: type[Record]) -> msgspec.json.Decoder[Record]:
    return msgspec.json.Decoder(kind)


__all__ = ["Cell", "Extra", "Unreadable", "cell_of", "decode_record", "encode_record"]
