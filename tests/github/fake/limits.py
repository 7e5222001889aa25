"""Rate limits as GitHub documents them: points an hour for each caller, and writes of content a minute and an hour."""

from collections import defaultdict, deque

from tests.github.fake.calls import AnsweredError

HOUR_S, MINUTE_S = 3600, 60
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


class Limits:
    """Counts by caller; a refused call costs nothing here, though GitHub may count it."""

    def __init__(self) -> None:
        self.core = 5_000
        self.writes_per_minute: int | None = 80
        self.writes_per_hour: int | None = 500
        self.status = 403
        """How it says that a limit is reached: GitHub uses 403 and 429."""
        self.with_retry_after = True
        self.refused_count = 0
        self.most_writes_in_a_minute = 0
        self._used: defaultdict[str, int] = defaultdict(int)
        self._reset_at: dict[str, float] = {}
        self._writes: deque[float] = deque()

    def spend(self, caller: str, now_s: float) -> None:
        """Take one point, or refuse as GitHub does."""
        self._turn(caller, now_s)
        if self._used[caller] >= self.core:
            self.refused_count += 1
            raise AnsweredError(self.status, f"API rate limit exceeded for {caller}.")
        self._used[caller] += 1

    def refund(self, caller: str) -> None:
        """Give the point back: what had not changed costs nothing."""
        self._used[caller] -= 1

    def write(self, now_s: float) -> None:
        """Count a write of content, or refuse it by the secondary limit."""
        while self._writes and self._writes[0] <= now_s - HOUR_S:
            self._writes.popleft()
        recent = sum(1 for at in self._writes if at > now_s - MINUTE_S)
        over_minute = self.writes_per_minute is not None and recent >= self.writes_per_minute
        over_hour = self.writes_per_hour is not None and len(self._writes) >= self.writes_per_hour
        if over_minute or over_hour:
            self.refused_count += 1
            headers = {"Retry-After": str(HOUR_S if over_hour else MINUTE_S)} if self.with_retry_after else {}
            raise AnsweredError(self.status, SECONDARY, headers=headers)
        self._writes.append(now_s)
        self.most_writes_in_a_minute = max(self.most_writes_in_a_minute, recent + 1)

    def figures(self, caller: str, now_s: float) -> dict[str, int]:
        """Return what `GET /rate_limit` tells of a caller."""
        self._turn(caller, now_s)
        used = self._used[caller]
        return {
            "limit": self.core,
            "remaining": max(0, self.core - used),
            "reset": int(self._reset_at[caller]),
            "used": used,
        }

    def headers(self, caller: str, now_s: float) -> dict[str, str]:
        figures = self.figures(caller, now_s)
        named = {f"X-RateLimit-{name.capitalize()}": str(value) for name, value in figures.items()}
        return {**named, "X-RateLimit-Resource": "core"}

    def _turn(self, caller: str, now_s: float) -> None:
        if self._reset_at.get(caller, 0) <= now_s:
            self._reset_at[caller] = now_s + HOUR_S
            self._used[caller] = 0
