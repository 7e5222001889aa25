"""Drive by single ticks until something holds, for stories in which no driver would come to an end by itself."""

from collections.abc import Callable
from time import monotonic

from gitsched.adapters.wake import FifoWaker
from gitsched.domain.events import Event
from gitsched.domain.state import State
from tests.engine.world import World

PATIENCE_S = 60.0
LOOK_AGAIN_S = 0.3
"""What comes due by time alone wakes nobody between two ticks."""


def ticks_until(world: World, holds: Callable[[State], bool]) -> State:
    """Tick, each time with a new driver, until the state is like that, and give it."""
    waker = FifoWaker(world.repo / ".git", world.clone.processes)
    until_s = monotonic() + PATIENCE_S
    try:
        while not holds(world.state):
            assert monotonic() < until_s, "it never came to that"
            world.tick()
            waker.wait(LOOK_AGAIN_S)
        return world.state
    finally:
        waker.close()


def told(world: World, *names: str) -> list[Event]:
    """List the events of these names, oldest first."""
    return [event for entry in world.journal() for event in entry.events if str(event.name) in names]
