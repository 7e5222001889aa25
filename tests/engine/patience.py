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


def has_ended(world: World, batch: str, issue: int, gen: int = 0) -> bool:
    """Say whether the worker of a run has recorded its end."""
    record = world.clone.runner.look(batch, str(issue), gen).record
    return record is not None and record.end is not None


def tick_that_tells(world: World, name: str, issue: int | None = None) -> list[tuple[str, int | None]]:
    """Tick until an event of this name is recorded, and list all that this one tick has recorded, in order."""
    before: list[tuple[str, int | None]] = []

    def is_told(_: State) -> bool:
        nonlocal before
        if (name, issue) in world.events():
            return True
        before = world.events()
        return False

    ticks_until(world, is_told)
    return world.events()[len(before) :]
