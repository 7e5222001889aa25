"""JSON as text: nothing but ASCII, so that no code in anybody's title can steer a terminal."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

_BEYOND: Final = re.compile(r"[^\x00-\x7e]")


def document_text(document: Mapping[str, Any]) -> str:
    """Write one document, indented, without a line end at its end."""
    return _ascii(msgspec.json.format(msgspec.json.encode(document), indent=2))


def line_text(document: Mapping[str, Any]) -> str:
    """Write one document on one line."""
    return _ascii(msgspec.json.encode(document))


def _ascii(raw: bytes) -> str:
    text = raw.decode()
    return text if text.isascii() and "\x7f" not in text else _BEYOND.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Write a character as JSON does: UTF-16 code units (RFC 8259, section 7)."""
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
