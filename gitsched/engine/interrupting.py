"""Interrupting: what the operator's Ctrl-C does to runs. Nothing of theirs is lost, and no rung of the ladder is used.

At the first one, runs that have not started give their slots back. At the second one agents are ended, TERM first and
KILL after the grace; what they left uncommitted is saved, and their members wait, each with its tree and its commits.
"""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Lease, Member
from gitsched.domain.runs import RunEnd
from gitsched.domain.state import Draft
from gitsched.domain.words import Liveness, MemberStatus, RunStatus
from gitsched.engine.desk import Desk
from gitsched.engine.release import is_unstarted
from gitsched.policy.idle import is_untouchable
from gitsched.policy.schedule import ENDED_BY_SCHEDULE
from gitsched.policy.situation import Situation

INTERRUPTED = "interrupted"


class Interrupted(Struct, frozen=True):
    """The run was ended because its operator left."""


def was_interrupted(lease: Lease, end: RunEnd) -> bool:
    """Say whether a run was ended on request although the engine had nothing against the run itself."""
    return end.stopped and (lease.stop_sent_at is None or lease.reason in ENDED_BY_SCHEDULE)


def own_leases(desk: Desk) -> list[Lease]:
    """List the leases that this driver answers for, in the order of their units: its own, and those of drivers gone.

    What is another host's, or of a batch that gitsched itself failed on, is left out: this driver does not end it.
    """
    state = desk.state
    situation = desk.situation(state)
    agents = (lease for lease in state.leases.values() if lease.worked_by is None)
    answered = [lease for lease in agents if not is_untouchable(state, lease.batch)]
    found = [lease for lease in answered if lease.holder.driver == desk.me.driver or _is_left(situation, desk, lease)]
    return sorted(found, key=lambda lease: (lease.batch, lease.issue))


def _is_left(situation: Situation, desk: Desk, lease: Lease) -> bool:
    return lease.holder.host == desk.me.host and situation.driver_is(lease.holder.driver) is Liveness.GONE


def let_go(desk: Desk) -> None:
    """Give back the slots of those runs that have not started."""
    for lease in own_leases(desk):
        if is_unstarted(lease):
            desk.record(lambda draft, key=(lease.batch, lease.issue), gen=lease.gen: _let_go(draft, key, gen))  # type: ignore[misc]


def _let_go(draft: Draft, key: tuple[str, int], gen: int) -> None:
    lease, member = draft.state.leases.get(key), draft.state.members.get(key)
    if lease is not None and member is not None and lease.gen == gen and is_unstarted(lease):
        wait_again(draft, lease, member)


def stop_agents(desk: Desk, *, kill: bool) -> None:
    """End the agents of the runs that this driver answers for."""
    for lease in own_leases(desk):
        if lease.status is RunStatus.RUNNING:
            desk.around.runner.stop(lease.batch, str(lease.issue), lease.gen, kill=kill)


def wait_again(draft: Draft, lease: Lease, member: Member, reason: str = INTERRUPTED) -> None:
    """Give a run's slot back and let its member wait, with its tree: the next run of it goes on there."""
    if member.status is not MemberStatus.PREPARING:
        # The tables lead from a run that has ended back to waiting only by way of the next one.
        again = replace(lease, status=RunStatus.RECOVERING, reason=reason)
        member = replace(member, status=MemberStatus.PREPARING)
        sentence = f"Put issue {member.issue} of {member.batch} back after run {lease.gen}: {reason}"
        draft.note(
            EventName.REDISPATCHED,
            sentence,
            again,
            member,
            batch=member.batch,
            issue=member.issue,
            gen=lease.gen,
            reason=reason,
        )
        lease = again
    draft.note(
        EventName.SLOT_RELEASED,
        f"Free slot {lease.slot}, which issue {member.issue} of {member.batch} had: {reason}",
        replace(member, status=MemberStatus.WAITING, reason=reason),
        removed=[lease],
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        reason=reason,
        slot=lease.slot,
    )
