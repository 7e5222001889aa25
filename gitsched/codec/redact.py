"""Secrets taken out of a stream by their value, also where a value is split over two chunks.

A value is looked for as it is, as JSON text writes it, and, when it has several lines, line by line. Values
that are shorter than `SHORTEST` are left alone: to blank every "true" would hide the log and no secret. Of a value
that is an address, what stands before its host is looked for by itself as well; and whatever stands there in any
address of the web is taken out, whoever's it is: a remote's URL in git's own words is nobody's variable.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

import msgspec

SHORTEST: Final = 6
_SHORTEST_LINE: Final = 16
MARK: Final = b"***"
_BEFORE_HOST: Final = rb"[^\s/@\"'<>\\{}$*]{1,256}"
_ADDRESS: Final = rb"(?P<scheme>(?i:https?)://)" + _BEFORE_HOST + rb"@"
_ADDRESS_BEGINS: Final = re.compile(rb"(?i:h(?:t(?:t(?:p(?:s?(?::(?:/(?:/(?:" + _BEFORE_HOST + rb")?)?)?)?)?)?)?)?)\Z")
_LONGEST_OPEN: Final = len(b"https://") + 256
_USER_AND_PASSWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/@\s:]*)(?::([^/@\s]*))?@")


class Redactor:
    """Replaces values by `***` in bytes that arrive in chunks.

    The chunks it gives back, joined, are what `redact` makes of the whole.
    """

    def __init__(self, values: Iterable[str]) -> None:
        """Know the values; longer ones win where two begin at the same place."""
        self._needles = sorted(_needles(values), key=lambda needle: (-len(needle), needle))
        self._pattern = re.compile(b"|".join([*map(re.escape, self._needles), _ADDRESS]))
        self._longest = len(self._needles[0]) if self._needles else 0
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        """Take a chunk and give what can be shown by now; what may begin a value waits for the next chunk."""
        text = self._held + chunk
        end = self._first_open(text)
        self._held = text[end:]
        return self._pattern.sub(_marked, text[:end])

    def finish(self) -> bytes:
        """Give what was held back: the stream has ended."""
        rest, self._held = self._held, b""
        return self._pattern.sub(_marked, rest)

    def _first_open(self, text: bytes) -> int:
        """Find where a value may begin that the next chunk completes; the length when nowhere."""
        start = max(0, len(text) - max(0, self._longest - 1))
        end = next((at for at in range(start, len(text)) if self._may_begin(text[at:])), len(text))
        address = _ADDRESS_BEGINS.search(text, max(0, len(text) - _LONGEST_OPEN))
        end = end if address is None else min(end, address.start())
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


def _marked(found: re.Match[bytes]) -> bytes:
    scheme = found["scheme"]
    return MARK if scheme is None else scheme + MARK + b"@"


def _needles(values: Iterable[str]) -> set[bytes]:
    found: set[bytes] = set()
    for value in values:
        lines = [line.strip() for line in value.splitlines()]
        parts = [value.strip(), *(line for line in lines if len(line) >= _SHORTEST_LINE), *_in_address(value)]
        for part in parts:
            raw = part.encode("utf-8", "surrogateescape")
            if len(raw) >= SHORTEST:
                found |= {raw, _in_json(raw)}
    return found


def _in_address(value: str) -> tuple[str, ...]:
    """Give what an address lets in by: its password, or, where it has none, what stands in its place."""
    found = _USER_AND_PASSWORD.match(value.strip())
    if found is None:
        return ()
    user, password = found[1], found[2]
    return (password or user, unquote(password or user))


def _in_json(raw: bytes) -> bytes:
    return msgspec.json.encode(raw.decode("utf-8", "replace"))[1:-1]
