"""The fake's clock: it moves one second at each write, and else only when a test says so."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime

BEGIN_S = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


class HubClock:
    """What time it is at the fake, in seconds since 1970."""

    def __init__(self, follows: Callable[[], str] | None = None) -> None:
        """Stand by itself, or follow `follows` (a Clock port's `now`), off by `skew_s`."""
        self.skew_s = 0.0
        self._follows = follows
        self._own_s = BEGIN_S

    def now_s(self) -> float:
        if self._follows is None:
            return self._own_s + self.skew_s
        return datetime.fromisoformat(self._follows()).timestamp() + self.skew_s

    def tick(self) -> float:
        """Let a second pass, and say what time it is."""
        self.advance(1)
        return self.now_s()

    def advance(self, seconds: float) -> None:
        """Let time pass; a clock that follows another one does not pass by itself."""
        if self._follows is None:
            self._own_s += seconds


def stamp(at_s: float) -> str:
    """Render an instant as GitHub does, to the second."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def maybe(at_s: float | None) -> str | None:
    """Render an instant that may not have come yet."""
    return None if at_s is None else stamp(at_s)


def http_date(at_s: float) -> str:
    """Render an instant as the `Date` header does."""
    return format_datetime(datetime.fromtimestamp(at_s, UTC), usegmt=True)


def seconds_of(text: str) -> float:
    """Read an instant that a client sent."""
    return datetime.fromisoformat(text).timestamp()
