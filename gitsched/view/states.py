"""The page `docs/reference/states.md`, written from the tables of the state machines."""

from collections.abc import Iterable
from typing import Any

from gitsched.domain.machines import MACHINES, Machine

AnyMachine = Machine[Any]
"""A machine over states of whatever kind: here they are only read as words."""

HEAD = """\
# States

Written from the tables in `gitsched/domain/machines.py` by `make docs`; do not edit.

A move that no row holds is refused with an error that names the machine, the state and the event. Rows with
the same event, end and reason are drawn as one, with their states side by side. The events stand in the
journal: `git log refs/gitsched/state` and `gitsched log` show them.
"""


def render_states() -> str:
    """Write the whole page as Markdown, one section per machine in the order of `MACHINES`."""
    return "\n".join([HEAD, *(_section(machine) for machine in MACHINES)])


def _section(machine: AnyMachine) -> str:
    starts = sorted(f"{_word(state)} (by {_word(event)})" for event, state in machine.starts)
    lines = [
        f"## {machine.name.capitalize()}",
        "",
        f"Begins: {_joined(starts)}.",
        f"Ends: {_joined(sorted(map(_word, machine.finals)))}.",
        "",
        "| from | by | to | why |",
        "|---|---|---|---|",
        *_rows(machine),
        "",
    ]
    return "\n".join(lines)


def _rows(machine: AnyMachine) -> Iterable[str]:
    """Return the rows in the table's own order, edges that differ only in their start as one row."""
    merged: dict[tuple[str, str, str], list[str]] = {}
    for edge in machine.edges:
        merged.setdefault((edge.event, edge.target, edge.why), []).append(edge.source)
    for (event, target, why), sources in merged.items():
        yield f"| {_joined(map(_word, sources))} | {_word(event)} | {_word(target)} | {why} |"


def _word(name: str) -> str:
    return f"`{name}`"


def _joined(words: Iterable[str]) -> str:
    return ", ".join(words)
