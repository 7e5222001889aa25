"""Nothing is judged by other rules for turning commits into files than the clone's work began with."""

from collections.abc import Callable

import pytest

from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, MemberStatus, RunStatus
from tests.engine.patience import ticks_until
from tests.engine.world import World
from tests.real_git import run_git

_PLANT = """\
git config filter.swap.smudge 'sed s/bad/good/'
mkdir -p {0}/info
echo '*.txt filter=swap' > {0}/info/attributes
: > {1}/planted
"""
_UNPLANT = "git config --remove-section filter.swap; rm {0}/info/attributes\n"


def _planting(world: World, after: str) -> None:
    """Let agent 1 change the rules, and then do what is said."""
    common = world.repo / ".git"
    world.agent(1, (_PLANT + after).format(common, world.scripts) + "echo 1 > file1.txt\n")


def _planted(world: World) -> None:
    ticks_until(world, lambda _: (world.scripts / "planted").exists())


def _restore(world: World) -> None:
    run_git(world.repo, "config", "--remove-section", "filter.swap")
    (world.repo / ".git/info/attributes").unlink()


def _is_blocked(world: World, batch: str) -> None:
    found = world.batch(batch)
    assert (found.status, found.reason, found.pr) == (BatchStatus.BLOCKED, "isolation-breach", None)


def _has_stopped(batch: str) -> Callable[[State], bool]:
    return lambda state: state.batches[batch].status in (BatchStatus.BLOCKED, BatchStatus.AWAITING_MERGE)


def test_a_check_that_would_begin_and_end_under_changed_rules_is_not_begun(world: World) -> None:
    """The one who changed them is at work before and after, and covers its tracks: the check sees no difference."""
    world.issues(1, 2)
    world.configure(suite='[suite]\nrun = ["sh", "suite.sh"]\nevidence = "exit"\n')
    world.agents(2)
    door = world.barrier("door")
    _planting(world, f"read -r _ < {door}\n" + _UNPLANT)
    world.enqueue(2, solo=True)
    world.tick()
    world.hold(2)
    ticks_until(world, lambda state: state.members["i2", 2].status is MemberStatus.VERIFIED)
    world.enqueue(1, solo=True)
    _planted(world)
    world.unhold(2)
    ticks_until(world, _has_stopped("i2"))
    _is_blocked(world, "i2")
    assert [event.fields["kind"] for event in world.told("job-claimed")] == []
    door.open()
    world.run()
    world.expect_landed(1, batch="i1")
    world.resume("i2")
    world.run()
    world.expect_landed(2, batch="i2")


@pytest.mark.parametrize("how", ["ended", "stopped"])
def test_rules_that_stay_changed_are_no_rules_for_those_who_come_later(world: World, how: str) -> None:
    """Whether whoever changed them was found out at its end or was ended by an operator; a person's look ends it."""
    world.issues(1, 2)
    world.agents(2)
    door = world.barrier("door")
    _planting(world, f"read -r _ < {door}\n" if how == "stopped" else "")
    world.enqueue(1, solo=True)
    _planted(world)
    if how == "stopped":
        world.stop("1")
    world.run()
    world.enqueue(2, solo=True)
    world.run()
    _is_blocked(world, "i2")
    _restore(world)
    world.resume("i2")
    world.run()
    world.expect_landed(2, batch="i2")
    assert world.state.control.rules == {}


def test_a_takeover_is_told_from_what_the_run_before_it_began_with(world: World) -> None:
    """The worker is lost after the rules were changed: what begins in its place does not take them for granted."""
    world.issues(1)
    _planting(world, "kill -KILL $PPID; sleep 0; exit 1\n")
    world.agent(1, "echo 1 > file1.txt", gen=1)
    world.enqueue(1, solo=True)
    world.run()
    _is_blocked(world, "i1")


def test_an_owner_may_change_the_rules_while_nothing_is_at_work(world: World) -> None:
    """Between two nights: nobody is stopped for it, and the record goes when the last one has left."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, solo=True)
    world.run()
    assert world.state.control.rules == {}
    run_git(world.repo, "config", "core.autocrlf", "input")
    world.enqueue(2, solo=True)
    world.run()
    world.expect_landed(2, batch="i2")


def _lives(state: State) -> bool:
    return any(lease.status is RunStatus.RUNNING for lease in state.leases.values())


def test_a_driver_that_leaves_work_behind_leaves_its_rules_on_record(world: World) -> None:
    """Another driver goes on with that work, and with what it began with."""
    world.issues(1)
    door = world.barrier("door")
    world.agent(1, f"read -r _ < {door}\necho 1 > file1.txt")
    world.enqueue(1, solo=True)
    ticks_until(world, _lives)
    assert len(world.state.control.rules) == 1
    door.open()
    world.run()
    assert world.state.control.rules == {}
