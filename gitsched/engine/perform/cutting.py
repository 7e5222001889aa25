"""Cutting short: end what is left of a run that nobody needs any more, and give its slot back."""

from gitsched.domain.effects import EndLeases
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.domain.words import Liveness, RunStatus
from gitsched.engine.desk import Desk
from gitsched.engine.evidence import keep_log
from gitsched.engine.release import has_tree_here, release_slot
from gitsched.engine.rescuing import Saved, note_saved, rescue
from gitsched.engine.spending import Counted, counted


def end_leases(effect: EndLeases, desk: Desk) -> None:
    """End a run whose member has left or whose batch is over, and give its slot back once nothing of it lives."""
    key = (effect.batch, effect.issue)
    lease = desk.state.leases.get(key)
    if lease is None:
        return
    runner, name = desk.around.runner, str(effect.issue)
    look = runner.look(effect.batch, name, lease.gen)
    has_ended = look.record is not None and look.record.end is not None
    if not has_ended and Liveness.ALIVE in (look.worker, look.agent):
        return  # it is being ended
    # What has ended in order is told and counted already.
    is_cut_short = lease.status is RunStatus.RUNNING
    rescued, left = _rescue(desk, effect), desk.state.members.get(key)
    made = desk.made(left) if left is not None else ()
    evidence = keep_log(desk, lease) if is_cut_short else None

    def intent(draft: Draft) -> None:
        now, member = draft.state.leases.get(key), draft.state.members.get(key)
        if now is None or now.gen != lease.gen or now.status is not lease.status:
            return
        draft.keeps += made
        if is_cut_short and member is not None:
            end = look.record.end if look.record is not None else None
            _note_cut_short(draft, counted(draft, desk, member, lease, end), evidence)
        note_saved(draft, effect.batch, effect.issue, rescued)
        release_slot(draft, now, "batch-over")

    desk.record(intent)
    runner.forget(effect.batch, name, lease.gen)


def _note_cut_short(draft: Draft, cost: Counted, evidence: str | None) -> None:
    member = cost.member
    sentence = f"Keep the log of the run of issue {member.issue} of {member.batch} that was cut short"
    draft.note(
        EventName.PROGRESS,
        sentence,
        member,
        *cost.records,
        batch=member.batch,
        issue=member.issue,
        evidence=evidence,
    )


def _rescue(desk: Desk, effect: EndLeases) -> Saved | None:
    member = desk.state.members.get((effect.batch, effect.issue))
    return rescue(desk, member) if member is not None and has_tree_here(desk, member) else None
