"""Markers: HTML comments by which gitsched finds what it wrote, and the room that GitHub gives a text."""

from typing import Final

MOST_CHARACTERS: Final = 65_000
"""GitHub takes fewer than 65,536 characters; the marker needs some of them (field notes, "Limits")."""
MOST_BYTES: Final = 250_000
_CUT = "\n\n… cut here: GitHub takes no longer text.\n"


def marked(body: str, marker: str) -> str:
    """Put the marker under a body, where no reader sees it."""
    return f"{body.rstrip()}\n\n{_comment(marker)}\n"


def carries(body: str, marker: str) -> bool:
    """Say whether a body carries the marker, on a line of its own."""
    return _comment(marker) in body.splitlines()


def fitted(body: str) -> str:
    """Cut a body to what GitHub takes; what was cut is said."""
    if len(body) <= MOST_CHARACTERS and len(body.encode("utf-8", "replace")) <= MOST_BYTES:
        return body
    text = body[: MOST_CHARACTERS - len(_CUT)]
    while len(text.encode("utf-8", "replace")) > MOST_BYTES - len(_CUT) * 4:
        text = text[: len(text) * 9 // 10]
    return text + _CUT


def _comment(marker: str) -> str:
    assert "--" not in marker
    assert marker.isprintable()
    return f"<!-- {marker} -->"
