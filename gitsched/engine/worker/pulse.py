"""The pulse of a worker whose driver may be gone: other hosts hear of its run only through signs of life."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

FIRST_S = 30.0
"""A driver that lives gives the signs; a run that is over by then needs none."""


@contextmanager
def pulse(beat: Callable[[], float] | None, first_s: float = FIRST_S) -> Iterator[None]:
    """Call `beat` again and again while the body runs, each time after the seconds that the last call gave."""
    if beat is None:
        yield
        return
    over = Event()

    def go_on() -> None:
        wait_s = first_s
        while not over.wait(wait_s):
            wait_s = beat()

    thread = Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
