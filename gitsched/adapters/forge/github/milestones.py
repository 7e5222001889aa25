"""GitHub milestones by REST: those whose titles match, with their issues; closed with a word in the description."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.repository import Repository
from gitsched.adapters.forge.github.shapes import instant
from gitsched.domain.milestones import GitHubMilestone
from gitsched.domain.outcomes import Unreachable


class GitHubMilestones:
    """The Milestones port on one repository of GitHub."""

    def __init__(self, repository: Repository) -> None:
        """Stand on a repository."""
        self._repository = repository

    def milestones(self, pattern: str) -> tuple[GitHubMilestone, ...] | Unreachable:
        """Read the milestones whose titles match, with their issues; pull requests in them are none."""
        try:
            rows = self._repository.pages("/milestones", state="all")
            return tuple(self._seen(row) for row in rows if fnmatchcase(str(row.get("title")), pattern))
        except (UnansweredError, DeniedError, UnfitAnswerError) as failed:
            return Unreachable(what="GitHub", detail=str(failed))

    def close_milestone(self, number: int, told: str) -> None:
        """Close a milestone; what its description says already is not said again."""
        found = self._repository.get(f"/milestones/{number}")
        if not isinstance(found.body, dict) or found.body.get("state") == "closed":
            return
        before = str(found.body.get("description") or "")
        description = before if told in before else f"{before}\n\n{told}".strip()
        self._repository.send("PATCH", f"/milestones/{number}", {"state": "closed", "description": description})

    def _seen(self, row: Mapping[str, Any]) -> GitHubMilestone:
        number = int(row["number"])
        rows = self._repository.pages("/issues", milestone=number, state="all")
        issues = [issue for issue in rows if "pull_request" not in issue]
        return GitHubMilestone(
            number=number,
            title=str(row["title"]),
            is_open=row.get("state") == "open",
            due_at=instant(row.get("due_on")) or None,
            issues=tuple(int(issue["number"]) for issue in issues),
            open_issues=tuple(int(issue["number"]) for issue in issues if issue.get("state") == "open"),
        )
