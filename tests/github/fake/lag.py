"""Lists that lag a write: what was before it is kept, and shown for so many reads."""

import copy
import re
from collections import Counter

from tests.github.fake.model import World


class Lag:
    """Keeps a copy of the world before each write while a lag is planned."""

    def __init__(self) -> None:
        self._reads = 0
        self._path = ""
        self._before: World | None = None
        self._seen: Counter[str] = Counter()
        self.shown_count = 0
        """How often a reader was shown what was no longer true."""

    def plan(self, reads: int, path: str) -> None:
        self._reads, self._path = reads, path
        self._before = None

    def keep(self, world: World) -> None:
        """Remember the world before a write: a list that lags shows all but the last one."""
        if self._reads:
            self._before = copy.deepcopy(world)
            self._seen.clear()

    def seen_by(self, path: str, world: World) -> World:
        """Return the world that a list at `path` shows now."""
        if self._before is None or not re.search(self._path, path):
            return world
        if self._seen[path] >= self._reads:
            return world
        self._seen[path] += 1
        self.shown_count += 1
        return self._before
