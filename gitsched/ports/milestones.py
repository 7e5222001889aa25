"""GitHub milestones: which issues they hold, and how one is closed."""

from typing import Protocol

from gitsched.domain.milestones import GitHubMilestone
from gitsched.domain.outcomes import Unreachable


class Milestones(Protocol):
    """Reads and closes the GitHub milestones of one repository."""

    def milestones(self, pattern: str) -> tuple[GitHubMilestone, ...] | Unreachable:
        """Read the milestones whose titles match a pattern such as `batch/*`, with their open issues."""

    def close_milestone(self, number: int, told: str) -> None:
        """Close a milestone and let its description end with a line; closing a closed one changes nothing."""
