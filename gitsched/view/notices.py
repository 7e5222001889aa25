"""Notices: the one JSON object in which somebody is told of what happened."""

from gitsched.domain.notices import Notice
from gitsched.domain.records import Batch
from gitsched.domain.state import State
from gitsched.view.clean import one_line
from gitsched.view.words import BATCH_STEPS, ENTRY_STEPS, step_of


def notice_document(notice: Notice, state: State) -> dict[str, object]:
    """Give a notice as its reader gets it; `next` is a command, or a sentence where nobody has to do anything."""
    event = notice.event
    reason = event.fields.get("reason")
    return {
        "id": notice.id,
        "event": notice.kind,
        "name": str(event.name),
        "at": event.at,
        "batch": event.batch,
        "issue": event.issue,
        "reason": reason if isinstance(reason, str) else None,
        "sentence": one_line(event.sentence),
        "next": _next(notice, state, reason if isinstance(reason, str) else ""),
    }


def _next(notice: Notice, state: State, reason: str) -> str:
    event = notice.event
    if notice.kind == "paused":
        return "gitsched resume"
    batch, entry = state.batches.get(event.batch or ""), state.entries.get(event.issue or 0)
    names = {
        "batch": event.batch or "",
        "issue": str(event.issue or ""),
        "unit": str(event.issue or event.batch or ""),
        "pr": _request_of(batch),
    }
    fallback = "gitsched status"
    if event.issue is not None and entry is not None:
        fallback = ENTRY_STEPS.get(entry.status, fallback)
    elif batch is not None:
        fallback = BATCH_STEPS.get(batch.status, fallback)
    return step_of(reason, names) or fallback.format(**names)


def _request_of(batch: Batch | None) -> str:
    return str(batch.pr.number) if batch is not None and batch.pr is not None else ""
