"""The world fixture: every engine test ends with a look at what it left behind."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitsched.engine.hygiene.fsck import findings_of
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving
from tests.engine.world import World
from tests.walks.properties import check_properties


@pytest.fixture
def world(repo: Path, hermetic: Path) -> Iterator[World]:
    """Give the test a world; what lives on after it fails it."""
    made = World(repo, hermetic)
    yield made
    made.expect_clean()
    check_properties(made.repo, made.clone.clock)
    assert findings_of(Clone(made.repo).premises()) == ()


@pytest.fixture
def drive_at() -> Iterator[Callable[[Path], Driving]]:
    """Start drivers of any repository as processes of their own; those that live at the end are killed."""
    started: list[Driving] = []

    def start(repo: Path) -> Driving:
        started.append(Driving(repo))
        return started[-1]

    yield start
    for driving in started:
        driving.kill()


@pytest.fixture
def drive(world: World, drive_at: Callable[[Path], Driving]) -> Callable[[], Driving]:
    """Start drivers of the world as processes of their own; those that have not ended by themselves are killed."""
    return lambda: drive_at(world.repo)
