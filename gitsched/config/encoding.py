"""Settings as plain data: the copy that a batch keeps from its seal on, and fingerprints.

Field names are those of the records, units included; they are stored and never change. A copy of
an older version lacks fields, which then have their default; one of a newer version has more, which
are passed over. No record of the store holds a float, so one is kept as `{"decimal": "0.5"}`.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from gitsched.config.settings import Settings
from gitsched.errors import ConfigError


def encode_settings(settings: Settings) -> dict[str, Any]:
    """Write settings as JSON-ready data."""
    encoded: dict[str, Any] = _without_floats(msgspec.to_builtins(settings))
    return encoded


def _without_floats(value: Any) -> Any:
    match value:
        case float():
            return {"decimal": repr(value)}
        case dict():
            return {name: _without_floats(part) for name, part in value.items()}
        case list() | tuple():
            return [_without_floats(part) for part in value]
        case _:
            return value


def _with_floats(value: Any) -> Any:
    match value:
        case {"decimal": str(text), **rest} if not rest:
            return float(text)
        case dict():
            return {name: _with_floats(part) for name, part in value.items()}
        case list() | tuple():
            return [_with_floats(part) for part in value]
        case _:
            return value


def decode_settings(encoded: Mapping[str, Any]) -> Settings:
    """Read what `encode_settings` wrote; raises ConfigError where it is not that."""
    try:
        return msgspec.convert(_with_floats(dict(encoded)), Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(
            "A kept copy of the settings was to be read.",
            f"It is not one: {error}.",
            "`gitsched resume --reload` takes the settings as they are now.",
        ) from error


def fingerprint(part: object) -> str:
    """Digest settings, a part of them, or plain data: SHA-256 of canonical JSON, in hexadecimal."""
    return hashlib.sha256(msgspec.json.encode(_with_floats(msgspec.to_builtins(part)), order="sorted")).hexdigest()
