"""Pauses: how long something that failed is left alone, each time for longer."""

from pathlib import Path
from time import monotonic

_SHORTEST_S, _LONGEST_S = 1.0, 300.0


class Pauses:
    """Keeps one pause for each repository."""

    def __init__(self) -> None:
        """Begin without any."""
        self._until_s: dict[Path, float] = {}
        self._last_s: dict[Path, float] = {}

    def holds(self, path: Path) -> bool:
        """Say whether a pause is not over yet."""
        return monotonic() < self._until_s.get(path, 0.0)

    def lengthen(self, path: Path) -> None:
        """Begin a pause, of twice the last one."""
        self._last_s[path] = min(_LONGEST_S, 2 * self._last_s.get(path, _SHORTEST_S / 2))
        self._until_s[path] = monotonic() + self._last_s[path]

    def forget(self, path: Path) -> None:
        """End a pause, and begin with a short one the next time."""
        self._until_s.pop(path, None)
        self._last_s.pop(path, None)
