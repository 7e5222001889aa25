"""Pacing: gaps that budgets leave, slots that are given back unused, runs that are ended before they are done."""

from msgspec.structs import replace

from gitsched.domain.dispatch_effects import EndRun, KeepCheck, KeepEvidence, RefuseBudget, YieldSlot
from gitsched.domain.events import EventName
from gitsched.domain.records import DayCosts
from gitsched.domain.state import Draft
from gitsched.domain.words import RunStatus
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.evidence import keep_owed, keep_owed_check
from gitsched.engine.interrupting import wait_again
from gitsched.engine.release import is_unstarted


def refuse_budget(effect: RefuseBudget, desk: Desk) -> None:
    """Tell that a budget keeps work from starting, once on a day."""

    def intent(draft: Draft) -> None:
        costs = draft.state.costs.get(effect.day, DayCosts(day=effect.day))
        if effect.key in costs.refused:
            return
        told = replace(costs, refused=(*costs.refused, effect.key))
        sentence = f"Let issue {effect.issue} wait: {effect.reason} is used up"
        draft.note(EventName.BUDGET_REFUSED, sentence, told, issue=effect.issue, reason=effect.reason)

    desk.record(intent)


def yield_slot(effect: YieldSlot, desk: Desk) -> None:
    """Give the slot of a run back that has not started; its member waits."""
    key = (effect.batch, effect.issue)

    def intent(draft: Draft) -> None:
        lease, member = draft.state.leases.get(key), draft.state.members.get(key)
        if lease is not None and member is not None and lease.gen == effect.gen and is_unstarted(lease):
            wait_again(draft, lease, member, effect.reason)

    desk.record(intent)


def end_run(effect: EndRun, desk: Desk) -> None:
    """Mark a run so that its agent is ended and its member waits with what it has done."""
    key = (effect.batch, effect.issue)

    def intent(draft: Draft) -> None:
        lease = draft.state.leases.get(key)
        if lease is None or lease.gen != effect.gen or lease.status is not RunStatus.RUNNING:
            return
        if lease.reason is not None:
            return
        draft.note(
            EventName.STOP_SENT,
            f"End run {lease.gen} of issue {lease.issue} of {lease.batch} early: {effect.reason}",
            replace(lease, reason=effect.reason),
            batch=lease.batch,
            issue=lease.issue,
            gen=lease.gen,
            reason=effect.reason,
        )

    desk.record(intent)


def keep_evidence(effect: KeepEvidence, desk: Desk) -> None:
    """Keep what there was no space for, and forget the run. Raises StorageFullError while there is none."""
    key = (effect.batch, effect.issue)
    member = desk.state.members.get(key)
    if member is None or str(effect.gen) not in member.owed:
        return
    kept = keep_owed(desk, member, effect.gen)

    def intent(draft: Draft) -> None:
        now = draft.state.members.get(key)
        if now is None or str(effect.gen) not in now.owed:
            return
        paid = replace(now, owed={gen: owed for gen, owed in now.owed.items() if gen != str(effect.gen)})
        draft.note(
            EventName.EVIDENCE_KEPT,
            f"Keep the evidence of run {effect.gen} of issue {effect.issue} of {effect.batch}",
            paid,
            batch=effect.batch,
            issue=effect.issue,
            gen=effect.gen,
            **kept.told(),
        )

    if was_applied(desk.record(intent)):
        desk.around.runner.forget(effect.batch, str(effect.issue), effect.gen)


def keep_check(effect: KeepCheck, desk: Desk) -> None:
    """Keep what a check left, and forget its run. Raises StorageFullError while there is no space."""
    batch = desk.state.batches.get(effect.batch)
    owed = batch.owed.get(effect.folder) if batch is not None else None
    if batch is None or owed is None:
        return
    kept = keep_owed_check(desk, batch, effect.folder)

    def intent(draft: Draft) -> None:
        now = draft.state.batches.get(effect.batch)
        if now is None or effect.folder not in now.owed:
            return
        paid = replace(now, owed={folder: left for folder, left in now.owed.items() if folder != effect.folder})
        draft.note(
            EventName.EVIDENCE_KEPT,
            f"Keep what {effect.folder.split('/')[1]} of {effect.batch} left",
            paid,
            batch=effect.batch,
            **kept.told(),
        )

    if was_applied(desk.record(intent)):
        desk.around.runner.forget(effect.batch, owed["run"], owed["gen"])
