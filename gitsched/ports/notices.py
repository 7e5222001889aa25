"""Who is told of what happened: the operator's own command or address."""

from typing import Protocol


class Notifier(Protocol):
    """Passes one notice on."""

    def send(self, notice: bytes) -> str | None:
        """Pass a notice, one JSON object, on; say what stood against it, in words that hold no secret."""
