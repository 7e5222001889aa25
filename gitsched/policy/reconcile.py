"""Reconcile: blocked batches whose work reached the target by other means.

1. Every member is resolved, and some have landed: what a batch still has to do is nothing that a merge could have done.
2. It was blocked within seven days; what is older is a person's business alone.
3. Only a proof counts, and nothing of it is undone by looking again.

A pull request whose batch is over without a merge is closed: nobody watches it any more.
"""

from collections.abc import Iterator

from gitsched.domain.effects import Effect
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Batch, Member
from gitsched.domain.ship_effects import Reconcile, RetireRequest
from gitsched.domain.words import BatchStatus, MemberStatus, PullRequestState
from gitsched.policy.situation import Situation, first_unresolved

LOOKED_FOR_S = 7 * 24 * 3600.0


def may_have_shipped(batch: Batch, members: tuple[Member, ...], now: Instant) -> bool:
    """Say whether it is worth looking for a blocked batch's work in its target."""
    if batch.status is not BatchStatus.BLOCKED or batch.base is None or batch.integration.head in (None, batch.base):
        return False
    if first_unresolved(members) is not None or not any(m.status is MemberStatus.LANDED for m in members):
        return False
    return seconds_between(batch.updated_at, now) <= LOOKED_FOR_S


def reconcile_steps(situation: Situation, batch: Batch) -> Iterator[Effect]:
    """Take a blocked batch for merged whose work the target holds."""
    if batch.id in situation.facts.shipped:
        yield Reconcile(batch.id, situation.facts.shipped[batch.id])


def retiring_steps(batch: Batch) -> Iterator[Effect]:
    """Close the pull request of a batch that has ended without a merge."""
    if batch.pr is not None and batch.pr.state in (PullRequestState.OPEN, PullRequestState.DRAFT):
        yield RetireRequest(batch.id)
