"""GitHub milestones: the forge's own grouping of issues, which may stand for a batch."""

from msgspec import Struct

from gitsched.domain.instants import Instant


class GitHubMilestone(Struct, frozen=True, kw_only=True):
    """A GitHub milestone as last read."""

    number: int
    title: str
    is_open: bool = True
    due_at: Instant | None = None
    issues: tuple[int, ...] = ()
    """Numbers of all its issues."""
    open_issues: tuple[int, ...] = ()
