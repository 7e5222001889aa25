"""Secrets taken out of a stream by their value, also where a value is split over two chunks.

A value is looked for as it is, as JSON text writes it, and, when it has several lines, line by line. Values
that are shorter than `SHORTEST` are left alone: to blank every "true" would hide the log and no secret.
"""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

SHORTEST: Final = 6
_SHORTEST_LINE: Final = 16
MARK: Final = b"***"


class Redactor:
    """Replaces values by `***` in bytes that arrive in chunks.

    The chunks it gives back, joined, are what `redact` makes of the whole.
    """

    def __init__(self, values: Iterable[str]) -> None:
        """Know the values; longer ones win where two begin at the same place."""
        self._needles = sorted(_needles(values), key=lambda needle: (-len(needle), needle))
        self._pattern = re.compile(b"|".join(map(re.escape, self._needles)))
        self._longest = len(self._needles[0]) if self._needles else 0
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        """Take a chunk and give what can be shown by now; what may begin a value waits for the next chunk."""
        if not self._needles:
            return chunk
        text = self._held + chunk
        end = self._first_open(text)
        self._held = text[end:]
        return self._pattern.sub(MARK, text[:end])

    def finish(self) -> bytes:
        """Give what was held back: the stream has ended."""
        rest, self._held = self._held, b""
        return self._pattern.sub(MARK, rest) if self._needles else rest

    def _first_open(self, text: bytes) -> int:
        """Find where a value may begin that the next chunk completes; the length when nowhere."""
        start = max(0, len(text) - self._longest + 1)
        end = next((at for at in range(start, len(text)) if self._may_begin(text[at:])), len(text))
        for found in self._pattern.finditer(text):
            # A whole value may still be the beginning of a longer one.
            if found.start() < end < found.end():
                return found.start()
        return end

    def _may_begin(self, rest: bytes) -> bool:
        return any(len(rest) < len(needle) and needle.startswith(rest) for needle in self._needles)


def redact(text: bytes, values: Iterable[str]) -> bytes:
    """Replace values in a text that is there as a whole."""
    redactor = Redactor(values)
    return redactor.feed(text) + redactor.finish()


def _needles(values: Iterable[str]) -> set[bytes]:
    found: set[bytes] = set()
    for value in values:
        lines = [line.strip() for line in value.splitlines()]
        parts = [value.strip(), *(line for line in lines if len(line) >= _SHORTEST_LINE)]
        for part in parts:
            raw = part.encode("utf-8", "surrogateescape")
            if len(raw) >= SHORTEST:
                found |= {raw, _in_json(raw)}
    return found


def _in_json(raw: bytes) -> bytes:
    return msgspec.json.encode(raw.decode("utf-8", "replace"))[1:-1]
