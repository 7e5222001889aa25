"""The absence of a remote, kept in a file for verbs that only read: they ask no remote."""

from pathlib import Path

from gitsched.domain.outcomes import Unreachable
from gitsched.errors import RemoteAwayError


class Absence:
    """What stood against the last attempt of any process of a clone to reach its remote."""

    def __init__(self, file: Path) -> None:
        """Stand on a file that is there only while the remote is away."""
        self._file = file

    def read(self) -> Unreachable | None:
        """Tell it; None: the remote answered."""
        try:
            what, _, detail = self._file.read_text().partition("\n")
        except FileNotFoundError:
            return None
        return Unreachable(what=what, detail=detail)

    def write(self, away: Unreachable | None) -> None:
        """Keep how it is now."""
        if away is None:
            self._file.unlink(missing_ok=True)
        else:
            self._file.write_text(f"{away.what}\n{away.detail}")


def needed(away: Unreachable | None) -> None:
    """Raise RemoteAwayError where the remote did not answer and nothing can be done without it."""
    if away is not None:
        raise RemoteAwayError(away.what, away.detail)
