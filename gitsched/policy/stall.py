"""Stall: when a run that lives has shown no sign of life for too long.

1. A sign of life is a new milestone, a new commit on the member's branch, or output; each alone is enough.
2. A phase may be silent as long as the settings allow it: the phase of the last `progress`, or the one after the last
   `done`, in the order plan, implement, review.
3. A run that took over from another has the takeover's own allowance until its first milestone.
4. Of a run whose worker cannot be seen nothing is known, so it does not stall; nor does one that said its last word.
5. One that is being ended already, for whatever reason, is that and nothing else.
6. While the forge cannot be asked, what a run may have said there is not known either.

See docs/how-to/write-an-agent.md, "How long it may be silent".
"""

from gitsched.domain.dispatch_effects import Stall
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Lease, Member
from gitsched.domain.runs import RunLook, RunRecord
from gitsched.domain.words import Liveness, MilestoneStatus
from gitsched.policy.settle import deciding_milestone
from gitsched.policy.situation import Situation

STALLED = "stalled"
"""Reason of a lease whose run is being ended because it shows no sign of life."""
TAKEOVER = "takeover"
"""Stands for the phase of a run that took over and has not posted yet."""
_PHASES = ("plan", "implement", "review")


def stall_of(situation: Situation, lease: Lease, look: RunLook) -> Stall | None:
    """Name the stall of a run, if it is one by now."""
    left_s = stalls_in_s(situation, lease, look)
    if left_s is None or left_s > 0:
        return None
    phase, allowance_s = _allowed(situation, lease, look)
    return Stall(lease.batch, lease.issue, lease.gen, phase, allowance_s)


def stalls_in_s(situation: Situation, lease: Lease, look: RunLook) -> float | None:
    """Tell in how many seconds a run stalls if it stays silent; None: it never does as things stand."""
    silent_s = situation.facts.silent_s.get((lease.batch, lease.issue))
    if silent_s is None or look.worker is not Liveness.ALIVE or lease.reason is not None:
        return None
    if isinstance(situation.facts.issues, Unreachable):
        return None
    record, spawned_at = look.record, lease.spawned_at or lease.acquired_at
    if record is not None and (record.end is not None or deciding_milestone(record, spawned_at) is not None):
        return None
    return _allowed(situation, lease, look)[1] - silent_s


def _allowed(situation: Situation, lease: Lease, look: RunLook) -> tuple[str, float]:
    stall = situation.settings_of(situation.state.batches[lease.batch]).stall
    if _is_quiet_takeover(situation.state.members[lease.batch, lease.issue], look.record):
        return TAKEOVER, stall.takeover_s
    phase = phase_in_flight(look.record)
    return phase, stall.allowance_s(phase)


def _is_quiet_takeover(member: Member, record: RunRecord | None) -> bool:
    return member.recoveries > 0 and (record is None or not record.milestones)


def phase_in_flight(record: RunRecord | None) -> str:
    """Name the phase that a run is in, by what it has posted."""
    for milestone in reversed(record.milestones if record is not None else ()):
        if milestone.status is MilestoneStatus.PROGRESS:
            return milestone.phase
        if milestone.status is MilestoneStatus.DONE and milestone.phase in _PHASES:
            return _PHASES[min(_PHASES.index(milestone.phase) + 1, len(_PHASES) - 1)]
    return _PHASES[0]
