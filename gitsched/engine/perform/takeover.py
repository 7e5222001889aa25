"""Takeover: a run that shows no sign of life is fenced off, ended, and started again one rung higher."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.durations import render_duration
from gitsched.config.profiles import resolve_profile
from gitsched.domain.dispatch_effects import Stall, TakeOver
from gitsched.domain.effects import Recover
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Lease, Member
from gitsched.domain.state import Draft, State
from gitsched.domain.words import Liveness, RunStatus, Tier
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.ended import Climb
from gitsched.engine.ending import evict
from gitsched.engine.evidence import keep_log
from gitsched.engine.perform.launch import redispatch
from gitsched.engine.publications import requests_of
from gitsched.engine.release import has_tree_here, release_slot
from gitsched.engine.rescuing import Saved, note_saved, rescue
from gitsched.engine.spending import counted
from gitsched.policy.evictions import exit_of
from gitsched.policy.ladder import next_rung, reason_to_leave
from gitsched.policy.stall import STALLED, stall_of
from gitsched.policy.stopping import is_needless

WORKER_LOST = "worker-lost"
LOST_AT_MOST = 3
"""How many workers in a row may be lost before that uses the ladder."""


def stall(effect: Stall, desk: Desk) -> None:
    """Record that a run is given up, then fence it off; one that has shown life meanwhile is left alone."""
    key = (effect.batch, effect.issue)
    lease = desk.state.leases.get(key)
    if lease is None or lease.gen != effect.gen or lease.status is not RunStatus.RUNNING:
        return
    look = desk.around.runner.look(effect.batch, str(effect.issue), effect.gen)
    if look != desk.facts.runs.get(key) or stall_of(desk.situation(desk.state), lease, look) is None:
        return

    def intent(draft: Draft) -> None:
        now = draft.state.leases.get(key)
        if now is None or now.gen != effect.gen or now.status is not RunStatus.RUNNING or now.reason is not None:
            return
        allowance = render_duration(effect.allowance_s)
        draft.note(
            EventName.STALLED,
            f"Run {effect.gen} of issue {effect.issue} of {effect.batch} shows no sign of life in {effect.phase}",
            replace(now, reason=STALLED),
            batch=effect.batch,
            issue=effect.issue,
            gen=effect.gen,
            phase=effect.phase,
            allowance=allowance,
        )

    if was_applied(desk.record(intent)):
        desk.around.runner.fence(effect.batch, str(effect.issue), effect.gen + 1)


class Left(Struct, frozen=True, kw_only=True):
    """What a run that is given up leaves behind, saved before the state goes on without it."""

    head: str | None
    made: tuple[str, ...]
    rescued: Saved | None


def take_over(effect: TakeOver, desk: Desk) -> None:
    """Save what a stalled run left, and start the next generation, or give the member up at the cap."""
    seen = _needed(desk.state, effect)
    if seen is None or seen[0].reason != STALLED:
        return
    lease, member = seen
    if not _fence(desk, lease):
        return  # it has ended by itself after all, and is settled
    if _lives(desk, lease):
        return
    head = desk.around.refs.resolve(branch_ref(member.branch)) or member.cut
    climb = climb_of(desk, lease, member, STALLED, head)
    if isinstance(climb, Unreachable):
        return
    rescued = rescue(desk, member) if has_tree_here(desk, member) else None
    climb = replace(climb, evidence=keep_log(desk, lease))
    left = Left(head=head, made=desk.made(member), rescued=rescued)
    if was_applied(desk.record(lambda draft: _go_on_without(draft, desk, effect, left, climb))):
        _forget_at_the_cap(desk, lease)


def _fence(desk: Desk, lease: Lease) -> bool:
    return desk.around.runner.fence(lease.batch, str(lease.issue), lease.gen + 1)


def _lives(desk: Desk, lease: Lease) -> bool:
    look = desk.around.runner.look(lease.batch, str(lease.issue), lease.gen)
    return Liveness.ALIVE in (look.worker, look.agent)


def _go_on_without(draft: Draft, desk: Desk, effect: TakeOver, left: Left, climb: Climb) -> None:
    found = _needed(draft.state, effect)
    if found is None or found[0].reason != STALLED:
        return
    now, unit = found
    note_saved(draft, unit.batch, unit.issue, left.rescued)
    draft.keeps += [*([left.head] if left.head is not None else []), *left.made]
    unit = _counted(draft, desk, unit, now)
    follow(draft, desk, replace(unit, head=left.head), now, climb)


def _forget_at_the_cap(desk: Desk, lease: Lease) -> None:
    """Drop the run ref of a run that nothing follows."""
    if (lease.batch, lease.issue) not in desk.state.leases:
        desk.around.runner.forget(lease.batch, str(lease.issue), lease.gen + 1)


def recover(effect: Recover, desk: Desk) -> None:
    """Start a run's next generation where its driver or worker is gone; no rung of the ladder is used.

    After several lost workers in a row it is the run itself that ends them: from then on each uses a rung.
    """
    is_worker_lost = effect.cause == WORKER_LOST
    seen = _needed(desk.state, effect)
    if seen is None:
        return
    lease, member = seen
    if not _fence(desk, lease):
        return  # its worker had told its end before it went, and that is settled
    lost_count = member.retries.get("lost", 0) + is_worker_lost
    climb = _climb_of_lost(desk, lease, member) if is_worker_lost and lost_count > LOST_AT_MOST else None
    if isinstance(climb, Unreachable):
        return
    made = desk.made(member)

    def intent(draft: Draft) -> None:
        found = _needed(draft.state, effect)
        if found is None:
            return
        now, unit = found
        if is_worker_lost:
            unit = _counted(draft, desk, unit, now)
        draft.keeps += made
        lost = replace(unit, retries={**unit.retries, "lost": lost_count})
        if climb is None:
            redispatch(draft, now, lost, desk, cause=effect.cause)
        else:
            follow(draft, desk, lost, now, climb)

    if was_applied(desk.record(intent)):
        _forget_at_the_cap(desk, lease)


def _climb_of_lost(desk: Desk, lease: Lease, member: Member) -> Climb | Unreachable:
    climb = climb_of(desk, lease, member, WORKER_LOST, desk.around.refs.resolve(branch_ref(member.branch)))
    return climb if isinstance(climb, Unreachable) else replace(climb, evidence=keep_log(desk, lease))


def _needed(state: State, effect: TakeOver | Recover) -> tuple[Lease, Member] | None:
    """Read a run and its member; None when it is another run by now, or its member was ended meanwhile."""
    key = (effect.batch, effect.issue)
    lease, member = state.leases.get(key), state.members.get(key)
    if lease is None or member is None or lease.gen != effect.gen or is_needless(state, lease):
        return None
    return lease, member


def _counted(draft: Draft, desk: Desk, member: Member, lease: Lease) -> Member:
    """Count a run of which nobody knows what it used."""
    cost = counted(draft, desk, member, lease, None)
    sentence = f"Count run {lease.gen} of issue {member.issue} of {member.batch}, which told nothing of its cost"
    draft.note(EventName.USAGE_SETTLED, sentence, *cost.records, batch=member.batch, issue=member.issue, gen=lease.gen)
    return cost.member


def climb_of(desk: Desk, lease: Lease, member: Member, cause: str, head: str | None) -> Climb | Unreachable:
    """Say what follows a run that stalled or ended unverified; at the cap its work is looked for first."""
    batch = desk.state.batches[member.batch]
    settings = desk.settings_of(batch)
    rung = next_rung(batch, member, _tier_of(desk, batch, lease), settings)
    if rung is not None:
        return Climb(tier=rung, reason=cause)
    requests = requests_of(desk.around, [member.branch])
    if isinstance(requests, Unreachable):
        return requests
    has_work = bool(requests) or (head is not None and head != member.cut)
    found = ", ".join(f"pull request {request.name} is open" for request in requests if not request.is_merged)
    return Climb(tier=None, reason=reason_to_leave(batch, cause, has_work=has_work), detail=found or None)


def _tier_of(desk: Desk, batch: Batch, lease: Lease) -> Tier:
    profile = resolve_profile(desk.settings_of(batch).agents, lease.profile, lease.tier)
    return lease.tier or (profile.tier if profile is not None else Tier.MID)


def follow(draft: Draft, desk: Desk, member: Member, lease: Lease, climb: Climb) -> None:
    """Record the next rung of a run, or that its member leaves."""
    if climb.tier is None:
        draft.note(
            EventName.VERIFY_INCOMPLETE,
            f"Issue {member.issue} of {member.batch} has no rung left: {climb.reason}",
            member,
            batch=member.batch,
            issue=member.issue,
            gen=lease.gen,
            reason=climb.reason,
            evidence=climb.evidence,
        )
        leaving = exit_of(draft.state.members[member.batch, member.issue], kind="evicted", reason=climb.reason)
        evict(draft, (replace(leaving, detail=climb.detail),))
        release_slot(draft, lease, climb.reason)
        return
    stronger = replace(member, recoveries=member.recoveries + 1)
    redispatch(draft, replace(lease, tier=climb.tier), stronger, desk, cause=climb.reason)
