"""A clock that a walk moves: it goes on by a millisecond whenever it is asked, and by hours when the walk says so."""

from datetime import timedelta

from gitsched.adapters.clock import SystemClock
from gitsched.domain.instants import Instant, instant_of, moment_of

BEGUN_AT = "2026-03-02T08:00:00Z"


class PlayedClock(SystemClock):
    """The time of a town, the same for everybody in it."""

    def __init__(self, step_s: float = 0.001) -> None:
        """Begin on a morning; `step_s` passes whenever somebody asks."""
        super().__init__()
        self._step_s = step_s
        self._awake_s = 0.0
        self._slept_s = 0.0

    def now(self) -> Instant:
        """Tell the present instant."""
        self._awake_s += self._step_s
        return instant_of(moment_of(BEGUN_AT) + timedelta(seconds=self._awake_s + self._slept_s))

    def monotonic_s(self) -> float:
        """Tell for how long the machine has been awake."""
        return self._awake_s

    def slept_s(self) -> float:
        """Tell for how long it has slept."""
        return self._slept_s

    def pass_by(self, seconds: float) -> None:
        """Let time pass while the machine is awake."""
        self._awake_s += seconds

    def sleep(self, seconds: float) -> None:
        """Let time pass while the machine sleeps."""
        self._slept_s += seconds
