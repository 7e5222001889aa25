"""`gitsched log`."""

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.domain.records import Batch, Entry
    from gitsched.ports.store import Entry as JournalEntry
    from gitsched.view.log import LogLine
    from gitsched.wiring.clone import Clone

FOLLOW_S = 0.3
"""How often a followed log asks for a new tip when nobody wakes it: one ref read."""


@verb(example="gitsched log b1 --since 2h", reads=True)
@click.argument("unit", metavar="[BATCH|ISSUE]", required=False)
@click.option("--since", metavar="TIME|COMMIT", help="From that moment on, or after that state commit.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens, until interrupted.")
def log(call: Call, unit: str | None, since: str | None, *, follow: bool, as_json: bool) -> int:
    """Show what happened.

    One event one line, oldest first; with --json one document on each line.
    """
    from gitsched.cli.looking import named_in
    from gitsched.view.json_text import line_text
    from gitsched.view.log import log_document, render_line, render_log

    clone = call.clone.with_ended()
    state = clone.store.read()
    chosen = named_in(state, unit) if unit is not None else None
    found = list(_since(clone, since, chosen))
    if as_json:
        for line in found:
            call.show(line_text(log_document(line)))
    elif not follow:
        call.show(render_log(found, call.look))
    else:
        for line in found:
            call.show(render_line(line.event))
    if follow:
        for line in _following(clone, chosen):
            call.show(line_text(log_document(line)) if as_json else render_line(line.event))
    return 0


def _since(clone: "Clone", since: str | None, chosen: "Entry | Batch | None") -> "Iterator[LogLine]":
    from gitsched.cli.moments import commit_of, instant_named

    history: Iterator[JournalEntry] = clone.store.history()
    if since is not None:
        commit = commit_of(clone.store, since)
        if commit is not None:
            history = clone.store.history(since=commit)
        else:
            instant = instant_named(since, clone.clock.now())
            history = takewhile(lambda entry: entry.at >= instant, history)
    return _lines(history, chosen)


def _lines(newest_first: "Iterator[JournalEntry]", chosen: "Entry | Batch | None") -> "Iterator[LogLine]":
    from gitsched.view.log import LogLine, is_about

    for entry in reversed(list(newest_first)):
        for event in entry.events:
            if is_about(event, chosen):
                yield LogLine(event, entry.actor, entry.commit)


def _following(clone: "Clone", chosen: "Entry | Batch | None") -> "Iterator[LogLine]":
    from gitsched.wiring.operator import waker_of

    seen = clone.store.tip
    waker = waker_of(clone)
    try:
        while True:
            waker.wait(FOLLOW_S)
            clone.store.read()
            if clone.store.tip != seen:
                yield from _lines(clone.store.history(since=seen), chosen)
                seen = clone.store.tip
    finally:
        waker.close()
