"""What nobody expected stops one unit, and no other."""

import errno
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.cli.fault import contained
from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Driver, Until
from gitsched.engine.intake.resuming import ResumeRequest, resume
from gitsched.ports.landing import Lander
from gitsched.ports.refs import Refs
from gitsched.wiring.clone import Clone
from tests.engine.drive import until
from tests.engine.patience import has_ended
from tests.engine.world import World


class Breaking:
    """A port whose one method fails for some arguments, as nothing in our tree of errors does."""

    def __init__(self, port: Lander | Refs, name: str, breaks: Callable[..., bool]) -> None:
        self._port = port
        self._name = name
        self._breaks = breaks

    def __getattr__(self, name: str) -> Any:
        if name == self._name:
            return self._broken
        return getattr(self._port, name)

    def _broken(self, *arguments: Any, **named: Any) -> Any:
        if self._breaks(*arguments):
            raise ZeroDivisionError("of all things")
        return getattr(self._port, self._name)(*arguments, **named)


class FullOnce:
    """A lander that meets a full disk when it looks at work for the first time."""

    def __init__(self, lander: Lander) -> None:
        self._lander = lander
        self.was_full = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lander, name)

    def own_hazards(self, *arguments: Any) -> Any:
        if not self.was_full:
            self.was_full = True
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._lander.own_hazards(*arguments)


def breaking(world: World, port: str, name: str, breaks: Callable[..., bool]) -> Driver:
    """Make a driver, guarded as on the command line, with a port that breaks."""
    clone = Clone(world.repo)
    driver = clone.driver(contained)
    broken = Breaking(getattr(driver.desk.around, port), name, breaks)
    driver.desk.around = replace(driver.desk.around, **{port: broken})
    return driver


def test_s_05_a_full_disk_stops_no_batch(world: World) -> None:
    """S-05: where a tree cannot be judged for want of space, no member fails, and the next tick with space goes on."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    clone = Clone(world.repo)
    driver = clone.driver(contained)
    full = FullOnce(driver.desk.around.lander)
    driver.desk.around = replace(driver.desk.around, lander=full)
    assert not driver.run(Until.IDLE).went_wrong
    assert full.was_full
    assert world.entry(1).status is EntryStatus.DONE


@pytest.mark.parametrize(("port", "name"), [("lander", "land"), ("lander", "own_hazards")])
def test_r_67_one_unit_fails_and_the_others_go_on(world: World, port: str, name: str) -> None:
    """R-67: landing or judging issue 2 fails unexpectedly: the same tick blocks its batch and lands the others."""
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    for issue in (1, 2, 3):
        world.enqueue(issue, solo=True)
    heads = Clone(world.repo).refs

    def is_second(work: Any, *_: Any) -> bool:
        return bool(work.pinned == heads.resolve("refs/heads/gitsched/i2/m1-i2"))

    world.tick()
    until(world.repo, lambda: all(has_ended(world, f"i{issue}", issue) for issue in (1, 2, 3)))
    ending = breaking(world, port, name, is_second).run(Until.ONCE)
    assert ending.went_wrong
    assert {issue for _, issue in world.events("member-landed")} == {1, 3}
    breaking(world, port, name, is_second).run(Until.IDLE)
    batch = world.batch("i2")
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "reconcile-error")
    blocked = next(e for entry in world.journal("i2") for e in entry.events if e.name == "batch-blocked")
    assert "ZeroDivisionError: of all things" in str(blocked.fields["detail"])
    assert [world.entry(issue).status for issue in (1, 3)] == [EntryStatus.DONE] * 2
    resume(world.clone.store, world.clone.settings, ResumeRequest("i2"), "ada")
    world.run()
    assert world.entry(2).status is EntryStatus.DONE
    assert sorted(world.started()) == ["1 0", "2 0", "3 0"]


def test_what_no_batch_can_be_stopped_for_ends_the_driver_after_the_others(world: World) -> None:
    """Clearing away fails for a batch that is reported: the rest ships first, then the driver ends with the error."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)

    def is_integration(moves: Any) -> bool:
        return any(move.name == "refs/heads/gitsched/i1/integration" and move.new is None for move in moves)

    with pytest.raises(ZeroDivisionError):
        breaking(world, "refs", "move", is_integration).run(Until.IDLE)
    assert world.batch("i1").status is BatchStatus.REPORTED
    world.run()
    assert [world.batch(name).status for name in ("i1", "i2")] == [BatchStatus.DONE] * 2
