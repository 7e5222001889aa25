"""Runs: what each lease and each job needs next.

1. A lease without a worker is launched by the driver that holds it; when that driver is gone, whoever sees it starts
   the next generation. Nobody takes over from a driver that lives, or of which nothing is known.
2. A run that has ended is settled. One that is to end is stopped; one that shows no sign of life is stalled, and taken
   over once nothing of it lives.
3. A worker that is gone without having recorded an end leaves its agent behind: that is ended before anything else.
4. A run that a worker elsewhere has is anybody's: which host asked for it, and whether that still lives, is nothing to
   it.
5. A job whose process is gone without an end is run again. One that nobody needs any more is ended.

See docs/explanation/architecture.md, "How an agent is run".
"""

from collections.abc import Iterator
from typing import assert_never

from gitsched.domain.dispatch_effects import TakeOver, YieldSlot
from gitsched.domain.effects import (
    AcceptHeld,
    ClaimGate,
    ConcludeMember,
    Effect,
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
from gitsched.domain.instants import seconds_between
from gitsched.domain.records import Batch, Job, Lease, Member
from gitsched.domain.runs import RunLook
from gitsched.domain.words import (
    LEFT_MEMBERS,
    RESOLVED_MEMBERS,
    TERMINAL_BATCHES,
    BatchStatus,
    JobKind,
    Liveness,
    MemberStatus,
    RunStatus,
)
from gitsched.policy.errands import STAGES
from gitsched.policy.gates import next_gate
from gitsched.policy.health import is_limited, stops_everything
from gitsched.policy.hosts import is_elsewhere, is_orphaned
from gitsched.policy.launching import not_to_start
from gitsched.policy.situation import Situation
from gitsched.policy.stall import STALLED, stall_of, stalls_in_s
from gitsched.policy.stopping import is_needless, next_stop_at, stop_step


def lease_steps(situation: Situation) -> Iterator[Effect]:
    """Name what each lease needs next, in the order of their units."""
    for key in sorted(situation.state.leases):
        lease = situation.state.leases[key]
        member = situation.state.members.get(key)
        batch = situation.state.batches.get(lease.batch)
        is_far = _is_far(situation, lease)
        if not is_far and is_elsewhere(situation, lease.holder.host):
            continue
        if member is None or batch is None or is_needless(situation.state, lease):
            yield from _needless_step(situation, lease)
        elif not is_far and is_orphaned(situation, lease.holder.host):
            yield Recover(lease.batch, lease.issue, lease.gen, "driver-lost")
        else:
            yield from _lease_step(situation, lease, member, batch)


def _is_far(situation: Situation, lease: Lease) -> bool:
    """Say whether a run goes on at a worker elsewhere, whatever became of the host that asked for it."""
    look = situation.facts.runs.get((lease.batch, lease.issue))
    return look is not None and look.is_far and lease.status is RunStatus.RUNNING


def _needless_step(situation: Situation, lease: Lease) -> Iterator[Effect]:
    """End what lives of a run that nobody needs; when nothing does, its slot is given back."""
    look = situation.facts.runs.get((lease.batch, lease.issue))
    if look is not None and _lives(look):
        yield from stop_step(situation, lease, look)
    else:
        yield EndLeases(lease.batch, lease.issue)


def _lives(look: RunLook) -> bool:
    has_ended = look.record is not None and look.record.end is not None
    return not has_ended and Liveness.ALIVE in (look.worker, look.agent)


def _lease_step(situation: Situation, lease: Lease, member: Member, batch: Batch) -> Iterator[Effect]:
    match lease.status:
        case RunStatus.ASSIGNED | RunStatus.RECOVERING:
            yield from _launch_step(situation, lease)
        case RunStatus.RUNNING:
            yield from _running_step(situation, lease)
        case RunStatus.VERIFYING:
            yield from _verifying_step(situation, member, batch)
        case RunStatus.EXITED | RunStatus.COMPLETE | RunStatus.FAILED:
            pass  # each is passed through within one transaction, and never stands in the state
        case _:
            assert_never(lease.status)


def _launch_step(situation: Situation, lease: Lease) -> Iterator[Effect]:
    if lease.not_before_at is not None and situation.facts.now < lease.not_before_at:
        return
    if (lease.batch, setup_job(lease.issue)) in situation.state.jobs:
        return
    refused = not_to_start(situation, lease)
    if refused is not None:
        yield YieldSlot(lease.batch, lease.issue, lease.gen, refused)
        return
    if lease.holder.driver == situation.facts.driver:
        control = situation.state.control
        if not stops_everything(control) and not is_limited(control, lease.profile, situation.facts.now):
            yield Launch(lease.batch, lease.issue, lease.gen)
    elif situation.driver_is(lease.holder.driver) is Liveness.GONE:
        yield Recover(lease.batch, lease.issue, lease.gen, "driver-lost")


def _running_step(situation: Situation, lease: Lease) -> Iterator[Effect]:
    look = situation.facts.runs.get((lease.batch, lease.issue))
    if look is None:
        return
    if look.record is not None and look.record.end is not None:
        yield SettleRun(lease.batch, lease.issue, lease.gen)
    elif lease.worked_by is not None:
        return
    elif lease.reason == STALLED:
        yield from _stalled_step(situation, lease, look)
    elif look.worker is Liveness.GONE and _start_is_over(situation, lease, look):
        if look.agent is Liveness.ALIVE:
            yield StopAgent(lease.batch, lease.issue, lease.gen, kill=True)
        else:
            yield Recover(lease.batch, lease.issue, lease.gen, "worker-lost")
    else:
        yield from stop_step(situation, lease, look)
        stall = stall_of(situation, lease, look)
        if stall is not None:
            yield stall


def _start_is_over(situation: Situation, lease: Lease, look: RunLook) -> bool:
    """Say whether a worker that is not there is one that is gone, and not one that is about to be."""
    if look.is_far or look.record is not None or lease.holder.driver == situation.facts.driver:
        return True
    return situation.driver_is(lease.holder.driver) is Liveness.GONE


def _stalled_step(situation: Situation, lease: Lease, look: RunLook) -> Iterator[Effect]:
    """End what is left of a stalled run; when nothing is, its work is taken over."""
    if Liveness.ALIVE in (look.worker, look.agent):
        yield from stop_step(situation, lease, look)
    elif look.worker is Liveness.GONE:
        yield TakeOver(lease.batch, lease.issue, lease.gen)


def _verifying_step(situation: Situation, member: Member, batch: Batch) -> Iterator[Effect]:
    if member.status is not MemberStatus.VERIFYING:
        return
    settings = situation.settings_of(batch)
    gate = next_gate(member, settings)
    if gate is None:
        yield ConcludeMember(batch.id, member.issue)
    elif (batch.id, gate_job(member.issue, gate.name)) not in situation.state.jobs:
        yield ClaimGate(batch.id, member.issue, gate.name)


def unleased_steps(situation: Situation) -> Iterator[Effect]:
    """Name what members need that are being verified without a slot: their hold was lifted by an operator."""
    for key in sorted(situation.state.members):
        member = situation.state.members[key]
        batch = situation.state.batches.get(member.batch)
        if batch is None or key in situation.state.leases or member.hold is not None:
            continue
        if is_elsewhere(situation, member.tree_host):
            continue
        if member.status is MemberStatus.VERIFYING and batch.status is BatchStatus.EXECUTING:
            if member.reason is not None:
                yield AcceptHeld(member.batch, member.issue)
            else:
                yield from _verifying_step(situation, member, batch)


def gate_job(issue: int, gate: str) -> str:
    """Name the job that runs a gate on a member."""
    return f"gate-{issue}-{gate}"


def setup_job(issue: int) -> str:
    """Name the job that makes a member's tree ready."""
    return f"setup-{issue}"


SUITE_JOB = "suite"
DEPLOY_JOB = "deploy"
"""Name of the job that runs a batch's suite."""

CONFIRMING = "confirm"
"""What a tree is lent for, by its driver alone and for a moment, in which a conflict is confirmed."""


def job_steps(situation: Situation) -> Iterator[Effect]:
    """Name what each job needs next, in the order of their names."""
    for key in sorted(situation.state.jobs):
        job = situation.state.jobs[key]
        look = situation.facts.jobs.get(key)
        if look is None or is_elsewhere(situation, job.owner.host):
            continue
        if is_orphaned(situation, job.owner.host) or _is_needless(situation, job):
            yield EndJob(job.batch, job.name)
        elif look.record is not None and look.record.end is not None:
            yield SettleJob(job.batch, job.name)
        elif look.worker is Liveness.GONE and _job_start_is_over(situation, job, look):
            yield RestartJob(job.batch, job.name)


def _is_needless(situation: Situation, job: Job) -> bool:
    """Say whether a job's batch is over, what it searches for is not asked any more, or its member has left."""
    batch = situation.state.batches.get(job.batch)
    if batch is None or batch.status in TERMINAL_BATCHES:
        return True
    if job.kind in (JobKind.STEP, JobKind.TRIAL) and batch.status is not BatchStatus.ATTRIBUTING:
        return True
    if any(job.kind is kind and batch.status is not status for status, kind in STAGES.items()):
        return True
    if job.kind is JobKind.DEPLOY and batch.status is not BatchStatus.MERGED:
        return True
    member = situation.state.members.get((job.batch, job.issue)) if job.issue is not None else None
    return member is not None and member.status in LEFT_MEMBERS


def _job_start_is_over(situation: Situation, job: Job, look: RunLook) -> bool:
    if look.record is not None or job.owner.driver == situation.facts.driver:
        return True
    return situation.driver_is(job.owner.driver) is Liveness.GONE


def tree_steps(situation: Situation, host: str) -> Iterator[Effect]:
    """Name the trees on this host that their members need no more."""
    for key in sorted(situation.state.members):
        member = situation.state.members[key]
        batch = situation.state.batches.get(member.batch)
        if member.tree is None or member.tree_host != host or key in situation.state.leases or batch is None:
            continue
        if any(job.place == member.tree for job in situation.state.jobs_of(batch.id)):
            continue
        is_over = batch.status in TERMINAL_BATCHES
        if (member.status in RESOLVED_MEMBERS and not member.keeps_tree) or is_over:
            yield ReleaseTree(member.batch, member.issue)


def next_timer_s(situation: Situation) -> float | None:
    """Tell in how many seconds the first lease needs something although nothing happens; None: never."""
    due = [
        max(0.0, in_s)
        for key, lease in situation.state.leases.items()
        for in_s in _lease_timers_s(situation, lease, situation.facts.runs.get(key))
    ]
    return min(due, default=None)


def _lease_timers_s(situation: Situation, lease: Lease, look: RunLook | None) -> Iterator[float]:
    now = situation.facts.now
    # What was due before now does not start by time alone: something else is in its way.
    if lease.status in (RunStatus.ASSIGNED, RunStatus.RECOVERING) and (lease.not_before_at or now) > now:
        yield seconds_between(now, lease.not_before_at or now)
    is_over = is_needless(situation.state, lease)
    if look is None or (look.record is not None and look.record.end is not None):
        return
    if lease.status is not RunStatus.RUNNING and not is_over:
        return
    stop_at = next_stop_at(situation, lease, look)
    if stop_at is not None and _lives(look):
        yield seconds_between(now, stop_at)
    stalls_in = None if is_over else stalls_in_s(situation, lease, look)
    if stalls_in is not None:
        yield stalls_in
