"""Which host does what, and that nothing is decided while the remote is away."""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.effects import EndJob, Recover, ReleaseTree, SettleRun
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Holder
from gitsched.domain.runs import RunEnd
from gitsched.domain.words import Liveness, MemberStatus, RunStatus
from gitsched.policy.plan import plan
from gitsched.policy.situation import Situation
from tests.policy.situations import (
    a_batch,
    a_job,
    a_lease,
    a_look,
    a_member,
    a_run,
    a_situation,
    a_state,
    an_entry,
    at,
)

THERE = Holder(host="there", boot_id="boot", pid=9, started="9", driver="other")


def heard(liveness: Liveness, *records: Any, **facts: Any) -> Situation:
    """Build a situation in which that is known of another host."""
    situation = a_situation(a_state(*records), **facts)
    return replace(situation, facts=replace(situation.facts, hosts={"there": liveness}))


def leased(status: RunStatus = RunStatus.RUNNING) -> tuple[Any, ...]:
    """Build issue 1 at work on the other host."""
    member = a_member(1, MemberStatus.RUNNING, tree="/there/1", tree_host="there", cut="base")
    return an_entry(1), member, a_batch(1), replace(a_lease(1, status), holder=THERE)


def test_a_run_of_another_host_is_left_to_its_drivers() -> None:
    for liveness in (Liveness.ALIVE, Liveness.UNKNOWN):
        gone = a_look(None, Liveness.GONE)
        assert plan(heard(liveness, *leased(), runs={("b1", 1): gone})).effects == ()


def test_r_64_a_run_of_a_host_that_is_gone_is_taken_over() -> None:
    """R-64, A-20: with the next generation, whatever the run was at, once the ttl has passed."""
    for status in (RunStatus.ASSIGNED, RunStatus.RUNNING, RunStatus.VERIFYING):
        decided = plan(heard(Liveness.GONE, *leased(status), runs={("b1", 1): a_look()}))
        assert decided.effects == (Recover("b1", 1, 0, "driver-lost"),)


def test_a_far_run_is_anybodys_whatever_became_of_the_host_that_asked_for_it() -> None:
    for liveness in (Liveness.ALIVE, Liveness.GONE):
        ended = a_look(a_run(end=RunEnd(code=0, at=at(58))), Liveness.GONE, is_far=True)
        assert plan(heard(liveness, *leased(), runs={("b1", 1): ended})).effects == (SettleRun("b1", 1, 0),)
        waits = a_look(None, Liveness.UNKNOWN, is_far=True)
        assert plan(heard(liveness, *leased(), runs={("b1", 1): waits})).effects == ()
        lost = a_look(None, Liveness.GONE, is_far=True)
        assert plan(heard(liveness, *leased(), runs={("b1", 1): lost})).effects == (Recover("b1", 1, 0, "worker-lost"),)


def test_what_follows_a_far_run_is_left_to_the_host_that_has_it() -> None:
    look = a_look(a_run(), Liveness.GONE, is_far=True)
    assert plan(heard(Liveness.ALIVE, *leased(RunStatus.VERIFYING), runs={("b1", 1): look})).effects == ()


def test_r_64_a_clock_that_is_ahead_elsewhere_decides_nothing() -> None:
    """R-64: its instants are two hours from now, and its host is alive: nothing is taken over, whatever they say."""
    ahead = "2026-01-01T14:00:00.000Z"
    *others, lease = leased()
    told = replace(lease, acquired_at=ahead, spawned_at=ahead)
    for liveness in (Liveness.ALIVE, Liveness.UNKNOWN):
        assert plan(heard(liveness, *others, told, runs={("b1", 1): a_look()})).effects == ()
    gone = plan(heard(Liveness.GONE, *others, told, runs={("b1", 1): a_look()}))
    assert gone.effects == (Recover("b1", 1, 0, "driver-lost"),)


def test_a_job_of_a_host_that_is_gone_is_dropped() -> None:
    job = replace(a_job(), owner=THERE)
    looks = {("b1", "suite"): a_look(None, Liveness.GONE)}
    records = (a_batch(1), a_member(1, MemberStatus.LANDED), job)
    assert EndJob("b1", "suite") in plan(heard(Liveness.GONE, *records, jobs=looks)).effects
    assert EndJob("b1", "suite") not in plan(heard(Liveness.ALIVE, *records, jobs=looks)).effects


def test_a_member_that_is_judged_elsewhere_is_left_alone() -> None:
    member = a_member(1, MemberStatus.VERIFYING, tree="/there/1", tree_host="there", head="h", cut="base")
    assert plan(heard(Liveness.ALIVE, a_batch(1), member)).effects == ()
    assert plan(heard(Liveness.GONE, a_batch(1), member)).effects != ()


def test_a_tree_of_another_host_is_not_given_back_here() -> None:
    member = a_member(1, MemberStatus.LANDED, tree="/there/1", tree_host="there")
    effects = plan(heard(Liveness.ALIVE, a_batch(1), member)).effects
    assert not [effect for effect in effects if isinstance(effect, ReleaseTree)]


def test_l_36_without_the_remote_nothing_is_decided() -> None:
    """L-36: everybody who waits, and whoever is verified, waits for the remote; nothing is settled or given up."""
    first = a_member(1, MemberStatus.RUNNING)
    records = (an_entry(1), an_entry(3), first, a_member(2, MemberStatus.VERIFIED), a_batch(1, 2), a_lease(1))
    situation = a_situation(a_state(*records), runs={("b1", 1): a_look(None, Liveness.GONE)})
    assert any(isinstance(effect, Recover | SettleRun) for effect in plan(situation).effects)
    away = replace(situation, facts=replace(situation.facts, remote=Unreachable(what="origin", detail="no route")))
    decided = plan(away)
    assert decided.effects == ()
    assert decided.waits[2] == ("landing-order:1", "remote-unreachable")
    assert decided.waits[3][-1] == "remote-unreachable"
