"""Milestones that agents post as comments, on the whole engine."""

from gitsched.codec.milestones import HEADER
from gitsched.domain.commands import Role
from gitsched.domain.forge import IssueDraft
from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Until
from gitsched.wiring.clone import Clone
from gitsched.wiring.commands import local_conversation_of
from tests.engine.patience import ticks_until
from tests.engine.relay import Relay
from tests.engine.world import World
from tests.real_git import run_git


def waiting(world: World, more: str = "") -> None:
    """Have an agent that commits and then waits, with nothing to say but on the forge."""
    world.configure(more, completion="milestone")
    world.issues(1)
    world.agent(1, ends="exec sleep 50")
    world.enqueue(1, batch="b1")
    ticks_until(world, lambda _: bool(world.started()) and head(world) != base(world))


def head(world: World) -> str:
    return run_git(world.repo, "rev-parse", world.member(1).branch)


def base(world: World) -> str:
    return world.member(1).cut or ""


def comment(status: str, *more: str) -> str:
    return "\n".join([HEADER, "phase=review", f"status={status}", "batch=b1", "issue=1", "gen=0", *more])


def test_r_36_a_comment_counts_from_whoever_may_write_and_its_first_value_wins(world: World) -> None:
    """R-36: with read access it has no effect at all; with write access the first of two heads counts."""
    waiting(world)
    tip = head(world)
    world.tracker.comment(1, comment("done", f"head={tip}", f"head={'0' * 40}"))
    reads = Relay(local_conversation_of(Clone(world.repo)), role_of=lambda _real, _person: Role.READ)
    world.driver_with(talk=lambda: reads).run(Until.ONCE)
    assert world.state.leases
    assert world.member(1).head is None
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.member(1).head == tip


def test_a_comment_of_an_older_generation_or_on_another_issue_does_not_count(world: World) -> None:
    waiting(world)
    world.tracker.comment(1, comment("done").replace("gen=0", "gen=7"))
    other = world.tracker.new_issue(IssueDraft(title="Another"))
    world.tracker.comment(other, comment("done"))
    for _ in range(3):
        world.tick()
    assert world.state.leases
    world.tracker.comment(1, comment("blocked", "reason=Cannot do it"))
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "Cannot do it")


def test_the_older_trail_counts_only_where_it_is_asked_for(world: World) -> None:
    waiting(world, '[milestones]\nformats = ["gitsched", "runstate"]\n')
    world.tracker.comment(1, "<!-- runstate:v1 -->\nphase=review status=done run=r at=now\nmode=slot\nbatch=b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
