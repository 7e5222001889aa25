"""Batches: what each live batch needs next.

1. Members land in member order: the first unresolved one is landed when it is verified, else it is what is waited for.
2. Nothing is validated before every member is resolved, and nothing ships that the suite has not judged.
3. A batch of which nothing landed and everyone has left is dissolved; so is one that lost too many before anything
   landed. What has landed is never thrown away.
4. A waiting member whose dependency in the batch has left leaves with it.

See docs/reference/states.md, "Batch".
"""

from collections.abc import Iterator
from typing import assert_never

from gitsched.domain.effects import (
    AcceptMerge,
    Block,
    ClaimGate,
    ClaimSuite,
    CloseRequest,
    Deploy,
    Dissolve,
    Effect,
    Evict,
    FinishDissolve,
    Land,
    OpenRequest,
    Rebuild,
    Report,
    Review,
    StartBatch,
    TearDown,
    Validate,
)
from gitsched.domain.forge import PullRequestView
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.search_effects import Attribute, ClaimFix, ConcludeSearch, RunStep
from gitsched.domain.ship_effects import Split
from gitsched.domain.words import (
    LEFT_MEMBERS,
    PROVING_BATCHES,
    RESOLVED_MEMBERS,
    BatchStatus,
    MemberStatus,
    Method,
    PullRequestState,
)
from gitsched.policy.budget import has_whole_steps, suite_refusal
from gitsched.policy.consequence import GateConsequence
from gitsched.policy.dissolve import has_landed_work, has_stale_work, is_passed, nobody_is_left
from gitsched.policy.entries import EXTERNAL_ADVANCE
from gitsched.policy.errands import REPORT_JOB, REVIEW_JOB, errand_wait
from gitsched.policy.evictions import exit_of
from gitsched.policy.gates import fold_of
from gitsched.policy.halves import is_to_be_split
from gitsched.policy.inquest import Steps, free_slots, inquest, search_jobs
from gitsched.policy.mending import FIX_JOB
from gitsched.policy.reconcile import reconcile_steps, retiring_steps
from gitsched.policy.rollout import is_out, rollout_steps
from gitsched.policy.runs import DEPLOY_JOB, SUITE_JOB, gate_job
from gitsched.policy.situation import Situation, basis_of, first_unresolved, landed
from gitsched.policy.watch import open_steps

_BEFORE_MERGE = PROVING_BATCHES | {BatchStatus.READY, BatchStatus.EXECUTING}
"""From here a batch that nobody is left in is given up."""
_AS_THEY_ARE = RESOLVED_MEMBERS | {MemberStatus.VERIFIED}
"""Members that start a batch by being there: nobody of them waits for a slot."""


def batch_steps(situation: Situation) -> Iterator[Effect]:
    """Name what each live batch needs next, in the order of their ids."""
    for batch in situation.state.batches_in_order():
        yield from _batch_step(situation, batch)


def _batch_step(situation: Situation, batch: Batch) -> Iterator[Effect]:
    members = situation.state.members_of(batch)
    if batch.status in _BEFORE_MERGE and members and nobody_is_left(members):
        yield Dissolve(batch.id, "no-landed-members")
        return
    match batch.status:
        case BatchStatus.READY | BatchStatus.EXECUTING:
            yield from _executing_step(situation, batch, members)
        case BatchStatus.VALIDATING:
            yield from _validating_step(situation, batch)
        case BatchStatus.ATTRIBUTING:
            yield from _attributing_step(situation, batch)
        case BatchStatus.EVICTING | BatchStatus.REBASING:
            yield _standing_step(batch)
        case BatchStatus.REVALIDATING:
            yield Validate(batch.id)
        case BatchStatus.REVIEWING:
            yield from _errand_step(situation, batch, REVIEW_JOB, Review)
        case BatchStatus.SHIPPING:
            yield OpenRequest(batch.id)
        case BatchStatus.AWAITING_MERGE:
            yield from _merge_step(situation, batch)
        case BatchStatus.MERGED:
            yield from _merged_step(situation, batch)
        case BatchStatus.DEPLOYED:
            yield from _errand_step(situation, batch, REPORT_JOB, Report)
        case BatchStatus.REPORTED:
            yield TearDown(batch.id)
        case BatchStatus.DISSOLVING:
            yield FinishDissolve(batch.id)
        case BatchStatus.DISSOLVED | BatchStatus.STOPPED:
            yield from retiring_steps(batch)
        case BatchStatus.BLOCKED:
            yield from _late_merge_step(situation, batch)
        case BatchStatus.FIXING:
            yield from _errand_step(situation, batch, FIX_JOB, ClaimFix)
        case BatchStatus.FORMING | BatchStatus.DONE:
            pass
        case _:
            assert_never(batch.status)


def _standing_step(batch: Batch) -> Effect:
    is_split = batch.status is BatchStatus.REBASING and is_to_be_split(batch)
    return Split(batch.id) if is_split else Rebuild(batch.id)


def _validating_step(situation: Situation, batch: Batch) -> Iterator[Effect]:
    if batch.renews_base:
        yield Rebuild(batch.id)
    elif (batch.id, SUITE_JOB) not in situation.state.jobs and suite_refusal(situation, batch) is None:
        yield ClaimSuite(batch.id)


def _attributing_step(situation: Situation, batch: Batch) -> Iterator[Effect]:
    """Look at the evidence, then run steps, a round at a time, then conclude."""
    search, settings = batch.search, situation.settings_of(batch)
    if search is None or not search.is_begun:
        yield Attribute(batch.id)
        return
    if any(key[0] == batch.id for key in search_jobs(situation.state)):
        return
    answer = inquest(batch, search, settings, free_slots(situation.state, batch, settings))
    if not isinstance(answer, Steps):
        yield ConcludeSearch(batch.id)
        return
    is_whole = has_whole_steps(batch, settings)
    for count, step in enumerate(answer.steps, start=1):
        if is_whole and suite_refusal(situation, batch, count) is not None:
            return
        yield RunStep(
            batch=batch.id,
            head=search.head,
            members=step.members,
            tests=tuple(int(test) for test in step.tests),
            purpose=str(step.purpose),
            attempt=step.attempt,
        )


def _merged_step(situation: Situation, batch: Batch) -> Iterator[Effect]:
    if not is_out(situation, batch):
        yield from rollout_steps(situation, batch)
    elif (batch.id, DEPLOY_JOB) not in situation.state.jobs:
        yield Deploy(batch.id)


Errands = type[Review] | type[Report] | type[ClaimFix]


def _errand_step(situation: Situation, batch: Batch, job: str, effect: Errands) -> Iterator[Effect]:
    """Have what an agent is to do for a batch begun, or what it waits for told."""
    if (batch.id, job) in situation.state.jobs:
        return
    wait = errand_wait(situation, batch)
    if wait is None or batch.reason != wait:
        yield effect(batch.id, wait)


def _executing_step(situation: Situation, batch: Batch, members: tuple[Member, ...]) -> Iterator[Effect]:
    if has_stale_work(members):
        yield Rebuild(batch.id)
        return
    if not has_landed_work(members) and is_passed(batch, situation.settings_of(batch)):
        yield Dissolve(batch.id, "too-many-evicted")
        return
    orphans = tuple(orphan_exits(batch, members))
    if orphans:
        yield Evict(batch.id, orphans)
        return
    if batch.status is not BatchStatus.EXECUTING:
        if all(member.status in _AS_THEY_ARE for member in members):
            yield StartBatch(batch.id)
        return
    turn = first_unresolved(members)
    if turn is None:
        yield from _resolved_step(situation, batch, members)
    elif turn.status is MemberStatus.VERIFIED and turn.hold is None:
        yield Land(batch.id, turn.issue)
    elif turn.hold is not None and not _can_move(situation, batch, members):
        yield Block(batch.id, f"held:{turn.hold}", basis_of(batch, members))


def _can_move(situation: Situation, batch: Batch, members: tuple[Member, ...]) -> bool:
    live = any(key[0] == batch.id for key in situation.state.leases)
    return live or any(m.status is MemberStatus.WAITING and m.hold is None for m in members)


def orphan_exits(batch: Batch, members: tuple[Member, ...]) -> Iterator[Exit]:
    """Name the waiting members whose dependency in the batch has left, with why they leave."""
    gone = {m.issue for m in members if m.status in LEFT_MEMBERS and m.reason != EXTERNAL_ADVANCE}
    for member in members:
        lost = next((dep for dep in member.deps if dep in gone), None)
        if member.status is MemberStatus.WAITING and lost is not None:
            yield Exit(
                batch=batch.id,
                issue=member.issue,
                kind="evicted",
                reason=f"depends-on-evicted:{lost}",
                branch=member.branch or None,
                counts=False,
            )


def _resolved_step(situation: Situation, batch: Batch, members: tuple[Member, ...]) -> Iterator[Effect]:
    again = next((member for member in landed(members) if member.regate), None)
    if again is not None:
        if (batch.id, gate_job(again.issue, again.regate[0])) not in situation.state.jobs:
            yield ClaimGate(batch.id, again.issue, again.regate[0])
        return
    failed = tuple(_failed_after_landing(situation, batch, members))
    if failed:
        yield Evict(batch.id, failed)
        return
    reason = inconclusive_gate(situation, batch, members)
    yield Block(batch.id, reason, basis_of(batch, members)) if reason is not None else Validate(batch.id)


def _failed_after_landing(situation: Situation, batch: Batch, members: tuple[Member, ...]) -> Iterator[Exit]:
    settings = situation.settings_of(batch)
    for member in landed(members):
        fold = fold_of(member, settings)
        if fold.consequence is GateConsequence.EVICT and fold.deciding is not None:
            failing = member.gates[fold.deciding].failing
            reason = fold.reason or "gate-failed"
            yield exit_of(member, kind="evicted", reason=reason, method=Method.GATE, failing=failing)


def inconclusive_gate(situation: Situation, batch: Batch, members: tuple[Member, ...]) -> str | None:
    """Give `gate-inconclusive:<name>` of the first landed member that a gate could not decide on, if any."""
    settings = situation.settings_of(batch)
    folds = (fold_of(member, settings) for member in landed(members))
    return next((f.reason for f in folds if f.consequence is GateConsequence.INCONCLUSIVE), None)


def _merge_step(situation: Situation, batch: Batch) -> Iterator[Effect]:
    request = situation.facts.requests.get(batch.id)
    if not isinstance(request, PullRequestView):
        return
    match request.state:
        case PullRequestState.MERGED:
            yield AcceptMerge(batch.id)
        case PullRequestState.CLOSED:
            yield CloseRequest(batch.id)
        case PullRequestState.OPEN | PullRequestState.DRAFT:
            yield from open_steps(situation, batch, request)
        case _:
            assert_never(request.state)


def _late_merge_step(situation: Situation, batch: Batch) -> Iterator[Effect]:
    """Notice that a blocked batch has merged after all, whatever it was blocked for."""
    request = situation.facts.requests.get(batch.id)
    if isinstance(request, PullRequestView) and request.state is PullRequestState.MERGED:
        yield AcceptMerge(batch.id)
    yield from reconcile_steps(situation, batch)
