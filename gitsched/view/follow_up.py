"""Write the draft of an issue about a failure: what is known of it, and how to see it. Nobody works on it by itself."""

from collections.abc import Iterator
from typing import Final

from gitsched.domain.categories import category_of
from gitsched.domain.forge import Issue
from gitsched.domain.ids import evidence_ref
from gitsched.domain.records import Entry, Exit
from gitsched.view.clean import one_line
from gitsched.view.markdown import code, escaped
from gitsched.view.sections import exit_words

DRAFT_LABEL: Final = "draft"
"""Whoever takes it off makes the draft an issue like any other."""
_FOLLOW_UP: Final = "gitsched:follow-up:"


def follow_up_marker(exit_: Exit) -> str:
    """Name the draft about one failure."""
    return f"{_FOLLOW_UP}{exit_.batch}:{exit_.issue}"


def is_draft(issue: Issue) -> bool:
    """Say whether an issue is a draft of ours that nobody has taken up."""
    return DRAFT_LABEL in issue.labels and f"<!-- {_FOLLOW_UP}" in issue.body


def follow_up_title(entry: Entry) -> str:
    """Write the draft's title."""
    return one_line(f"Follow up #{entry.issue}: {entry.title}", 120)


def render_follow_up(entry: Entry, exit_: Exit) -> str:
    """Write the draft's text."""
    return "\n".join(_lines(entry, exit_)) + "\n"


def _lines(entry: Entry, exit_: Exit) -> Iterator[str]:
    yield f"#{entry.issue} {escaped(entry.title)} left batch {code(exit_.batch)}: {exit_words(exit_, None)}."
    yield ""
    yield f"- what failed: {category_of(exit_.reason)}"
    if exit_.branch is not None:
        yield f"- its work is kept on {code(exit_.branch)}"
    if exit_.reproduce is not None:
        yield f"- to see it: {code(exit_.reproduce, 500)}"
    yield f"- evidence: {code(evidence_ref(exit_.batch))}, listed by {code(f'gitsched show {exit_.batch} --evidence')}"
    yield ""
    yield f"This is a draft, and is never queued by itself: take the label {code(DRAFT_LABEL)} off to have it selected."
