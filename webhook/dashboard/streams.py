"""Streams: a browser is told that something has changed, and asks for the page again.

A stream ends by itself after a while and the browser comes again with the last it has heard of, so that one that is
gone holds no thread for long. There are only so many at once: pages beyond them ask again now and then instead.
"""

from collections.abc import Callable, Iterator
from threading import BoundedSemaphore
from time import monotonic
from typing import Final

from gitsched.domain.words import LIVE_RUNS
from gitsched.errors import GitschedError
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import waker_of

MOST_STREAMS: Final = 4
"""Half of the server's threads: deliveries always find one."""
STREAM_S: Final = 50.0
LOOK_AGAIN_S: Final = 1.0
"""How often a new tip is asked for when nobody wakes it: one ref read."""
AGES_S: Final = 10.0
"""How often ages are to move on while something runs."""
ALIVE_S: Final = 15.0


class Streams:
    """Hands out streams."""

    def __init__(self, is_stopping: Callable[[], bool]) -> None:
        """Begin without any; they end when the service does."""
        self._is_stopping = is_stopping
        self._free = BoundedSemaphore(MOST_STREAMS)

    def open(self, clone: Clone, seen: str) -> Iterator[str] | None:
        """Give a stream to one who has seen the page of a tip; None where there is none to give."""
        if not self._free.acquire(blocking=False):
            return None
        return self._told(clone, seen)

    def _told(self, clone: Clone, seen: str) -> Iterator[str]:
        try:
            waker = waker_of(clone)
        except BaseException:
            self._free.release()
            raise
        try:
            yield "retry: 1000\n\n"
            begun_s = said_s = monotonic()
            while monotonic() - begun_s < STREAM_S and not self._is_stopping():
                tip, is_live = _look(clone)
                silent_s = monotonic() - said_s
                if tip != seen or (is_live and silent_s >= AGES_S):
                    seen, said_s = tip, monotonic()
                    yield f"id: {tip}\nevent: changed\ndata: {tip}\n\n"
                elif silent_s >= ALIVE_S:
                    said_s = monotonic()
                    yield ": alive\n\n"
                waker.wait(LOOK_AGAIN_S)
        finally:
            waker.close()
            self._free.release()


def _look(clone: Clone) -> tuple[str, bool]:
    try:
        state = clone.store.read()
    except GitschedError:
        return "", False
    return clone.store.tip or "", any(lease.status in LIVE_RUNS for lease in state.leases.values())
