"""The status document as one screen of text."""

from collections.abc import Iterator
from typing import Any

from gitsched.domain.words import ENDED_ENTRIES, LEFT_MEMBERS
from gitsched.view.clean import one_line
from gitsched.view.status import Document
from gitsched.view.table import Cell, Look, render_table, styled

_TITLE_CHARS = 48


def render_screen(document: Document, look: Look, *, include_ended: bool = False) -> str:
    """Write slots, batches with their members, the rest of the queue, drivers and costs, in this order."""
    parts = [_head(document, look)]
    titles = {entry["issue"]: entry["title"] for entry in document["entries"]}
    parts += [render_batch(batch, titles, look) for batch in document["batches"]]
    parts.append(_queue(document, look, include_ended=include_ended))
    parts.append(_foot(document))
    return "\n\n".join(part for part in parts if part)


def _head(document: Document, look: Look) -> str:
    return styled(head_line(document), "yellow" if document["paused"] else "bold", look)


def head_line(document: Document) -> str:
    """Write how many slots are live, and whether scheduling is paused."""
    slots = document["slots"]
    text = f"{slots['live']} of {slots['max']} slots live"
    if document["paused"]:
        text += f" · paused: {document['pause_reason'] or 'no reason given'}"
    return one_line(text)


def render_batch(batch: dict[str, Any], titles: dict[int, str], look: Look) -> str:
    """Write a batch's headline and a table of its members; `titles` are by issue."""
    rows = [_member_row(member, titles) for member in batch["members"]]
    table = [render_table(_COLUMNS, rows, look)] if rows else []
    red = [styled(red_line(batch), "red", look)] if red_line(batch) else []
    left = [one_line(f"left over: {line}") for line in batch["leftovers"]]
    return "\n".join([styled(batch_headline(batch), "bold", look), *red, *table, *left])


def batch_headline(batch: Document) -> str:
    """Write a batch's state, how many have landed, its suite and its pull request."""
    landed = sum(member["landed"] is not None for member in batch["members"])
    state = f"{batch['id']} {batch['status']}" + (f": {batch['reason']}" if batch["reason"] else "")
    parts = [state, f"{landed} of {len(batch['members'])} landed → {batch['target']}"]
    if batch["suite"]["verdict"]:
        parts.append(f"suite {batch['suite']['verdict']}" + (" (cached)" if batch["suite"]["cached"] else ""))
    if batch["pr"]:
        parts.append(f"pull request {batch['pr']['number']} {batch['pr']['state']}")
    return one_line(" · ".join(parts), 400)


def red_line(batch: Document) -> str:
    """Write what its suite is red of, or why it decides nothing; empty where it is neither."""
    return f"red: {batch['red']}" if batch["red"] else ""


_COLUMNS = ("", "issue", "title", "status", "gen", "why")


def _member_row(member: dict[str, Any], titles: dict[int, str]) -> tuple[str | Cell, ...]:
    gen = "" if member["gen"] is None else str(member["gen"])
    title = one_line(titles.get(member["issue"], ""), _TITLE_CHARS)
    return (str(member["index"]), f"#{member['issue']}", Cell(title), member["status"], gen, why_of_member(member))


def why_of_member(member: Document) -> str:
    """Write what a member waits for or left for; where nothing holds it, what its gates came to."""
    why = ", ".join(member["waits"]) or member["reason"] or ""
    gates = ", ".join(f"{name} {gate['verdict']}" for name, gate in member["gates"].items())
    return why if why or member["status"] in LEFT_MEMBERS else gates


def is_over(entry: Document) -> bool:
    """Say whether a row of the queue asks for nothing any more."""
    return entry["status"] in ENDED_ENTRIES


def _queue(document: Document, look: Look, *, include_ended: bool) -> str:
    shown = {
        member["issue"]
        for batch in document["batches"]
        for member in batch["members"]
        if member["status"] not in LEFT_MEMBERS
    }
    rows = [
        (
            f"#{entry['issue']}",
            Cell(one_line(entry["title"], _TITLE_CHARS)),
            entry["status"],
            ", ".join(entry["waits"]) or entry["reason"] or "",
        )
        for entry in document["entries"]
        if entry["issue"] not in shown and (include_ended or not is_over(entry))
    ]
    if not rows:
        return "" if document["batches"] else "Nothing is queued."
    return render_table(("issue", "title", "status", "why"), rows, look)


def _foot(document: Document) -> str:
    return "\n".join([*_driver_lines(document), costs_line(document["costs"])])


def _driver_lines(document: Document) -> Iterator[str]:
    for driver in document["drivers"]:
        yield one_line(f"driver {driver['id']} on {driver['host']}" + ("" if driver["live"] else " (gone)"))


def costs_line(costs: dict[str, Any]) -> str:
    """Write what it cost so far; what nobody reported is said to be that."""
    usd = "not reported" if costs["usd"] is None else f"${costs['usd']:.2f}"
    tokens = "not reported" if costs["tokens"] is None else f"{costs['tokens']:,}"
    return f"cost {usd} · tokens {tokens} · agents {costs['agent_s']:.0f} s · suite {costs['suite_s']:.0f} s"
