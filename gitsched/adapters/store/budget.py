"""The push budget: so many pushes a minute and no more.

The first half of a minute's pushes goes at once, for what is decided should not wait; then they are spaced evenly, so
that nobody waits for a whole minute. Telemetry never asks for a push of its own while the second half is used.
"""

from collections.abc import Sequence

from msgspec import Struct

MINUTE_S = 60.0


class Budget(Struct, frozen=True):
    """How many pushes may leave in how long."""

    count: int = 0
    """0: as many as there are."""
    window_s: float = MINUTE_S

    def recent(self, pushed_s: Sequence[float], now_s: float) -> list[float]:
        """List the pushes that still count."""
        return [at_s for at_s in pushed_s if now_s - self.window_s < at_s <= now_s]

    def wait_s(self, pushed_s: Sequence[float], now_s: float) -> float:
        """Tell how long the next push must wait."""
        recent = self.recent(pushed_s, now_s)
        if not self.count or len(recent) < max(1, self.count // 2):
            return 0.0
        spaced_s = max(recent) + self.window_s / self.count - now_s
        full_s = sorted(recent)[-self.count] + self.window_s - now_s if len(recent) >= self.count else 0.0
        return max(0.0, spaced_s, full_s)

    def has_room(self, pushed_s: Sequence[float], now_s: float) -> bool:
        """Say whether something that can wait may have a push of its own."""
        return not self.count or len(self.recent(pushed_s, now_s)) < max(1, self.count // 2)
