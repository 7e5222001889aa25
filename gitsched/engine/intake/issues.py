"""Issues as the forge knows them, read before a transaction begins."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import TemporaryError


class IssueReader(Protocol):
    """The part of a forge that intake reads."""

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue] | Unreachable:
        """Read those issues (all when None) by number; a number that is no issue is left out."""


def read_issues(forge: IssueReader, numbers: Iterable[int]) -> Mapping[int, Issue]:
    """Read issues by number; one that the forge does not have is left out.

    Raises TemporaryError when the forge gives no answer: unreachable is not unknown.
    """
    wanted = tuple(numbers)
    found = forge.issues(wanted)
    if isinstance(found, Unreachable):
        listed = ", ".join(str(number) for number in wanted)
        against = f"{found.what} gives no answer: {found.detail}."
        raise TemporaryError(f"Issues {listed} were to be read.", against, "`gitsched doctor` looks at the connection.")
    return found
