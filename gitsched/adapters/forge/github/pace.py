"""Pace: so many calls as GitHub allows, and none while it has said to wait.

Nothing here sleeps: a call that must wait is refused with the number of seconds, and whoever asked does something
else meanwhile. Source: GitHub's documentation of rate limits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from gitsched.adapters.forge.github.tally import Sent, Tally

MINUTE_S, HOUR_S = 60.0, 3600.0
_AHEAD_S = 5.0
"""What is noted further in the future was noted before the clock was set back, and counts for nothing."""
FIRST_BACKOFF_S, LONGEST_BACKOFF_S = 60.0, 900.0
"""GitHub: at least a minute after a limit that names no time, and then longer."""


class Kind(Enum):
    """What a call costs: points a minute, and whether it writes content."""

    READ = ("rest", 1)
    WRITE = ("rest", 5)
    QUERY = ("graphql", 1)
    MUTATION = ("graphql", 5)

    @property
    def pool(self) -> str:
        """Name the pool that the points are taken from."""
        return self.value[0]

    @property
    def points(self) -> int:
        """Say how many points it takes."""
        return self.value[1]

    @property
    def is_write(self) -> bool:
        """Say whether it counts as a write of content."""
        return self in (Kind.WRITE, Kind.MUTATION)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is taken at most: a little below what GitHub gives."""

    rest_points: int = 850
    graphql_points: int = 1900
    writes_a_minute: int = 75
    writes_an_hour: int = 480


class Pace:
    """One budget for everything that goes to one GitHub by one credential; threads and processes share it."""

    def __init__(self, now_s: Callable[[], float], bounds: Bounds | None = None, tally: Tally | None = None) -> None:
        """Count in that tally, by default in one of its own; `now_s` gives seconds that never go back."""
        self.now_s = now_s
        self.bounds = bounds or Bounds()
        self._tally = tally or Tally()
        self._strikes = 0

    def wait_s(self, kind: Kind) -> float:
        """Take the points of one call and give 0; or take nothing and say how long to wait."""
        with self._tally.turn() as sent:
            now_s = self.now_s()
            wait_s = max(
                _closed_s(sent, kind, now_s), self._points_s(sent, kind, now_s), self._writes_s(sent, kind, now_s)
            )
            if wait_s <= 0:
                sent.points[kind.pool].append((now_s, kind.points))
                if kind.is_write:
                    sent.writes.append(now_s)
            return max(0.0, wait_s)

    def close(self, pool: str, seconds: float | None) -> float:
        """Send nothing to a pool ("" for all) for so long; None: GitHub named no time. Say for how long it is."""
        with self._tally.turn() as sent:
            if seconds is None:
                seconds = min(FIRST_BACKOFF_S * 2**self._strikes, LONGEST_BACKOFF_S)
                self._strikes += 1
            until_s = self.now_s() + seconds
            sent.closed_until_s[pool] = max(sent.closed_until_s.get(pool, 0.0), until_s)
            return seconds

    def answered(self) -> None:
        """Forget earlier refusals: GitHub has answered."""
        self._strikes = 0

    def _points_s(self, sent: Sent, kind: Kind, now_s: float) -> float:
        known = sent.points.get(kind.pool, ())
        spent = [(at_s, points) for at_s, points in known if now_s - MINUTE_S < at_s <= now_s + _AHEAD_S]
        sent.points[kind.pool] = spent
        limit = self.bounds.rest_points if kind.pool == "rest" else self.bounds.graphql_points
        over = sum(points for _, points in spent) + kind.points - limit
        for at_s, points in spent:
            if over <= 0:
                break
            over -= points
            if over <= 0:
                return at_s + MINUTE_S - now_s
        return 0.0

    def _writes_s(self, sent: Sent, kind: Kind, now_s: float) -> float:
        if not kind.is_write:
            return 0.0
        sent.writes = [at_s for at_s in sent.writes if now_s - HOUR_S < at_s <= now_s + _AHEAD_S]
        waits_s = 0.0
        for span_s, most in ((MINUTE_S, self.bounds.writes_a_minute), (HOUR_S, self.bounds.writes_an_hour)):
            recent = [at_s for at_s in sent.writes if at_s > now_s - span_s]
            if len(recent) >= most:
                waits_s = max(waits_s, recent[-most] + span_s - now_s)
        return waits_s


def _closed_s(sent: Sent, kind: Kind, now_s: float) -> float:
    wait_s = max(sent.closed_until_s.get(pool, 0.0) for pool in ("", kind.pool)) - now_s
    return wait_s if wait_s <= 2 * HOUR_S else 0.0
