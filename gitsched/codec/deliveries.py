"""Deliveries on the wire and in the inbox.

A payload is read leniently: real ones lack keys that their schemas require, and only a few are of use.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from gitsched.domain.deliveries import Delivery
from gitsched.domain.instants import Instant

_DECODER = msgspec.json.Decoder(Delivery)
_LARGEST = 2**63


class NotAPayloadError(Exception):
    """The bytes are no JSON object in UTF-8."""


def read_delivery(delivery_id: str, event: str, body: bytes, received_at: Instant) -> Delivery:
    """Read a payload. Raises NotAPayloadError."""
    try:
        payload = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise NotAPayloadError(str(wrong)) from wrong
    if not isinstance(payload, dict):
        raise NotAPayloadError("it is no object")
    repository = _part(payload, "repository")
    return Delivery(
        id=delivery_id,
        event=event,
        action=_text(payload.get("action")),
        received_at=received_at,
        repository=_number(repository.get("id")),
        full_name=_text(repository.get("full_name")),
        number=_number(_subject(payload).get("number")),
        comment=_number(_part(payload, "comment").get("id")),
    )


def encode_delivery(delivery: Delivery) -> bytes:
    """Write a delivery down for the inbox."""
    return msgspec.json.encode(delivery, order="sorted") + b"\n"


def decode_delivery(data: bytes) -> Delivery | None:
    """Read a delivery of the inbox; None where it does not decode."""
    try:
        return _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _subject(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return _part(payload, "issue") or _part(payload, "pull_request")


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and 0 < value < _LARGEST else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
