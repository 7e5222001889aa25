"""GitHub milestones in memory, over the issues of a local forge."""

from fnmatch import fnmatchcase
from typing import Protocol

from msgspec.structs import replace

from gitsched.adapters.forge.local import LocalForge
from gitsched.domain.instants import Instant
from gitsched.domain.milestones import GitHubMilestone
from gitsched.domain.outcomes import Unreachable


class _HasForge(Protocol):
    @property
    def forge(self) -> LocalForge: ...


class Board:
    """The Milestones port; passes its contract beside the local forge's."""

    def __init__(self, owner: _HasForge) -> None:
        self._owner = owner
        self._held: dict[str, GitHubMilestone] = {}
        self.told: dict[int, str] = {}
        self.is_reachable = True

    def put(self, title: str, *issues: int, due_at: Instant | None = None) -> None:
        """Let a milestone hold exactly these issues."""
        known = self._held.get(title)
        number = known.number if known else len(self._held) + 1
        self._held[title] = GitHubMilestone(number=number, title=title, due_at=due_at, issues=issues)

    def milestones(self, pattern: str) -> tuple[GitHubMilestone, ...] | Unreachable:
        if not self.is_reachable:
            return Unreachable(what="forge", detail="not now")
        found = (held for title, held in self._held.items() if fnmatchcase(title, pattern))
        return tuple(map(self._seen, found))

    def close_milestone(self, number: int, told: str) -> None:
        for title, held in self._held.items():
            if held.number == number and held.is_open:
                self._held[title] = replace(held, is_open=False)
                self.told[number] = told

    def _seen(self, held: GitHubMilestone) -> GitHubMilestone:
        found = self._owner.forge.issues(held.issues)
        return replace(held, open_issues=tuple(number for number in held.issues if found[number].is_open))
