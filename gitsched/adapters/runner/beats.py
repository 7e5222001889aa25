"""Signs of life of the clones that share a remote: one small ref for each, which only that clone changes.

What counts is not the time in a sign, but that there is a new one, and for how long this process has seen none: clocks
of other hosts are not believed. All runs of a clone live and die with its sign.
"""

import time
from collections.abc import Callable

from msgspec import Struct

from gitsched.adapters.git.blobref import BlobRefs
from gitsched.domain.words import Liveness

HOSTS_PREFIX = "refs/gitsched/hosts/"
_RIDES_EVERY = 6
"""So many times in a ttl a new sign rides along with what is pushed anyway."""
_ALONE_EVERY = 3
"""So many times in a ttl one goes by itself, when nothing else was pushed."""


class Traffic(Struct, frozen=True):
    """What is pushed from this clone beside the signs."""

    quiet_s: Callable[[], float]
    """Tells for how long nothing was."""
    has_room: Callable[[], bool]
    """Says whether something that could wait may have a push of its own."""
    carry: Callable[[], object]
    """Pushes what only rides along otherwise."""


class Heard(Struct, frozen=True):
    """The newest sign of a host."""

    sign: str | None
    since_s: float
    is_first: bool
    """No other sign was seen before it: it may be as old as the hills."""


class Beats:
    """The signs of life, as one process of one clone gives and hears them."""

    def __init__(
        self,
        refs: BlobRefs,
        host: str,
        ttl_s: float,
        traffic: Traffic,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Hear nothing yet; `host` is this clone's own."""
        self._refs = refs
        self._own = f"{HOSTS_PREFIX}{host}"
        self._ttl_s = ttl_s
        self._ttls_s: dict[str, float] = {}
        """By host: how long its leases hold without a sign."""
        self._traffic = traffic
        self._now_s = now_s
        self._heard: dict[str, Heard] = {}
        self._said_s: float | None = None
        self._deaf_since_s: float | None = None

    def liveness(self, host: str, ttl_s: float | None = None) -> Liveness:
        """Tell whether a clone lives: GONE once it has given no new sign for the ttl of its leases, else for ours."""
        if ttl_s is not None:
            self._ttls_s[host] = ttl_s
        self._hear_again()
        held = self._refs.read(f"{HOSTS_PREFIX}{host}")
        sign = held.oid if held is not None else None
        before = self._heard.get(host)
        if before is None or before.sign != sign:
            before = self._heard[host] = Heard(sign, self._now_s(), before is None)
        if self._now_s() - before.since_s > self._ttls_s.get(host, self._ttl_s):
            return Liveness.GONE
        return Liveness.UNKNOWN if before.is_first else Liveness.ALIVE

    def beat(self) -> None:
        """Give a new sign, where the last one is old; it goes alone only when nothing else goes."""
        now_s = self._now_s()
        if self._said_s is None or now_s - self._said_s >= self._ttl_s / _RIDES_EVERY:
            held = self._refs.read(self._own)
            count = int(held.data) + 1 if held is not None and held.data.isdigit() else 1
            if self._refs.swap(self._own, held.oid if held is not None else None, b"%d" % count) is None:
                self._said_s = now_s
        if self._traffic.quiet_s() >= self._ttl_s / _ALONE_EVERY and self._traffic.has_room():
            self._traffic.carry()

    def miss(self) -> None:
        """Let the time until the next look count for nobody's silence."""
        self._deaf_since_s = self._now_s() if self._deaf_since_s is None else self._deaf_since_s

    def _hear_again(self) -> None:
        if self._deaf_since_s is None:
            return
        deaf_s, self._deaf_since_s = self._now_s() - self._deaf_since_s, None
        later = {host: Heard(one.sign, one.since_s + deaf_s, one.is_first) for host, one in self._heard.items()}
        self._heard = later

    def end(self) -> None:
        """Take the sign of this clone away: nothing of it is left to live."""
        held = self._refs.read(self._own)
        if held is not None:
            self._refs.swap(self._own, held.oid, None)
