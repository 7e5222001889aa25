"""Tables and coloured words for a terminal, or for a pipe without a single escape code."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from gitsched.view.clean import one_line

MAX_CELL: Final = 400
STYLES: Final = {
    **dict.fromkeys(("landed", "shipped", "done", "merged", "passed", "green", "verified", "reported"), "green"),
    **dict.fromkeys(("running", "preparing", "verifying", "executing", "validating", "awaiting-merge"), "cyan"),
    **dict.fromkeys(("waiting", "queued", "assigned", "forming", "ready", "amber", "handed-back"), "yellow"),
    **dict.fromkeys(("blocked", "failed", "evicted", "parked", "red", "stopped", "dissolved"), "red"),
}
"""Colours of the fixed words; every other word is plain."""


class Look(NamedTuple):
    """How a text may look: in colour or not, and how wide its lines may be."""

    colour: bool = False
    width: int | None = None
    """None: as wide as it must be."""


class Cell(NamedTuple):
    """A text in a style of its own."""

    text: str
    style: str = ""


def render_table(headings: Sequence[str], rows: Iterable[Sequence[str | Cell]], look: Look) -> str:
    """Align rows under their headings; the last column is shortened or folded to the width.

    Cells are other people's words: they are cleaned here, and never read as markup.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    table.add_column(headings[-1], overflow="fold")
    for row in rows:
        table.add_row(
            *(
                Text(one_line(cell, MAX_CELL), STYLES.get(cell, ""))
                if isinstance(cell, str)
                else Text(one_line(cell.text, MAX_CELL), cell.style)
                for cell in row
            )
        )
    return _printed(table, look)


def styled(text: str, style: str, look: Look) -> str:
    """Write one line in a style; plain where there is no colour."""
    if not look.colour:
        return one_line(text, MAX_CELL)
    from rich.text import Text

    return _printed(Text(one_line(text, MAX_CELL), style), look)


def _printed(thing: object, look: Look) -> str:
    import io

    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        width=look.width or 100_000,
        color_system="standard" if look.colour else None,
        force_terminal=look.colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(thing, soft_wrap=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
