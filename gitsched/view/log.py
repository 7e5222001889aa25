"""The journal for people and machines: one event one line, oldest first."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from gitsched.domain.events import Event
from gitsched.domain.records import Batch, Entry
from gitsched.view.clean import one_line
from gitsched.view.table import Look, render_table

_HEADINGS = ("at", "event", "batch", "issue", "what")


class LogLine(NamedTuple):
    """An event, by whom it was caused, and the state commit that carries it."""

    event: Event
    actor: str
    commit: str


def is_about(event: Event, unit: Entry | Batch | None) -> bool:
    """Say whether an event tells of a unit; every event tells of everything (None)."""
    if unit is None:
        return True
    return event.batch == unit.id if isinstance(unit, Batch) else event.issue == unit.issue


def log_document(line: LogLine) -> dict[str, Any]:
    """Write one line of `log --json`: the fixed fields, then the event's sentence and own fields."""
    event = line.event
    fixed = {
        "at": event.at,
        "event": event.name,
        "batch": event.batch,
        "issue": event.issue,
        "gen": event.gen,
        "actor": line.actor,
        "commit": line.commit,
        "sentence": event.sentence,
    }
    return {**fixed, **{name: value for name, value in event.fields.items() if name not in fixed}}


def render_log(lines: Iterable[LogLine], look: Look) -> str:
    """Write the journal as a table, in the order given."""
    rows = [_row(line.event) for line in lines]
    return render_table(_HEADINGS, rows, look) if rows else "Nothing has happened yet."


def render_line(event: Event) -> str:
    """Write one event as a plain line: for progress, and for a log that is followed."""
    return f"{event.at[11:19]}  {event.name.value:<20} {one_line(event.sentence, 300)}"


def _row(event: Event) -> tuple[str, ...]:
    issue = "" if event.issue is None else f"#{event.issue}"
    return (event.at[:19].replace("T", " "), event.name, event.batch or "", issue, event.sentence)
