"""Records of the local forge as canonical JSON: sorted keys, unknown fields kept.

A pull request's `head` is what its branch was when it was last opened or updated.
"""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from gitsched.domain.forge import Comment, Issue, PullRequestView

FORMAT = 1
R = TypeVar("R", Issue, Comment, PullRequestView)


class Counters(Struct, frozen=True, kw_only=True):
    """The next free numbers; one that was given out is never given again."""

    number: int = 1
    """Of issues and pull requests alike."""
    comment: int = 1


class UndecodableError(ValueError):
    """The bytes are no such record; the message says where."""


def encode_record(record: Issue | Comment | PullRequestView) -> bytes:
    """Write a record, the fields of `extra` beside its own."""
    fields: dict[str, Any] = msgspec.to_builtins(record)
    extra = fields.pop("extra")
    return _encoded({**extra, **fields})


def decode_record(raw: bytes, kind: type[R]) -> R:
    """Read a record of that kind. Raises UndecodableError."""
    fields = _decoded(raw, dict[str, Any])
    own = {name: fields.pop(name) for name in kind.__struct_fields__ if name != "extra" and name in fields}
    try:
        return msgspec.convert({**own, "extra": fields}, kind)
    except msgspec.ValidationError as wrong:
        raise UndecodableError(str(wrong)) from wrong


def encode_counters(counters: Counters) -> bytes:
    """Write the next free numbers."""
    return _encoded(msgspec.to_builtins(counters))


def decode_counters(raw: bytes) -> Counters:
    """Read the next free numbers. Raises UndecodableError."""
    return _decoded(raw, Counters)


def encode_format() -> bytes:
    """Write which format the forge's files have."""
    return _encoded({"format": FORMAT})


def decode_format(raw: bytes) -> int:
    """Read which format the forge's files have. Raises UndecodableError."""
    return _decoded(raw, _Format).format


class _Format(Struct, frozen=True):
    format: int


T = TypeVar("T")


def _encoded(fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode(fields, order="sorted") + b"\n"


def _decoded(raw: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as wrong:
        raise UndecodableError(str(wrong)) from wrong
