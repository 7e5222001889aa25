"""The local forge's GitHub milestones: what issues name as theirs. They have no due date, and nothing to be closed."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Protocol

from gitsched.domain.forge import Issue
from gitsched.domain.milestones import GitHubMilestone


class _Issues(Protocol):
    def issues(self) -> Mapping[int, Issue]: ...


class LocalMilestones:
    """The Milestones port on what issues of the local forge name."""

    def __init__(self, forge: _Issues) -> None:
        """Stand on the local forge."""
        self._forge = forge

    def milestones(self, pattern: str) -> tuple[GitHubMilestone, ...]:
        """Read the milestones whose titles match."""
        by_title: dict[str, list[Issue]] = {}
        for _, issue in sorted(self._forge.issues().items()):
            if issue.milestone is not None and fnmatchcase(issue.milestone, pattern):
                by_title.setdefault(issue.milestone, []).append(issue)
        return tuple(_seen(number, title, by_title[title]) for number, title in enumerate(sorted(by_title), 1))

    def close_milestone(self, number: int, told: str) -> None:
        """Do nothing: a milestone of the local forge is a word on its issues."""


def _seen(number: int, title: str, issues: list[Issue]) -> GitHubMilestone:
    return GitHubMilestone(
        number=number,
        title=title,
        is_open=any(issue.is_open for issue in issues),
        issues=tuple(issue.number for issue in issues),
        open_issues=tuple(issue.number for issue in issues if issue.is_open),
    )
