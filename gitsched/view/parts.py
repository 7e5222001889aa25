"""Fit a page into a limit by leaving out whole parts, the least needed first, and saying so."""

from collections.abc import Sequence
from typing import NamedTuple

MUST, NEEDED, USEFUL, DETAIL, OUTPUT = range(5)
"""Ranks: what a page is for, what a reader acts on, what explains it, and what can be looked up."""


class Part(NamedTuple):
    """A piece of Markdown that stands or falls as a whole: one or more complete lines."""

    rank: int
    text: str


def heading(title: str, rank: int = NEEDED) -> Part:
    """Write a section's heading."""
    return Part(rank, f"\n## {title}\n")


def fit(parts: Sequence[Part], most_chars: int, remark: str) -> str:
    """Join the parts, one to a line; where they are too long leave some out and end with `remark`.

    Parts of a lower rank go in first, and within a rank the earlier ones. The result has at most
    `most_chars` characters; `remark` is a line that fits.
    """
    whole = joined(parts)
    if len(whole) <= most_chars:
        return whole
    room = most_chars - len(remark) - 2
    kept: set[int] = set()
    for index in sorted(range(len(parts)), key=lambda index: (parts[index].rank, index)):
        size = len(parts[index].text) + 1
        if size <= room:
            kept.add(index)
            room -= size
    return joined([*(part for index, part in enumerate(parts) if index in kept), Part(MUST, f"\n{remark}")])


def joined(parts: Sequence[Part]) -> str:
    """Join the parts, one to a line; where one ends and the next begins with an empty line there is one."""
    page = ""
    for part in parts:
        text = part.text.removeprefix("\n") if page.endswith("\n\n") or not page else part.text
        page += f"{text}\n"
    return page
