"""Between the two steps of admission: deaths, a stop, and a head that moves, on the whole engine."""

from typing import Any

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, RunStatus
from gitsched.engine.driver import Until
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.policy.precondition import Level
from gitsched.ports.store import Entry as JournalEntry
from gitsched.ports.worktrees import TreeRefused
from tests.engine.relay import Call, Killed, Relay, killed_after, killed_before
from tests.engine.world import World
from tests.real_git import run_git


class ReachedError(Exception):
    """What a driver was run for has happened."""


def drive_until(world: World, name: str, issue: int) -> None:
    """Run a driver until it has told of this event of that issue."""

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == name and event.issue == issue for event in entry.events):
            raise ReachedError

    with pytest.raises(ReachedError):
        world.driver().run(Until.STOPPED, None, on_entry)


@pytest.mark.parametrize("dies", [killed_before, killed_after])
@pytest.mark.parametrize("step", ["trees.acquire", "runner.start"])
def test_a_16_a_death_between_the_two_steps_costs_nothing(world: World, dies: Any, step: str) -> None:
    """A-16: whether the tree exists or not, the next driver's first tick has the slot whole; one spawn, no orphan."""
    gate = world.barrier("go")
    world.slots(1)
    world.issues(1)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.enqueue(1, batch="b1")
    port, call = step.split(".")
    relay = Relay(getattr(world.clone, port), **{call: dies(1)})
    with pytest.raises(Killed):
        world.driver_with(**{port: relay}).run(Until.IDLE)
    assert len(world.state.leases) == 1
    world.tick()
    (lease,) = world.state.leases.values()
    assert (lease.status, world.member(1).status) == (RunStatus.RUNNING, MemberStatus.RUNNING)
    assert len(world.clone.trees.owners()) == 1
    gate.open()
    world.run()
    world.expect_landed(1)
    assert not world.state.leases
    assert not run_git(world.repo, "branch", "--list", "gitsched/*")
    assert not world.clone.trees.owners()
    assert all(check.level is Level.GREEN for check in world.doctor() if check.code == "worktree-orphan")
    assert world.batch().status is BatchStatus.DONE
    assert len(world.started()) == 1
    assert len(world.told("verify-complete")) == 1


def test_a_17_who_is_stopped_between_the_two_steps_is_not_spawned(world: World) -> None:
    """A-17: stopped while its tree is made: no agent, no tree, and the entry says why."""
    world.issues(3)
    world.agents(3)
    world.enqueue(3, solo=True)

    def acquire(real: Call, *words: Any, **named: Any) -> Any:
        made = real(*words, **named)
        if world.entry(3).status is EntryStatus.ASSIGNED:
            world.stop("3")
        return made

    world.driver_with(trees=Relay(world.clone.trees, acquire=acquire)).run(Until.IDLE)
    assert world.started() == []
    assert (world.entry(3).status, world.entry(3).reason) == (EntryStatus.STOPPED, "operator")
    assert world.clone.trees.owners() == {}


def test_a_19_a_tree_is_cut_again_when_the_head_moves_meanwhile(world: World) -> None:
    """A-19: 2 lands while the tree of 3 is made: it is cut anew from the new head before its agent starts."""
    gate = world.barrier("go")
    world.issues(1, 2, 3)
    world.agents(1, 3)
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    for issue, path in ((1, "x"), (2, "y"), (3, "x")):
        world.enqueue(issue, batch="b1", files=(path,), leave_open=issue != 3)
    made: list[str] = []

    def acquire(real: Call, owner: str, commit: str, *words: Any, **named: Any) -> Any:
        tree = real(owner, commit, *words, **named)
        if owner.startswith("b1/3/"):
            made.append(commit)
            if len(made) == 1:
                gate.open()
                drive_until(world, "member-landed", 2)
        return tree

    world.driver_with(trees=Relay(world.clone.trees, acquire=acquire)).run(Until.IDLE)
    world.expect_landed(1, 2, 3)
    assert made == [world.member(1).landed, world.member(2).landed]
    assert world.member(3).cut == world.member(2).landed
    assert world.started().count("3 0") == 1
    assert not world.told("member-held")


def test_a_18_a_disk_that_fills_while_the_tree_is_made_charges_nobody(world: World) -> None:
    """A-18: the reason names it, the leftover is recorded and found, admission pauses, and later it just works."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    left: list[str] = []

    def acquire(real: Call, *words: Any, **named: Any) -> Any:
        left.append(str(real(*words, **named).path))
        return TreeRefused(reason="disk-floor", detail=f"no space left, and '{left[0]}' could not be removed")

    full = Relay(world.clone.trees, acquire=acquire, free_bytes=lambda real: 0 if left else real())
    world.driver_with(trees=full).run(Until.ONCE)
    (released,) = world.told("slot-released")
    assert (released.fields["reason"], left[0] in str(released.fields["detail"])) == ("disk-floor", True)
    member = world.member(1)
    assert (member.hold, member.recoveries, member.retries, world.started()) == (None, 0, {}, [])
    assert [check.code for check in world.doctor() if left[0] in check.message] == ["worktree-orphan"]
    assert [found.code for found in findings_of(world.clone.premises()) if left[0] in found.unit + found.message] == [
        "worktree-orphan"
    ]
    world.driver_with(trees=full).run(Until.ONCE)
    assert len(left) == 1
    world.run()
    world.expect_landed(1)
    assert len(world.started()) == 1
