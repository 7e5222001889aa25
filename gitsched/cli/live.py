"""Progress of a run on standard error, where that is a terminal: drawn in place, or one line per event."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsched.cli.call import Call
from gitsched.view.log import render_line

if TYPE_CHECKING:
    from gitsched.ports.store import Entry

    Tell = Callable[[Entry], None]

REDRAW_S = 0.1
"""How long the picture may be old while events come quicker than anyone can read."""


@contextmanager
def progress_of(call: Call) -> "Iterator[Tell | None]":
    """Give what is to be told of every journal entry; None where nobody listens."""
    if call.is_quiet or not sys.stderr.isatty():
        yield None
    elif not call.is_live:
        yield lambda entry: call.progress("\n".join(map(render_line, entry.events)))
    else:
        with _drawn(call) as tell:
            yield tell


@contextmanager
def _drawn(call: Call) -> "Iterator[Tell]":
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    clock = call.clone.clock
    with Live(console=console, auto_refresh=False, transient=True) as live:
        drawn_s = clock.monotonic_s() - REDRAW_S

        def tell(entry: "Entry") -> None:
            nonlocal drawn_s
            for event in entry.events:
                console.print(Text(render_line(event)))
            if clock.monotonic_s() - drawn_s >= REDRAW_S:
                live.update(Text.from_ansi(_screen(call, console.width)), refresh=True)
                drawn_s = clock.monotonic_s()

        yield tell


def _screen(call: Call, width: int) -> str:
    import os

    from gitsched.cli.looking import picture_of
    from gitsched.view.screen import render_screen
    from gitsched.view.status import status_document
    from gitsched.view.table import Look

    look = Look(colour=not os.environ.get("NO_COLOR"), width=width)
    return render_screen(status_document(picture_of(call.clone)), look)
