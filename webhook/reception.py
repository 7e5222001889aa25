"""Reception: what is looked at before a delivery is stored, in which order, and what the sender is told.

Signature first, over the bytes as they came: nothing else about an unsigned body is worth a look.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from gitsched.codec.deliveries import NotAPayloadError, read_delivery
from gitsched.domain.deliveries import Delivery
from gitsched.domain.instants import Instant
from gitsched.errors import BusyError, StorageFullError
from webhook.signature import HEADER, is_signed

LARGEST_BYTES: Final = 25 * 1024 * 1024
"""GitHub delivers nothing larger."""

_DELIVERY_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_EVENT: Final = re.compile(r"[a-z0-9_]{1,64}")
_JSON: Final = re.compile(r"application/json\s*(?:;.*)?", re.IGNORECASE)


class Answer(Struct, frozen=True):
    """What the sender is told."""

    status: int
    reason: str


class Store(Protocol):
    """Takes deliveries in."""

    def take(self, delivery: Delivery) -> str:
        """Store a delivery durably where it belongs, and say in a word what was done with it."""


class Reception(Struct, frozen=True, kw_only=True):
    """Receives deliveries for one service."""

    secrets: Callable[[], Sequence[bytes]]
    """Asked for each delivery, so that a list that changed holds at once."""
    store: Store
    now: Callable[[], Instant]
    app_id: Callable[[], int | None]

    def receive(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Check a delivery and store it. Nothing that it holds makes this raise."""
        headers = {name.lower(): value for name, value in headers.items()}
        if len(body) > LARGEST_BYTES:
            return Answer(413, "too-large")
        if not is_signed(body, headers.get(HEADER.lower()), self.secrets()):
            return Answer(401, "signature")
        if not self._is_ours(headers):
            return Answer(401, "other-app")
        if _JSON.fullmatch(headers.get("content-type", "")) is None:
            return Answer(415, "content-type")
        name, event = headers.get("x-github-delivery", ""), headers.get("x-github-event", "")
        if _DELIVERY_ID.fullmatch(name) is None or _EVENT.fullmatch(event) is None:
            return Answer(400, "headers")
        try:
            delivery = read_delivery(name, event, body, self.now())
        except NotAPayloadError:
            return Answer(400, "payload")
        return self._stored(delivery)

    def _stored(self, delivery: Delivery) -> Answer:
        try:
            return Answer(202, self.store.take(delivery))
        except (BusyError, StorageFullError, OSError):
            # The forge lists it as failed, so that the sweep asks for it again.
            return Answer(503, "not-stored")

    def _is_ours(self, headers: Mapping[str, str]) -> bool:
        """Say whether a delivery that names an App names ours."""
        app_id = self.app_id()
        if app_id is None or headers.get("x-github-hook-installation-target-type") != "integration":
            return True
        return headers.get("x-github-hook-installation-target-id") == str(app_id)
