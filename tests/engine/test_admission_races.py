"""Two drivers at each of the two sections of admission: one slot, one tree, one spawn."""

from typing import Any

import pytest

from gitsched.domain.state import Draft
from gitsched.engine.driver import Until
from tests.engine.relay import Call, Relay
from tests.engine.world import World


@pytest.mark.parametrize("section", ["assigned", "spawned"])
def test_a_rival_at_a_section_of_admission_gives_one_run(world: World, section: str) -> None:
    """The rival makes a whole pass right before this driver's transaction of that section."""
    world.slots(1)
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2, batch="b1", files=("x",))
    rival: list[str] = []

    def apply(real: Call, intent: Any, *words: Any, **named: Any) -> Any:
        def raced(draft: Draft) -> None:
            before = len(draft.events)
            intent(draft)
            names = [str(event.name) for event in draft.events[before:]]
            if section in names and not rival:
                rival.append(section)
                world.tick()

        return real(raced, *words, **named)

    world.driver_with(store=Relay(world.clone.store, apply=apply)).run(Until.IDLE)
    world.run()
    assert rival == [section]
    assert world.started() == ["1 0", "2 0"]
    world.expect_landed(1, 2)
    assert [event.gen for event in world.told("spawned")] == [0, 0]
