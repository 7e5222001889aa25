"""Run records and orders as canonical JSON: sorted keys, no floats, unknown fields kept."""

from typing import Any

import msgspec

from gitsched.domain.runs import FarOrder, RunOrder, RunRecord
from gitsched.errors import RecordUnreadableError


def encode_run(record: RunRecord) -> bytes:
    """Write a record, the fields of `extra` beside its own."""
    fields: dict[str, Any] = msgspec.to_builtins(record)
    extra = fields.pop("extra")
    return msgspec.json.encode({**extra, **fields}, order="sorted")


def decode_run(raw: bytes, path: str = "run", oid: str = "") -> RunRecord:
    """Read a record back. Raises RecordUnreadableError, which names `path` and `oid`."""
    try:
        fields = msgspec.json.decode(raw, type=dict[str, Any])
        own = {name: fields.pop(name) for name in RunRecord.__struct_fields__ if name in fields}
        own.pop("extra", None)
        return msgspec.convert({**own, "extra": fields}, RunRecord)
    except msgspec.MsgspecError as wrong:
        raise RecordUnreadableError(path, oid, str(wrong)) from wrong


def encode_order(order: RunOrder) -> bytes:
    """Write an order for the worker that is started with it."""
    return msgspec.json.encode(order, order="sorted")


def decode_order(raw: bytes) -> RunOrder:
    """Read an order. Raises RecordUnreadableError."""
    try:
        return msgspec.json.decode(raw, type=RunOrder)
    except msgspec.MsgspecError as wrong:
        raise RecordUnreadableError("order", "", str(wrong)) from wrong


def encode_far(order: FarOrder) -> bytes:
    """Write an order for a worker on another machine."""
    return msgspec.json.encode(order, order="sorted")


def decode_far(raw: bytes, path: str = "order", oid: str = "") -> FarOrder:
    """Read an order for a worker on another machine. Raises RecordUnreadableError."""
    try:
        return msgspec.json.decode(raw, type=FarOrder)
    except msgspec.MsgspecError as wrong:
        raise RecordUnreadableError(path, oid, str(wrong)) from wrong
