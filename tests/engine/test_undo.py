"""Taking an enqueue back beside a real engine."""

from collections.abc import Callable

import pytest

from gitsched.domain.events import EventName
from gitsched.engine.intake.undo import undo
from gitsched.errors import RefusedError
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving, until
from tests.engine.world import PERSON, World


def test_an_enqueue_is_taken_back_until_its_agent_has_started(world: World, drive: Callable[[], Driving]) -> None:
    """S-18: a new commit takes the enqueue back and no event of the engine; once the agent runs it is refused."""
    world.pause()
    world.issues(1, 2, 3)
    world.enqueue(3)
    world.tick()
    told = [entry.commit for entry in world.journal()]
    undo(world.clone.store, PERSON)
    assert 3 not in world.state.entries
    assert [entry.commit for entry in world.journal()][: len(told)] == told, "history keeps both"
    assert world.journal()[-1].events[0].name is EventName.UNDONE
    assert world.state.control.paused, "what came before it is not touched"
    gate = world.barrier("gate")
    world.agent(3, f"read -r _ < {gate}; echo 3 > three.txt")
    world.unpause()
    world.enqueue(3)
    driving = drive()
    until(world.repo, lambda: world.started() == ["3 0"])
    store = Clone(world.repo).store
    before = store.read().entries[3]
    with pytest.raises(RefusedError, match="issue 3 has moved: its status is assigned") as refused:
        undo(store, PERSON)
    assert refused.value.exit_code == 1
    assert store.read().entries[3] == before
    gate.open()
    driving.end()
