"""Stopping: when an agent that is to end gets TERM, and after it KILL.

1. One that has said its last word is given a little time to end by itself.
2. One that stalled, that did what is not its to do, or whose schedule ends it, gets TERM at once; so does one that
   nobody needs any more, and every one of a batch of which an agent touched the user's checkout.
3. KILL follows `kill_grace` after TERM. Each is sent once.
"""

from collections.abc import Iterator

from gitsched.domain.effects import Effect, StopAgent
from gitsched.domain.instants import Instant, after
from gitsched.domain.records import Batch, Lease
from gitsched.domain.runs import RunLook
from gitsched.domain.state import State
from gitsched.domain.words import LEFT_MEMBERS, TERMINAL_BATCHES, BatchStatus
from gitsched.policy.procedure import offence
from gitsched.policy.schedule import ENDED_BY_SCHEDULE
from gitsched.policy.settle import deciding_milestone
from gitsched.policy.situation import Situation
from gitsched.policy.stall import STALLED

ISOLATION_BREACH = "isolation-breach"
"""Why a batch is blocked one of whose agents touched the user's checkout."""
LINGER_S = 10.0
"""How long an agent may take to end by itself after its last word; its closing lines tell what it cost."""


def stop_step(situation: Situation, lease: Lease, look: RunLook) -> Iterator[Effect]:
    """Send what is due now to an agent that is to end."""
    due_at = next_stop_at(situation, lease, look)
    if due_at is not None and situation.facts.now >= due_at:
        yield StopAgent(lease.batch, lease.issue, lease.gen, kill=lease.stop_sent_at is not None)


def next_stop_at(situation: Situation, lease: Lease, look: RunLook) -> Instant | None:
    """Tell when TERM, or after it KILL, is due; None when both were sent, or when the agent is not to end."""
    if lease.kill_sent_at is not None:
        return None
    batch = situation.state.batches.get(lease.batch)
    grace_s = (situation.settings_of(batch) if batch is not None else situation.current).stall.kill_grace_s
    if lease.stop_sent_at is not None:
        return after(lease.stop_sent_at, grace_s)
    if is_needless(situation.state, lease) or is_breached(batch) or lease.reason == STALLED:
        return situation.facts.now
    if lease.reason in ENDED_BY_SCHEDULE or has_offended(situation, lease):
        return situation.facts.now
    last = deciding_milestone(look.record, lease.spawned_at or lease.acquired_at) if look.record is not None else None
    return after(last.at, min(LINGER_S, grace_s)) if last is not None else None


def is_needless(state: State, lease: Lease) -> bool:
    """Say whether nobody needs a run any more: its member has left, or its batch is over."""
    member = state.members.get((lease.batch, lease.issue))
    batch = state.batches.get(lease.batch)
    if member is None or batch is None:
        return True
    return member.status in LEFT_MEMBERS or batch.status in TERMINAL_BATCHES


def is_breached(batch: Batch | None) -> bool:
    """Say whether a batch is blocked because one of its agents touched the user's checkout."""
    return batch is not None and batch.status is BatchStatus.BLOCKED and batch.reason == ISOLATION_BREACH


def has_offended(situation: Situation, lease: Lease) -> bool:
    """Say whether a run published its work by itself."""
    key = (lease.batch, lease.issue)
    return offence(situation.state.members[key], situation.facts.published.get(key, ())) is not None
