"""What was last read of GitHub, for verbs that only look: no call is made and PyGithub is not loaded."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from gitsched.adapters.forge.github.memory import Memory
from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable


class Recall:
    """Reads issues by number from the snapshot, and nothing else."""

    def __init__(self, common: Path) -> None:
        """Look at the snapshot of a clone by its common git directory."""
        self._memory = Memory(common)

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue] | Unreachable:
        """Give those issues as they were last seen; Unreachable where one of them never was."""
        known, wanted = self._memory.load().issues, set(numbers or ())
        if not wanted <= known.keys():
            return Unreachable(what="GitHub", detail="no driver has read it here yet")
        return {number: known[number] for number in sorted(wanted)}
