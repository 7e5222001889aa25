"""Wait between the attempts of one transaction, and say when enough is enough."""

import time
from collections.abc import Callable
from secrets import SystemRandom
from threading import Event

from gitsched.adapters.git.place import Place
from gitsched.adapters.git.ref_locks import Identity, Look, identity_of, move_aside
from gitsched.adapters.store.bounds import Bounds
from gitsched.errors import BusyError

_CHANCE = SystemRandom()
_DOUBLINGS = 6
_UNSUSPICIOUS_S = 0.2  # every ordinary holder of a ref lock is done by then
_LOOK_EVERY_S = 0.5


class Patience:
    """The waits of one transaction. Both methods raise BusyError when their bound is passed."""

    def __init__(self, place: Place, bounds: Bounds, tell: Callable[[str], None]) -> None:
        """Begin to count."""
        self._place = place
        self._bounds = bounds
        self._tell = tell
        self._began_s = time.monotonic()
        self._lost_count = 0
        self._lock: Identity | None = None
        self._lock_seen_s = 0.0
        self._looked_s = 0.0

    def lost(self, what: str) -> None:
        """Pause after a lost race, by chance, so that those who lost together do not meet again."""
        if time.monotonic() - self._began_s > self._bounds.race_s:
            raise BusyError(
                "A transaction was to be written.",
                f"Others won the race for '{what}' {self._lost_count} times in {self._bounds.race_s:g} s.",
                "Call again.",
            )
        longest_s = self._bounds.pause_s * 2 ** min(self._lost_count, _DOUBLINGS)
        self._lost_count += 1
        Event().wait(longest_s * _CHANCE.random())

    def locked(self, ref: str) -> None:
        """Wait for a ref's lock: a live one with a bound, a dead one until it may be moved aside."""
        now_s = time.monotonic()
        seen = identity_of(self._place.lock_of(ref))
        if seen != self._lock or seen is None:
            self._lock, self._lock_seen_s, self._looked_s = seen, now_s, 0.0
        waited_s = now_s - self._lock_seen_s
        if waited_s >= _UNSUSPICIOUS_S and now_s - self._looked_s >= _LOOK_EVERY_S:
            self._looked_s = now_s
            self._look_at(ref, waited_s)
        self.lost(ref) if seen is None or waited_s < _UNSUSPICIOUS_S else Event().wait(_UNSUSPICIOUS_S / 4)

    def _look_at(self, ref: str, waited_s: float) -> None:
        look = move_aside(self._place, ref, self._bounds.stale_s, self._tell)
        bound_s = self._bounds.lock_s if look is Look.HELD else self._bounds.stale_s + self._bounds.lock_s
        if look is not Look.GONE and waited_s > bound_s:
            raise BusyError(
                f"'{ref}' was to be moved.",
                f"Another process has held '{self._place.lock_of(ref)}' for more than {bound_s:g} s.",
                "Call again when it is done.",
            )
