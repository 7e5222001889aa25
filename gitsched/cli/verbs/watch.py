"""`gitsched watch`."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.ports.runner import Waker
    from gitsched.view.overview import Overview
    from gitsched.view.table import Look

LOOK_AGAIN_S = 1.0
"""How often a new tip is asked for when nobody wakes it: one ref read. Ages move on with it."""


@verb(example="gitsched watch", reads=True)
@click.option("--all", "include_ended", is_flag=True, help="Ended batches and issues too.")
def watch(call: Call, *, include_ended: bool, as_json: bool) -> int:
    """Show everything live, what needs you first.

    Batches with their members in landing order, each with its stage, since when, its last sign of life and its cost;
    the same words and the same order as `status`. Follows the size of the terminal, works in 80 columns and over
    ssh; where standard output is no terminal, a fresh screen is written whenever something has changed, with
    --json as the document of `status`, one on each line. Ctrl-C ends it; what runs goes on.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background lets its children ignore it
    try:
        if as_json:
            _stream(call, include_ended=include_ended)
        elif call.draws:
            _draw(call, include_ended=include_ended)
        else:
            _print(call, include_ended=include_ended)
    except KeyboardInterrupt:
        return 0
    return 0


def _seen(call: Call, *, include_ended: bool) -> "Overview":
    from gitsched.wiring.showing import overview_of

    clone = call.clone.with_ended() if include_ended else call.clone
    return overview_of(clone, include_ended=include_ended)


def _print(call: Call, *, include_ended: bool) -> None:
    from gitsched.view.watch import render_watch
    from gitsched.wiring.operator import waker_of

    waker, tip = waker_of(call.clone), ""
    try:
        while True:
            shown = _seen(call, include_ended=include_ended)
            if shown.tip != tip:
                call.show(f"{render_watch(shown, call.look)}\n")
                tip = shown.tip or ""
            waker.wait(LOOK_AGAIN_S)
    finally:
        waker.close()


def _stream(call: Call, *, include_ended: bool) -> None:
    from gitsched.cli.looking import picture_of
    from gitsched.view.json_text import line_text
    from gitsched.view.status import status_document
    from gitsched.wiring.operator import waker_of

    waker, tip = waker_of(call.clone), ""
    try:
        while True:
            picture = picture_of(call.clone.with_ended() if include_ended else call.clone)
            if picture.tip != tip:
                call.show(line_text(status_document(picture, include_ended=include_ended)))
                tip = picture.tip or ""
            waker.wait(LOOK_AGAIN_S)
    finally:
        waker.close()


def _draw(call: Call, *, include_ended: bool) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from gitsched.view.watch import render_watch
    from gitsched.wiring.operator import waker_of

    console = Console(markup=False, highlight=False, emoji=False)
    waker = waker_of(call.clone)
    try:
        with _resized(waker), Live(console=console, auto_refresh=False, screen=True) as live:
            while True:
                shown = _seen(call, include_ended=include_ended)
                text = render_watch(shown, _look(console.width), console.height)
                live.update(Text.from_ansi(text, no_wrap=True, overflow="crop"), refresh=True)
                waker.wait(LOOK_AGAIN_S)
    finally:
        waker.close()


def _look(width: int) -> "Look":
    from gitsched.view.table import Look

    return Look(colour=not os.environ.get("NO_COLOR"), width=width)


@contextmanager
def _resized(waker: "Waker") -> Iterator[None]:
    """Draw again at once when the terminal has another size."""
    before = signal.signal(signal.SIGWINCH, lambda _number, _frame: waker.wake())
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)
