"""What happens between a decision and its record: joins, stops, groups, other drivers, people on our branches."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.cli.fault import contained
from gitsched.domain.effects import Block, Effect, Land, Rebuild, Validate
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.blocking import block
from gitsched.engine.driver import Driver, Until
from gitsched.engine.perform.table import PERFORMERS, perform
from gitsched.policy.situation import basis_of
from gitsched.ports.worktrees import TreeRefused
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import desk_of
from tests.engine.relay import Call, Relay
from tests.engine.world import World
from tests.real_git import run_git

MANUAL = '[ship]\nmerge = "manual"\n'
EXIT = '\n[suite]\nrun = ["sh", "suite.sh"]\nevidence = "exit"\n'
INTEGRATION = "gitsched/b1/integration"
REF = f"refs/heads/{INTEGRATION}"


def once(action: Callable[[], object], when: Callable[[], bool] = lambda: True) -> Call:
    """Make a change that acts once, before the first call that `when` says."""
    done: list[object] = []

    def change(real: Call, *words: Any, **named: Any) -> Any:
        if not done and when():
            done.append(True)
            action()
        return real(*words, **named)

    return change


def carry_out(world: World, effect: Effect) -> None:
    """Perform one effect as another driver would."""
    with desk_of(Clone(world.repo)) as desk:
        perform(effect, desk)


def a_landed_batch(world: World, *issues: int, **fields: Any) -> None:
    """Bring a batch of these issues to where it waits for its merge."""
    world.configure(MANUAL)
    world.issues(*issues)
    world.agents(*issues)
    world.enqueue(*issues, **fields)
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE


def blocked_on_a_red_suite(world: World, *issues: int, **fields: Any) -> None:
    """Bring a batch to where its suite is red on its base too, for as long as the machine is not in order."""
    disorder = world.repo.parent / "disorder"
    disorder.touch()
    (world.repo / "suite.sh").write_text(f"test ! -e '{disorder}'\n")
    world.commit("Look at the machine")
    world.configure(MANUAL, suite=EXIT)
    world.issues(*issues)
    world.enqueue(*issues, **fields)
    world.run()
    assert world.batch().status is BatchStatus.BLOCKED
    disorder.unlink()


def foreign_commit(world: World) -> str:
    """Put somebody's commit on the integration branch."""
    commit = run_git(world.repo, "commit-tree", "-p", INTEGRATION, "-m", "mine", f"{INTEGRATION}^{{tree}}")
    run_git(world.repo, "update-ref", REF, commit)
    return commit


def test_who_joins_after_the_plan_is_landed_before_the_suite(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that says that the suite is due is held against the members as they are then."""
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2)
    change = once(lambda: world.enqueue(3, batch="b1"))
    monkeypatch.setitem(PERFORMERS, Validate, partial(change, PERFORMERS[Validate]))
    world.run()
    world.expect_landed(1, 2, 3)
    assert world.batch().status is BatchStatus.DONE


def test_a_landed_member_leaves_with_its_group_and_its_commits_do_too(world: World) -> None:
    """Its group mate failed: the branch is rebuilt without it, and only the third ships."""
    world.issues(1, 2, 3)
    world.agents(1, 3)
    world.agent(2, "true")
    world.enqueue(1, 2, 3, groups=((1, 2),))
    world.run()
    world.expect_landed(3)
    assert world.batch().status is BatchStatus.DONE
    assert "file1.txt" not in world.paths()
    assert world.entry(1).status is world.entry(2).status is EntryStatus.PARKED


def test_a_survivor_that_no_longer_applies_takes_its_group_along(world: World) -> None:
    """2 builds on what 1 wrote, and 3 is of its group: only 4 is left when 1 is stopped."""
    world.agent(1, "echo 1 > bad.txt; echo A > README.md")
    world.agent(2, "echo B > README.md")
    world.agents(3, 4)
    blocked_on_a_red_suite(world, 1, 2, 3, 4, groups=((2, 3),))
    world.expect_landed(1, 2, 3, 4)
    world.stop("1")
    world.run()
    world.expect_landed(4)
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert world.paths(INTEGRATION) >= {"file4.txt"}
    assert not {"file3.txt", "bad.txt"} & world.paths(INTEGRATION)


def test_a_batch_that_rebasing_empties_is_given_up(world: World) -> None:
    """The target took in the same change meanwhile: nobody is left, and nothing is judged or shipped."""
    world.configure(MANUAL)
    world.issues(1, 2)
    world.agent(1, "echo mine > README.md")
    world.agent(2, "echo ours >> README.md")
    world.enqueue(1, 2)
    world.run()
    judged = len(world.batch().suite)
    (world.repo / "README.md").write_text("theirs\n")
    world.commit("Theirs")
    world.merge()
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.DISSOLVED, "no-landed-members")
    assert len(batch.suite) == judged
    assert not world.told("merge-accepted")


def test_a_member_stopped_while_a_rebuild_computes(world: World) -> None:
    """What was computed with it counts for nothing; the next rebuild is without both."""
    world.agent(1, "echo 1 > bad.txt")
    world.agents(2, 3)
    blocked_on_a_red_suite(world, 1, 2, 3)
    world.stop("1")
    lander = Relay(world.clone.lander, land=once(lambda: world.stop("3")))
    world.driver_with(lander=lander).run(Until.IDLE)
    world.expect_landed(2)
    assert not world.told("batch-blocked")[1:]
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert not {"file3.txt", "bad.txt"} & world.paths(INTEGRATION)


def test_resume_rebuilds_first_where_a_member_has_left(world: World) -> None:
    """Blocked while it was to be rebuilt: the commits of who was stopped are taken out before any suite."""
    world.agent(1, "echo 1 > bad.txt")
    world.agents(2)
    blocked_on_a_red_suite(world, 1, 2)
    world.stop("1")
    world.clone.store.apply(lambda draft: block(draft, "b1", "reconcile-error", "Rebuild: trouble"))
    world.resume("b1")
    assert world.batch().status is BatchStatus.EVICTING
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert "bad.txt" not in world.paths(INTEGRATION)


def test_two_drivers_that_land_the_same_member_block_nothing(world: World) -> None:
    """The other one lands it between the look at the state and the look at the branch."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)

    def is_verified() -> bool:
        return world.member(1).status is MemberStatus.VERIFIED

    change = once(lambda: carry_out(world, Land("b1", 1)), is_verified)

    def held_in(real: Call, *words: Any) -> Any:
        return change(real, *words)

    world.driver_with(refs=Relay(world.clone.refs, held_in=held_in)).run(Until.IDLE)
    assert world.batch().status is BatchStatus.DONE
    assert not world.told("batch-blocked")


def test_a_batch_that_ends_meanwhile_is_not_blocked(world: World) -> None:
    """An operator stops it while a tree for its suite is refused: the driver goes on, and it stays stopped."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)

    def acquire(real: Call, owner: str, *words: Any, **named: Any) -> Any:
        if "/suite/" not in owner:
            return real(owner, *words, **named)
        world.stop("i1")
        return TreeRefused(reason="disk-floor", detail="full")

    world.driver_with(trees=Relay(world.clone.trees, acquire=acquire)).run(Until.IDLE)
    assert world.batch("i1").status is BatchStatus.STOPPED


def test_a_block_that_was_decided_on_something_else_is_dropped(world: World) -> None:
    """What it was decided on is looked at again under the record."""
    a_landed_batch(world, 1, 2)
    members = world.state.members_of(world.batch())
    carry_out(world, Block("b1", "pr-head-moved", ("shipping head",)))
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    carry_out(world, Block("b1", "pr-head-moved", basis_of(world.batch(), members)))
    assert world.batch().status is BatchStatus.BLOCKED


def test_a_lock_at_the_moment_of_the_merge_is_waited_for(world: World) -> None:
    """Another process holds the target's lock during one attempt; the next one merges."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    run_git(world.repo, "switch", "-q", "--detach")
    lock, tries = world.repo / ".git/refs/heads/main.lock", []

    def merge(real: Call, *words: Any) -> Any:
        tries.append(words)
        if len(tries) > 1:
            return real(*words)
        lock.touch()
        try:
            return real(*words)
        finally:
            lock.unlink()

    clone = Clone(world.repo)
    around = replace(clone.surroundings(), forge=Relay(clone.forge, merge=merge))
    Driver(around, clone.settings, contained).run(Until.IDLE)
    world.run()
    assert world.batch("i1").status is BatchStatus.DONE
    assert not world.told("batch-blocked")


def test_somebody_elses_commit_stops_a_rebuild_with_its_reason(world: World) -> None:
    """It is left where it is, and a person is asked; taken off again, the batch goes on."""
    a_landed_batch(world, 1, 2)
    head, mine = world.batch().integration.head or "", foreign_commit(world)
    world.stop("1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "landing-failed")
    assert run_git(world.repo, "rev-parse", INTEGRATION) == mine
    run_git(world.repo, "update-ref", REF, head)
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert "file1.txt" not in world.paths(INTEGRATION)


def test_a_ref_that_a_rebuild_left_behind_is_set_right(world: World) -> None:
    """The record has moved to the rebuilt branch and its ref has not: it stands at a head of before."""
    a_landed_batch(world, 1, 2, 3)
    before = world.batch().integration.head or ""
    world.stop("1")
    carry_out(world, Rebuild("b1"))
    rebuilt = world.batch().integration.head
    assert rebuilt != before
    run_git(world.repo, "update-ref", REF, before)
    world.run()
    assert run_git(world.repo, "rev-parse", INTEGRATION) == world.batch().integration.head == rebuilt
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert world.told("landing-repaired")


def test_a_branch_that_a_person_looks_at_is_not_deleted(world: World) -> None:
    """Teardown leaves it, and names it and its place among what is left over."""
    a_landed_batch(world, 1, 2)
    run_git(world.repo, "switch", "-q", INTEGRATION)
    world.merge()
    world.run()
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert f"{INTEGRATION}: it is checked out in '{world.repo}'" in batch.leftovers
    assert run_git(world.repo, "status", "--porcelain") == ""


def test_nothing_lands_on_a_branch_that_a_person_looks_at(world: World) -> None:
    """Its files would not follow: the batch is blocked with the place, and goes on once it is free."""
    a_landed_batch(world, 1, 2)
    run_git(world.repo, "switch", "-q", INTEGRATION)
    head = run_git(world.repo, "rev-parse", "HEAD")
    world.stop("1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "landing-failed")
    assert str(world.repo) in str(world.told("batch-blocked")[-1].fields["detail"])
    assert run_git(world.repo, "rev-parse", "HEAD") == head
    run_git(world.repo, "switch", "-q", "main")
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
