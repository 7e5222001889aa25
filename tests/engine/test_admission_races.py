"""Two drivers at each of the two sections of admission: one slot, one tree, one spawn."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.adapters.process import HostProcesses
from gitsched.adapters.store.bounds import Bounds
from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.records import Driver
from gitsched.domain.state import Draft
from gitsched.engine.driver import Until
from tests.engine.relay import Call, Relay
from tests.engine.world import World


def _quick(world: World) -> GitStore:
    """Open the store for somebody who does not wait long beside a turn that is held."""
    return GitStore(world.clone.common_dir, world.clone.clock, "quick", bounds=Bounds(queue_s=0.05))


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
                world.driver_with(store=_quick(world)).run(Until.ONCE)

        return real(raced, *words, **named)

    world.driver_with(store=Relay(_quick(world), apply=apply)).run(Until.IDLE)
    world.run()
    assert rival == [section]
    assert world.started() == ["1 0", "2 0"]
    world.expect_landed(1, 2)
    assert [event.gen for event in world.told("spawned")] == [0, 0]


def test_a_15_drivers_that_are_gone_in_doubt_or_new_are_told_apart(world: World) -> None:
    """A-15: the dead one is lost, the one elsewhere is in doubt and stays, a living one is untouched; no signal."""
    own = HostProcesses().own()
    alive = Driver(
        id="alive", host=own.host, boot_id=own.boot_id, pid=own.pid, started=own.started, registered_at="2026-01-01"
    )
    gone, elsewhere = replace(alive, id="gone", pid=2**22, started="1"), replace(alive, id="far", host="elsewhere")
    signals: list[object] = []

    def register(draft: Draft) -> None:
        for driver in (alive, gone, elsewhere):
            draft.note(EventName.DRIVER_REGISTERED, f"Driver {driver.id} begins", driver, driver=driver.id)

    def leave(draft: Draft) -> None:
        for driver in tuple(draft.state.drivers.values()):
            draft.note(EventName.DRIVER_LEFT, f"Driver {driver.id} ends", removed=[driver], driver=driver.id)

    world.clone.store.apply(register)
    runner = Relay(world.clone.runner, stop=lambda real, *words, **named: signals.append((real, words, named)))
    for _ in range(2):
        world.driver_with(runner=runner).run(Until.ONCE)
    assert set(world.state.drivers) == {"alive", "far"}
    assert [event.fields["driver"] for event in world.told("driver-lost")] == ["gone"]
    assert [event.fields["driver"] for event in world.told("driver-liveness-unknown")] == ["far"]
    assert signals == []
    world.clone.store.apply(leave)
