"""Kill at any instant, start again: the same end.

In every run of the tests a few instants; `make faults` takes 50 of each kind, GITSCHED_KILLS says another number.
"""

import os
import random  # noqa: TID251 - a seeded choice of instants, the seed in the test's name
from collections.abc import Callable

import pytest

from tests.engine.drive import Driving, kill_each, workers_of
from tests.engine.fates import expect_the_end, prepare
from tests.engine.world import World

Drive = Callable[[], Driving]
Told = Callable[[str], None]
KILLS_PER_BATCH = 5
KILLS_IN_ALL = int(os.environ.get("GITSCHED_KILLS", "50"))
LONGEST_S = float(os.environ.get("GITSCHED_KILLS_WITHIN_S", "2.5"))
"""The latest instant after a driver's start at which something is killed."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each kind one batch, or, when faults alone are asked for, as many as it takes for all kills."""
    is_thorough = metafunc.config.option.markexpr == "fault"
    # Some batches end before they have been killed often enough.
    count = KILLS_IN_ALL // (KILLS_PER_BATCH - 2) if is_thorough else 1
    metafunc.parametrize(("seed", "kills"), [(seed, KILLS_PER_BATCH if is_thorough else 3) for seed in range(count)])


@pytest.fixture
def told(record_property: Callable[[str, object], None]) -> Told:
    """Tell a figure that is to be seen in every run."""
    return lambda text: record_property("told", text)


class Killer:
    """Kills at seeded instants until it has killed often enough, then lets the batch end."""

    def __init__(self, world: World, drive: Drive, seed: int, kills: int) -> None:
        """Choose instants by the seed."""
        self._world = world
        self._drive = drive
        self._chance = random.Random(seed)  # noqa: S311
        self._left = kills
        self.count = 0

    def drivers(self, *, with_workers: bool = False) -> None:
        """Kill drivers, with all their workers or without, each some time after its start."""
        while self._left:
            driving = self._drive()
            if driving.ends_within(self._chance.uniform(0.1, LONGEST_S)):
                driving.end()
                break
            driving.kill()
            if with_workers:
                kill_each(workers_of(self._world.repo))
            self._left -= 1
            self.count += 1
        self._drive().end()

    def workers(self) -> None:
        """Kill workers of one driver that lives on."""
        driving = self._drive()
        while self._left and not driving.ends_within(self._chance.uniform(0.05, LONGEST_S / 4)):
            living = workers_of(self._world.repo)
            if living:
                killed = kill_each([self._chance.choice(living)])
                self._left -= killed
                self.count += killed
        driving.end()


@pytest.mark.fault
@pytest.mark.timeout(300)
def test_show_5_killed_drivers(world: World, drive: Drive, seed: int, kills: int, told: Told) -> None:
    """R-59, R-60, I-20, L-35 (local): however often the driver is killed, the same command comes to the same end."""
    prepare(world)
    killer = Killer(world, drive, seed, kills)
    killer.drivers()
    told(f"drivers killed: {killer.count}, agents started: {len(world.started())}")
    expect_the_end(world)


@pytest.mark.fault
@pytest.mark.timeout(300)
def test_show_5_killed_workers(world: World, drive: Drive, seed: int, kills: int, told: Told) -> None:
    """R-61: workers are killed under a driver that lives on: their agents are ended before the next generation."""
    prepare(world)
    killer = Killer(world, drive, seed + 1000, kills)
    killer.workers()
    told(f"workers killed: {killer.count}, agents started: {len(world.started())}")
    expect_the_end(world)


@pytest.mark.fault
@pytest.mark.timeout(300)
def test_show_5_killed_both(world: World, drive: Drive, seed: int, kills: int, told: Told) -> None:
    """Driver and workers are killed together, as when the machine loses its power."""
    prepare(world)
    killer = Killer(world, drive, seed + 2000, min(kills, 2) if kills < KILLS_PER_BATCH else kills)
    killer.drivers(with_workers=True)
    told(f"both killed: {killer.count}, agents started: {len(world.started())}")
    expect_the_end(world)
