"""Single values of front matter: plain or quoted text, numbers of issues, and lists on one line.

Plain text is the rest of its line, `#` and `:` included. Whatever YAML would read as something else than text
has to be quoted here, so that a file means the same to both.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gitsched.errors import UsageError

_NUMBER = re.compile(r"#?([1-9]\d{0,8})")
_NEEDS_QUOTES: Final = tuple("|>{}&*!%@`]")
_NEEDS_QUOTES_IN_LISTS = re.compile(r"[\[\]{}\"']")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"'((?:[^']|'')*)'")


@dataclass(frozen=True, slots=True)
class Spot:
    """One value of one file."""

    filename: str
    line: int
    key: str

    def refusal(self, against: str, remedy: str) -> UsageError:
        """Make the error that names file, line and key; the caller raises it."""
        return UsageError(f"{self.filename}, line {self.line}: '{self.key}'.", against, remedy)


def read_text(raw: str, spot: Spot) -> str:
    """Read plain or quoted text, on one line. Raises UsageError."""
    if raw.startswith(('"', "'")):
        return _quoted(raw, spot)
    if raw.startswith(_NEEDS_QUOTES):
        raise spot.refusal(f"The value begins with {raw[0]!r}, which is not plain text.", "Put it in quotes.")
    return raw


def read_name(raw: str, spot: Spot) -> str:
    """Read text that is not empty and stays on one line. Raises UsageError."""
    text = read_text(raw, spot)
    if not text.strip() or text.splitlines() != [text] or "\0" in text:
        raise spot.refusal(f"The item {text!r} is empty or not one line.", "Give one line of text, or leave it out.")
    return text


def read_number(raw: str, spot: Spot) -> int:
    """Read an issue's number, with or without `#`. Raises UsageError."""
    text = read_text(raw, spot)
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise spot.refusal(f"The item {text!r} is not the number of an issue.", "Give numbers, such as [3, 4].")
    return int(found[1])


def items_of(inline: str, spot: Spot) -> Iterator[str]:
    """Take a list on one line apart; quoted items keep their quotes. Raises UsageError."""
    if not (inline.startswith("[") and inline.endswith("]")):
        raise spot.refusal("The value is no list.", "It takes a list, such as [one, two], or lines of `- one`.")
    rest = inline[1:-1].strip()
    while rest:
        quoted = _DOUBLE.match(rest) or _SINGLE.match(rest)
        item, after = (quoted[0], rest[quoted.end() :].lstrip()) if quoted else _plain(rest, spot)
        if after and not after.startswith(","):
            raise spot.refusal(f"The item {item} goes on after its quote.", "Put a comma between two items.")
        yield item
        rest = after[1:].strip()


def _plain(rest: str, spot: Spot) -> tuple[str, str]:
    item, comma, after = rest.partition(",")
    if not item.strip() or _NEEDS_QUOTES_IN_LISTS.search(item):
        against = f"The item {item.strip()!r} is not plain text." if item.strip() else "An item is empty."
        raise spot.refusal(against, "Put it in quotes, or on a line of its own after `- `.")
    return item.strip(), comma + after


def _quoted(raw: str, spot: Spot) -> str:
    if (double := _DOUBLE.fullmatch(raw)) is not None:
        return _ESCAPE.sub(lambda found: _unescaped(found, spot), double[1])
    if (single := _SINGLE.fullmatch(raw)) is not None:
        return single[1].replace("''", "'")
    raise spot.refusal("The quoted text does not end where its line ends.", "Close the quote, once.")


def _unescaped(found: re.Match[str], spot: Spot) -> str:
    if found[1] is not None and not 0xD800 <= int(found[1], 16) <= 0xDFFF:
        return chr(int(found[1], 16))
    if found[2] in _ESCAPED:
        return _ESCAPED[found[2]]
    raise spot.refusal(f"The escape {found[0]} is not known.", r"Known here: \n \t \r \" \\ \/ \uXXXX.")
