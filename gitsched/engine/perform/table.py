"""The table from effect to performer: the one place where the two meet."""

from collections.abc import Callable, Mapping
from typing import Any

from gitsched.domain import dispatch_effects, effects, queue_effects, search_effects, ship_effects
from gitsched.domain.words import JobKind
from gitsched.engine import jobs
from gitsched.engine.desk import Desk
from gitsched.engine.perform import (
    admission,
    attributing,
    clearing,
    cutting,
    deploying,
    dissolving,
    dropping,
    fixing,
    following_up,
    gating,
    landing,
    launch,
    moving,
    pacing,
    pausing,
    prose,
    queueing,
    rebuilding,
    reconciling,
    reporting,
    reviewing,
    searching,
    settling,
    shipping,
    splitting,
    stopping,
    takeover,
    validating,
    voiding,
    watching,
)
from gitsched.engine.perform.setup import settle_setup

Performer = Callable[[Any, Desk], None]


def settle_job(effect: effects.SettleJob, desk: Desk) -> None:
    """Record what a job came to, by its kind."""
    job = desk.state.jobs.get((effect.batch, effect.job))
    if job is None:
        return
    if voiding.is_void(desk, job):
        voiding.void(desk, job)
        return
    _SETTLERS[job.kind](desk, job)


def restart_job(effect: effects.RestartJob, desk: Desk) -> None:
    """Run a job again that was lost, in the way of its kind."""
    job = desk.state.jobs.get((effect.batch, effect.job))
    jobs.restart(effect, desk, _STARTERS.get(job.kind) if job is not None else None)


_STARTERS: Mapping[JobKind, jobs.Start] = {
    JobKind.FIX: fixing.start_fix,
    JobKind.REVIEW: reviewing.start_review,
    JobKind.REPORT: prose.start_prose,
}


_SETTLERS = {
    JobKind.SETUP: settle_setup,
    JobKind.GATE: gating.settle_gate,
    JobKind.SUITE: validating.settle_suite,
    JobKind.FIX: fixing.settle_fix,
    JobKind.DEPLOY: deploying.settle_deploy,
    JobKind.REVIEW: reviewing.settle_review,
    JobKind.REPORT: prose.settle_prose,
    JobKind.STEP: searching.settle_step,
    JobKind.TRIAL: searching.settle_step,
}

PERFORMERS: Mapping[type[effects.Effect], Performer] = {
    effects.LoseDriver: queueing.lose_driver,
    queue_effects.BlockEntry: queueing.block_entry,
    queue_effects.ClearEntry: queueing.clear_entry,
    queue_effects.AdvanceEntry: queueing.advance_entry,
    queue_effects.Withdraw: queueing.withdraw,
    queue_effects.OpenFollowUp: following_up.open_follow_up,
    effects.FormSolo: admission.form_solo,
    effects.StartBatch: admission.start_batch,
    effects.Admit: admission.admit,
    effects.Launch: launch.launch,
    effects.Recover: takeover.recover,
    effects.SettleRun: settling.settle_run,
    effects.StopAgent: stopping.stop_agent,
    dispatch_effects.Stall: takeover.stall,
    dispatch_effects.TakeOver: takeover.take_over,
    dispatch_effects.EndPause: pausing.end_pause,
    dispatch_effects.RefuseBudget: pacing.refuse_budget,
    dispatch_effects.YieldSlot: pacing.yield_slot,
    dispatch_effects.EndRun: pacing.end_run,
    dispatch_effects.KeepEvidence: pacing.keep_evidence,
    dispatch_effects.KeepCheck: pacing.keep_check,
    dispatch_effects.MoveSchedule: moving.move_schedule,
    effects.ClaimGate: gating.claim_gate,
    effects.SettleJob: settle_job,
    effects.RestartJob: restart_job,
    effects.EndJob: dropping.end_job,
    effects.AcceptHeld: gating.accept_held,
    effects.ConcludeMember: gating.conclude_member,
    effects.Land: landing.land,
    effects.Validate: validating.validate,
    effects.ClaimSuite: validating.claim_suite,
    search_effects.Attribute: attributing.attribute_batch,
    search_effects.ClaimFix: fixing.claim_fix,
    search_effects.RunStep: searching.run_step,
    search_effects.ConcludeSearch: attributing.conclude_search,
    effects.Evict: rebuilding.evict_members,
    effects.Rebuild: rebuilding.rebuild,
    effects.Review: shipping.review,
    effects.OpenRequest: shipping.open_request,
    effects.Merge: shipping.merge,
    ship_effects.Park: watching.park,
    ship_effects.NoteParked: watching.note_parked,
    ship_effects.MakeReady: watching.make_ready,
    ship_effects.MeetTarget: watching.meet_forge_target,
    ship_effects.Split: splitting.split,
    ship_effects.TakeRedCheck: watching.take_red_check,
    ship_effects.Await: watching.await_effect,
    ship_effects.AwaitRollout: deploying.await_rollout,
    ship_effects.Reconcile: reconciling.reconcile,
    ship_effects.RetireRequest: reconciling.retire_request,
    effects.AcceptMerge: shipping.accept_merge,
    effects.CloseRequest: shipping.close_request,
    effects.Deploy: deploying.deploy,
    effects.Report: reporting.report,
    effects.TearDown: clearing.tear_down,
    effects.Block: queueing.block_batch,
    effects.Dissolve: dissolving.dissolve,
    effects.FinishDissolve: dissolving.finish_dissolve,
    effects.EndLeases: cutting.end_leases,
    effects.ReleaseTree: clearing.release_tree,
}


def perform(effect: effects.Effect, desk: Desk) -> None:
    """Perform one effect; what it found no longer true it leaves alone."""
    PERFORMERS[type(effect)](effect, desk)
