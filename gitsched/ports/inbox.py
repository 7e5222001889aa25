"""The inbox: deliveries that came in, each with two marks, seen and done."""

from collections.abc import Mapping
from typing import Protocol

from gitsched.domain.deliveries import Delivery, FailedDelivery
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable


class Inbox(Protocol):
    """Keeps deliveries until they are done. Safe to be used by several threads, processes and instances."""

    def receive(self, delivery: Delivery) -> None:
        """Mark a delivery as seen; it is durable when this returns. One that is seen or done stays as it is.

        Those that come at the same time are written together. Raises StorageFullError, BusyError.
        """

    def waiting(self) -> tuple[Delivery, ...]:
        """List what is seen and not done, oldest first."""

    def settle(self, outcomes: Mapping[str, str]) -> None:
        """Mark deliveries as done, each with what it came to in a few words."""

    def knows(self, delivery_id: str) -> bool:
        """Say whether a delivery is seen or done."""


class Courier(Protocol):
    """The forge's own list of deliveries, and the way to ask for one again."""

    def failed_since(self, at: Instant) -> tuple[FailedDelivery, ...] | Unreachable:
        """List the deliveries since then of which no try was taken, each by its newest try."""

    def ask_again(self, attempt: int) -> None:
        """Ask the forge to deliver again. It may refuse: then nothing happens."""
