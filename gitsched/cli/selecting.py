"""Which issues a call means: by number, by label, by GitHub milestone, from a file, or all that are open."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import TemporaryError, UsageError, in_words

if TYPE_CHECKING:
    from gitsched.ports.forge import Forge

F = TypeVar("F", bound=Callable[..., Any])


class Selection(NamedTuple):
    """What was said; at most one of its kinds counts beside the numbers."""

    words: tuple[str, ...] = ()
    label: str | None = None
    milestone: str | None = None
    from_file: str | None = None
    all_open: bool = False

    @property
    def is_empty(self) -> bool:
        """Say whether nothing was selected."""
        return self == Selection()


def with_label(function: F) -> F:
    """Add the option that selects by label."""
    return click.option("--label", metavar="L", help="Every open issue with this label.")(function)


def with_selectors(function: F) -> F:
    """Add every option that selects issues beside their numbers."""
    milestone = click.option("--milestone", metavar="NAME", help="Every open issue of this milestone.")
    from_file = click.option(
        "--from", "from_file", metavar="FILE.json", help="The numbers in this file: a JSON list, or its `issues`."
    )
    return with_label(milestone(from_file(function)))


def chosen_issues(forge: "Forge", selection: Selection, directory: Path) -> tuple[int, ...]:
    """Name the issues that were selected, each once, those named by number first and in the order given.

    Raises UsageError for what is no number, and for selectors that nothing answers to.
    """
    from gitsched.engine.intake.values import issue_number

    numbers = [issue_number(word) for word in selection.words]
    if selection.from_file is not None:
        numbers += [issue_number(str(number)) for number in _listed(directory / selection.from_file)]
    if selection.label is not None or selection.milestone is not None or selection.all_open:
        numbers += sorted(issue.number for issue in _open_issues(forge) if _is_meant(issue, selection))
    if not numbers and not selection.is_empty:
        raise UsageError(
            "Issues were to be selected.", "No open issue is meant by that.", "`gitsched issue list` shows them."
        )
    return tuple(numbers)


def _is_meant(issue: Issue, selection: Selection) -> bool:
    has_label = selection.label is None or selection.label in issue.labels
    return has_label and (selection.milestone is None or selection.milestone == issue.milestone)


def _open_issues(forge: "Forge") -> Iterable[Issue]:
    found = forge.issues()
    if isinstance(found, Unreachable):
        against = f"{found.what} gives no answer: {found.detail}."
        raise TemporaryError("Issues were to be selected.", against, "`gitsched doctor` looks at the connection.")
    from gitsched.view.comments import ANCHOR
    from gitsched.view.follow_up import is_draft

    shown = (issue for issue in found.values() if issue.is_open and not is_draft(issue))
    return [issue for issue in shown if f"<!-- {ANCHOR}" not in issue.body]


def _listed(path: Path) -> list[object]:
    import json

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        raise UsageError(f"Issues were to be read from '{path}'.", f"That failed: {in_words(wrong)}.", _FORM) from wrong
    listed = data.get("issues") if isinstance(data, dict) else data
    if not isinstance(listed, list):
        raise UsageError(f"Issues were to be read from '{path}'.", "It holds no list of numbers.", _FORM)
    return listed


_FORM = 'Write a JSON list of numbers, or {"issues": [1, 2]}.'
