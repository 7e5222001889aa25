"""What happens between a slot that is reserved and an agent that starts."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from tests.engine.relay import Relay
from tests.engine.world import World
from tests.real_git import run_git


def meanwhile(world: World, deed: Callable[[], object]) -> Relay:
    """Make trees that come only after something else has happened, once."""
    deeds = [deed]

    def acquire(real: Callable[..., Any], *words: Any, **named: Any) -> Any:
        if deeds:
            deeds.pop()()
        return real(*words, **named)

    return Relay(world.clone.trees, acquire=acquire)


def expect_waiting(world: World, wait: str) -> None:
    """Check that nobody was sent, that the slot is free again, and that nothing but the reason is left."""
    assert world.started() == []
    assert not world.state.leases
    assert world.member(1, "i1").status is MemberStatus.WAITING
    assert wait in world.waits(1)
    assert [event.fields["reason"] for event in world.told("slot-released")] == [wait]
    assert not world.clone.trees.owners()


def test_a_06_a_label_that_comes_while_the_tree_is_made(world: World) -> None:
    """A-06: the label is read right before the agent would start: none does, and the slot is given back."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    trees = meanwhile(world, lambda: world.tracker.edit_issue(1, add_labels=("epic",)))
    world.driver_with(trees=trees).run(Until.IDLE)
    expect_waiting(world, "label:epic")
    world.tracker.edit_issue(1, remove_labels=("epic",))
    world.run()
    assert world.entry(1).status is EntryStatus.DONE


def test_a_hold_that_comes_while_the_tree_is_made(world: World) -> None:
    """The member waits, held, without a slot."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    world.driver_with(trees=meanwhile(world, lambda: world.hold(1))).run(Until.IDLE)
    expect_waiting(world, "held:operator")
    world.unhold(1)
    world.run()
    assert world.started() == ["1 1"]


def test_a_06_a_forge_that_goes_while_the_tree_is_made(world: World) -> None:
    """A-06: nobody is sent to work on an issue that cannot be read, and nothing is decided on that."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    away = [Unreachable(what="forge", detail="away")]
    gone: list[bool] = []

    def issues(real: Callable[..., Any], numbers: list[int]) -> Any:
        return away[0] if gone else real(numbers)

    trees, forge = meanwhile(world, lambda: gone.append(True)), Relay(world.clone.forge, issues=issues)
    world.driver_with(trees=trees, forge=forge).run(Until.ONCE)
    assert world.started() == []
    assert world.member(1, "i1").status is MemberStatus.PREPARING
    world.run()
    assert world.entry(1).status is EntryStatus.DONE


@pytest.mark.parametrize("as_not_planned", [True, False])
def test_a_07_a_member_whose_issue_is_closed_leaves_before_it_starts(world: World, *, as_not_planned: bool) -> None:
    """A-07: assigned and not started: it leaves its batch, is told once, and never spawned; 2 and 3 go on."""
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3)
    world.tracker.close(2, as_not_planned=as_not_planned)
    world.run()
    world.expect_landed(1, 3)
    assert world.batch().status is BatchStatus.DONE
    assert world.member(2).status is MemberStatus.WITHDRAWN
    found = (world.entry(2).status, world.entry(2).reason, world.entry(2).batch)
    wanted = (EntryStatus.BLOCKED, "closed") if as_not_planned else (EntryStatus.DONE, "external-advance")
    assert found == (*wanted, None)
    assert len(world.events("closed-on-forge" if as_not_planned else "external-advance")) == 1
    assert {line.split()[0] for line in world.started()} == {"1", "3"}


@pytest.mark.parametrize("solo", [True, False])
@pytest.mark.parametrize("later", ["open", "away"])
def test_a_07_completed_is_asked_for_once_more_before_it_is_believed(world: World, later: str, *, solo: bool) -> None:
    """A-07: opened again, or not to be read, by the time it would be over: it is worked, or waits, and is not done."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2) if not solo else world.enqueue(1, solo=True)
    closed = replace(world.clone.forge.issues([1])[1], is_open=False)
    asked: list[int] = []

    def issues(real: Callable[..., Any], numbers: list[int]) -> Any:
        asked.append(len(numbers))
        if len(asked) == 1:
            return {**real(numbers), 1: closed}
        return Unreachable(what="forge", detail="away") if later == "away" else real(numbers)

    world.driver_with(forge=Relay(world.clone.forge, issues=issues)).run(Until.ONCE)
    assert len(asked) > 1
    assert world.events("external-advance") == []
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    assert world.entry(1).reason is None


def test_a_07_what_depends_on_a_member_that_was_completed_elsewhere_goes_on(world: World) -> None:
    """A-07: its dependency is met."""
    world.issue(1)
    world.issue(2, deps=(1,))
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.tracker.close(1)
    world.run()
    world.expect_landed(2)


def test_a_07_its_group_leaves_with_a_member_whose_issue_is_closed(world: World) -> None:
    """A-07: groups leave together, each told why."""
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3, groups=((2, 3),))
    world.tracker.close(3, as_not_planned=True)
    world.run()
    world.expect_landed(1)
    assert (world.entry(2).status, world.entry(2).reason) == (EntryStatus.PARKED, "group-of:3")
    assert not world.batch().evictions[0].counts


def test_r_16_the_agents_of_a_batch_that_broke_out_are_ended(world: World) -> None:
    """R-16: 1 commits in the user's checkout; 2, which is at work then, is ended, loses nothing, and no rung."""
    gate = world.barrier("go")
    world.issues(1, 2)
    stray = f"cd {world.repo}; echo x > y.txt; git add y.txt; git commit -qm Stray"
    world.agent(1, f"read -r _ < {gate}; {stray}")
    world.agent(2, f"echo 2 > file2.txt; git add -A; git commit -qm Two; echo more > rest.txt; echo > {gate}; sleep 60")
    world.enqueue(1, 2)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "isolation-breach")
    member = world.member(2)
    assert (member.status, member.recoveries) == (MemberStatus.WAITING, 0)
    assert world.events("stop-sent") == [("stop-sent", 2)]
    assert world.entry(2).status is EntryStatus.ASSIGNED
    assert "file2.txt" in world.paths(member.branch)
    assert run_git(world.repo, "for-each-ref", "refs/gitsched/rescue/b1/2")
    assert not world.state.leases
