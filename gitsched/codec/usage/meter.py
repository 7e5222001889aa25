"""What a run has used so far, as its own stream tells it on the way, and whether that is more than it may."""

from collections.abc import Mapping
from typing import Final

from gitsched.codec.usage.fields import Json
from gitsched.codec.usage.reading import READERS, events_of

SPENDING: Final[Mapping[str, bytes]] = {
    "claude-stream-json": b'"result"',
    "codex-json": b'"turn.completed"',
    "opencode-json": b'"step_finish"',
    "gemini-json": b'"result"',
}
"""By reader: the event that adds to what was used; only its lines are kept."""
_LONGEST_LINE: Final = 1024 * 1024


class Meter:
    """Adds up one run's usage while it works."""

    def __init__(self, parser: str, caps: Mapping[str, int]) -> None:
        """Read by the reader of that name; `caps` are amounts by kind. Without either it never says anything."""
        self._reader, self._mark = READERS.get(parser), SPENDING.get(parser)
        self._caps = caps
        self._rest = b""
        self._events: list[Json] = []

    def feed(self, chunk: bytes) -> str | None:
        """Take a chunk of output, and name the kind of amount that is over its cap by now."""
        if self._reader is None or self._mark is None or not self._caps:
            return None
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[-_LONGEST_LINE:]
        spending = [line for line in lines if self._mark in line]
        if not spending:
            return None
        self._events += events_of(b"\n".join(spending))
        used = self._reader(self._events).usage or {}
        return next((kind for kind, cap in self._caps.items() if used.get(kind, 0) > cap), None)
