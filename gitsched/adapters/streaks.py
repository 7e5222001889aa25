"""Streaks in one small file beside the repository's own: what is lost with it is told once more, and nothing else."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from gitsched.domain.streaks import Streak


class StreakFile:
    """The streaks of one clone."""

    def __init__(self, common: Path) -> None:
        """Keep them in the common git directory."""
        self._file = common / "gitsched" / "streaks.json"

    def read(self) -> Mapping[str, Streak]:
        """Give the streaks that last; none where the file is not there, or holds none."""
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Streak])
        except (OSError, msgspec.DecodeError):
            return {}

    def write(self, streaks: Mapping[str, Streak]) -> None:
        """Remember these; without any there is no file."""
        if not streaks:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_suffix(f".{os.getpid()}.new")
        fresh.write_bytes(msgspec.json.encode(streaks))
        fresh.replace(self._file)
