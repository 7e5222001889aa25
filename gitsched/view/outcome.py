"""What a run came to, issue by issue: the last thing that `gitsched run` says."""

from collections.abc import Collection

from gitsched.view.clean import one_line
from gitsched.view.picture import Picture
from gitsched.view.table import Cell, Look, render_table
from gitsched.view.why import why

_TITLE_CHARS = 40


def render_outcome(picture: Picture, issues: Collection[int], look: Look) -> str:
    """Write one row for each of these issues that has a row in the queue: state, reasons, next step."""
    rows = []
    for issue in issues:
        entry = picture.state.entries.get(issue)
        if entry is None:
            continue
        answer = why(picture, entry)
        reasons = ", ".join(reason for reason in answer.reasons if reason != answer.state)
        title = Cell(one_line(entry.title, _TITLE_CHARS))
        rows.append((f"#{issue}", title, answer.state, reasons, answer.next))
    return render_table(("issue", "title", "state", "why", "next"), rows, look) if rows else "Nothing is queued."
