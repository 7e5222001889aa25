"""The plan document: which batches, in which order, who waits for whom, and what is refused."""

from typing import Any, NamedTuple

from gitsched.domain.counting import how_many
from gitsched.domain.records import Batch, Entry
from gitsched.domain.words import TERMINAL_BATCHES, EntryStatus
from gitsched.view.clean import one_line
from gitsched.view.picture import Picture
from gitsched.view.screen import render_batch
from gitsched.view.status import batch_document, entry_document
from gitsched.view.table import Look, render_table


class Refusal(NamedTuple):
    """What would be refused, in the three sentences of the refusal."""

    asked: str
    against: str
    remedy: str


def plan_document(picture: Picture, chosen: frozenset[int] | None, refused: tuple[Refusal, ...]) -> dict[str, Any]:
    """Write what would be done: for these issues, or (None) for all that is not over.

    `suite_runs` counts one run for each batch that has none on its present generation, the queued issues'
    solo batches included; where no suite is declared there are none.
    """
    batches = [batch for batch in picture.state.batches_in_order() if _is_due(batch, chosen)]
    entries = [entry for entry in picture.entries() if (chosen is None or entry.issue in chosen) and _is_open(entry)]
    solos = sum(entry.status is EntryStatus.QUEUED for entry in entries)
    is_proven = picture.current.suite.is_declared and not picture.current.suite.is_waived
    return {
        "entries": [entry_document(picture, entry) for entry in entries],
        "batches": [batch_document(picture, batch) for batch in batches],
        "suite_runs": sum(_has_suite_due(picture, batch) for batch in batches) + (solos if is_proven else 0),
        "refused": [refusal._asdict() for refusal in refused],
    }


def _is_due(batch: Batch, chosen: frozenset[int] | None) -> bool:
    if batch.status in TERMINAL_BATCHES:
        return False
    return chosen is None or any(slot.issue in chosen for slot in batch.members)


def _is_open(entry: Entry) -> bool:
    return entry.status in (EntryStatus.QUEUED, EntryStatus.BLOCKED, EntryStatus.ASSIGNED)


def _has_suite_due(picture: Picture, batch: Batch) -> bool:
    suite = picture.settings_of(batch).suite
    is_proven = any(run.verdict == "passed" for run in batch.suite)
    return suite.is_declared and not suite.is_waived and not is_proven


def render_plan(document: dict[str, Any], look: Look) -> str:
    """Write the plan as text: batches in order, then issues that stand alone, then what is refused."""
    titles = {entry["issue"]: entry["title"] for entry in document["entries"]}
    inside = {member["issue"] for batch in document["batches"] for member in batch["members"]}
    parts = [render_batch(batch, titles, look) for batch in document["batches"]]
    alone = [_row(entry) for entry in document["entries"] if entry["issue"] not in inside]
    if alone:
        parts.append(render_table(("issue", "title", "status", "why"), alone, look))
    parts += [one_line(f"refused: {r['asked']} {r['against']} {r['remedy']}", 600) for r in document["refused"]]
    if not parts:
        return "There is nothing to do."
    runs = document["suite_runs"]
    if runs == 0 and document["refused"]:
        return "\n\n".join(parts)
    parts.append(f"The suite is expected to run {how_many(runs, 'time')}.")
    return "\n\n".join(parts)


def _row(entry: dict[str, Any]) -> tuple[str, ...]:
    why = ", ".join(entry["waits"]) or entry["reason"] or ""
    return (f"#{entry['issue']}", entry["title"], entry["status"], why)
