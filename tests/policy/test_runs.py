"""What each lease, job and tree needs next."""

from typing import Any

import pytest

from gitsched.domain.effects import (
    AcceptHeld,
    ClaimGate,
    ConcludeMember,
    EndJob,
    EndLeases,
    Launch,
    Recover,
    ReleaseTree,
    RestartJob,
    SettleJob,
    SettleRun,
    StopAgent,
)
from gitsched.domain.records import GateResult
from gitsched.domain.runs import RunEnd
from gitsched.domain.words import BatchStatus, JobKind, Liveness, MemberStatus, MilestoneStatus, RunStatus
from gitsched.policy.plan import plan
from gitsched.policy.runs import job_steps, lease_steps, next_timer_s, tree_steps, unleased_steps
from tests.policy.situations import (
    HOST,
    NOW,
    a_batch,
    a_driver,
    a_job,
    a_lease,
    a_look,
    a_member,
    a_run,
    a_situation,
    a_state,
    at,
    said,
    settings,
)

KEY = ("b1", 1)
GATE = '[[gates]]\nname = "unit"\nrun = ["true"]\nkind = "check"\n'
RUNNING = a_member(1, MemberStatus.RUNNING, gen=0)
ENDED = a_run(end=RunEnd(code=0, at=NOW))
"""A run that has ended by itself."""


def test_who_has_left_or_is_over_ends_its_run() -> None:
    """A member that is not there any more, one that left, a batch that is over."""
    left = a_member(1, MemberStatus.STOPPED)
    over = a_batch(1, status=BatchStatus.STOPPED)
    for state in (a_state(a_lease(1)), a_state(a_batch(1), left, a_lease(1)), a_state(over, RUNNING, a_lease(1))):
        assert list(lease_steps(a_situation(state))) == [EndLeases("b1", 1)]


def test_a_lease_is_launched_by_who_holds_it() -> None:
    """R-59: when that driver is gone the next generation starts; one of which nothing is known is left alone."""
    member = a_member(1, MemberStatus.PREPARING, gen=0)
    mine = a_state(a_batch(1), member, a_lease(1, RunStatus.ASSIGNED))
    assert list(lease_steps(a_situation(mine))) == [Launch("b1", 1, 0)]
    setting_up = mine.put(a_job("setup-1"))
    assert list(lease_steps(a_situation(setting_up))) == []
    early = a_state(a_batch(1), member, a_lease(1, RunStatus.RECOVERING, not_before_at=at(61)))
    assert list(lease_steps(a_situation(early))) == []
    assert next_timer_s(a_situation(early)) == 60
    theirs = a_state(a_batch(1), member, a_lease(1, RunStatus.ASSIGNED, driver="other"))
    assert list(lease_steps(a_situation(theirs))) == [Recover("b1", 1, 0, "driver-lost")]
    known = theirs.put(a_driver("other"))
    assert list(lease_steps(a_situation(known))) == []


def test_a_run_that_has_ended_is_settled() -> None:
    """Once its worker has written down how."""
    state = a_state(a_batch(1), RUNNING, a_lease(1))
    assert list(lease_steps(a_situation(state, runs={KEY: a_look(ENDED)}))) == [SettleRun("b1", 1, 0)]
    exited = a_state(a_batch(1), RUNNING, a_lease(1, RunStatus.EXITED))
    assert list(lease_steps(a_situation(exited, runs={KEY: a_look(ENDED)}))) == []
    assert list(lease_steps(a_situation(state))) == []


def test_r_61_a_lost_worker_s_agent_is_ended_first() -> None:
    """R-61: then the next generation starts; a worker that another driver is about to start is not lost."""
    state = a_state(a_batch(1), RUNNING, a_lease(1))
    behind = a_look(a_run(), worker=Liveness.GONE, agent=Liveness.ALIVE)
    assert list(lease_steps(a_situation(state, runs={KEY: behind}))) == [StopAgent("b1", 1, 0, kill=True)]
    gone = a_look(None, worker=Liveness.GONE, agent=Liveness.GONE)
    assert list(lease_steps(a_situation(state, runs={KEY: gone}))) == [Recover("b1", 1, 0, "worker-lost")]
    theirs = a_state(a_batch(1), RUNNING, a_lease(1, driver="other"))
    assert list(lease_steps(a_situation(theirs, runs={KEY: gone}))) == [Recover("b1", 1, 0, "worker-lost")]
    alive = theirs.put(a_driver("other"))
    facts: dict[str, Any] = {"runs": {KEY: gone}, "drivers": {"other": Liveness.ALIVE}}
    assert list(lease_steps(a_situation(alive, **facts))) == []


def test_r_37_a_last_word_is_followed_by_term_and_kill() -> None:
    """R-37: a little later, and never twice."""
    state = a_state(a_batch(1), RUNNING, a_lease(1))
    done = a_look(a_run(said(MilestoneStatus.DONE, when=NOW)))
    assert next_timer_s(a_situation(state, runs={KEY: done})) == 10
    assert list(lease_steps(a_situation(state, runs={KEY: done}))) == []
    late = a_look(a_run(said(MilestoneStatus.DONE, when=at(59))))
    assert list(lease_steps(a_situation(state, runs={KEY: late}))) == [StopAgent("b1", 1, 0, kill=False)]


def test_gates_are_claimed_one_by_one_and_then_concluded() -> None:
    """Also of a member that needs no slot for it; one that was let through is taken up first."""
    config = settings(GATE)
    judging = a_member(1, MemberStatus.VERIFYING, gen=0)
    leased = a_state(a_batch(1), judging, a_lease(1, RunStatus.VERIFYING))
    assert list(lease_steps(a_situation(leased, config))) == [ClaimGate("b1", 1, "unit")]
    assert list(lease_steps(a_situation(leased.put(a_job("gate-1-unit")), config))) == []
    assert list(lease_steps(a_situation(leased))) == [ConcludeMember("b1", 1)]
    elsewhere = a_state(a_batch(1), RUNNING, a_lease(1, RunStatus.VERIFYING))
    assert list(lease_steps(a_situation(elsewhere))) == []
    judged = a_member(1, MemberStatus.VERIFYING, gen=0, gates={"unit": GateResult(verdict="passed")})
    free = a_state(a_batch(1), judged)
    assert [type(step) for step in unleased_steps(a_situation(free))] == [ConcludeMember]
    accepted = a_state(a_batch(1), a_member(1, MemberStatus.VERIFYING, reason="out-of-scope: x"))
    assert list(unleased_steps(a_situation(accepted))) == [AcceptHeld("b1", 1)]
    held = a_state(a_batch(1), a_member(1, MemberStatus.VERIFYING, hold="out-of-scope"))
    assert list(unleased_steps(a_situation(held))) == []
    waiting = a_state(a_batch(1), a_member(1))
    assert list(unleased_steps(a_situation(waiting))) == []


def test_a_job_is_settled_or_run_again() -> None:
    """Its end is recorded; without one, and without a process, it is run again; not while a driver is about to."""
    state, key = a_state(a_batch(1), a_job()), ("b1", "suite")
    assert list(job_steps(a_situation(state))) == []
    assert list(job_steps(a_situation(state, jobs={key: a_look(ENDED)}))) == [SettleJob("b1", "suite")]
    assert list(job_steps(a_situation(state, jobs={key: a_look(a_run())}))) == []
    gone = a_look(None, worker=Liveness.GONE)
    assert list(job_steps(a_situation(state, jobs={key: gone}))) == [RestartJob("b1", "suite")]
    theirs = a_state(a_batch(1), a_job(driver="other"), a_driver("other"))
    facts: dict[str, Any] = {"jobs": {key: gone}, "drivers": {"other": Liveness.ALIVE}}
    assert list(job_steps(a_situation(theirs, **facts))) == []
    begun: dict[str, Any] = {"jobs": {key: a_look(a_run(), worker=Liveness.GONE)}, "drivers": {"other": Liveness.ALIVE}}
    assert list(job_steps(a_situation(theirs, **begun))) == [RestartJob("b1", "suite")]


def test_trees_go_back_when_nobody_needs_them() -> None:
    """Of members that are resolved or over, on this host; not of one that keeps its tree."""
    there: dict[str, Any] = {"tree": "/trees/1", "tree_host": HOST}
    landed = a_member(1, MemberStatus.LANDED, **there)
    assert list(tree_steps(a_situation(a_state(a_batch(1), landed)), HOST)) == [ReleaseTree("b1", 1)]
    assert list(tree_steps(a_situation(a_state(a_batch(1), landed)), "elsewhere")) == []
    assert list(tree_steps(a_situation(a_state(a_batch(1), landed, a_lease(1))), HOST)) == []
    at_work = a_job("gate", issue=1, place="/trees/1")
    assert list(tree_steps(a_situation(a_state(a_batch(1), landed, at_work)), HOST)) == []
    kept = a_member(1, MemberStatus.LANDED, keeps_tree=True, **there)
    assert list(tree_steps(a_situation(a_state(a_batch(1), kept)), HOST)) == []
    over = a_state(a_batch(1, status=BatchStatus.STOPPED), kept)
    assert list(tree_steps(a_situation(over), HOST)) == [ReleaseTree("b1", 1)]
    waiting = a_member(1, **there)
    assert list(tree_steps(a_situation(a_state(a_batch(1), waiting)), HOST)) == []


def test_lost_drivers_are_marked_first() -> None:
    """Before anything that depends on it."""
    state = a_state(a_driver("other"))
    decided = plan(a_situation(state, drivers={"other": Liveness.GONE}))
    assert [type(effect).__name__ for effect in decided.effects] == ["LoseDriver"]


def test_a_job_that_nobody_needs_is_ended() -> None:
    """Its batch is over."""
    key = ("b1", "suite")
    over = a_state(a_batch(1, status=BatchStatus.STOPPED), a_job())
    assert list(job_steps(a_situation(over, jobs={key: a_look(a_run())}))) == [EndJob("b1", "suite")]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (JobKind.STEP, BatchStatus.ATTRIBUTING),
        (JobKind.TRIAL, BatchStatus.ATTRIBUTING),
        (JobKind.FIX, BatchStatus.FIXING),
        (JobKind.DEPLOY, BatchStatus.MERGED),
    ],
)
def test_a_job_of_a_search_or_a_fix_ends_with_what_it_is_for(kind: JobKind, status: BatchStatus) -> None:
    key = ("b1", "job")
    for now in (status, BatchStatus.BLOCKED):
        state = a_state(a_batch(1, status=now), a_member(1, MemberStatus.LANDED), a_job("job", kind=kind))
        wanted = [] if now is status else [EndJob("b1", "job")]
        assert list(job_steps(a_situation(state, jobs={key: a_look(a_run())}))) == wanted
