"""The memory of lasting conditions on this host: never a part of the state."""

from collections.abc import Mapping
from typing import Protocol

from gitsched.domain.streaks import Streak


class StreakMemory(Protocol):
    """Remembers streaks from one driver of a clone to the next."""

    def read(self) -> Mapping[str, Streak]:
        """Give the streaks that last; none where nothing that can be read is remembered."""

    def write(self, streaks: Mapping[str, Streak]) -> None:
        """Remember these and no others."""
