"""Ahead: what can be made ready while everybody waits, so that the next start need not wait for it.

1. Only for a member that waits for a free slot and for nothing else: of any other it is not known when it starts.
2. Only where it is known already at which commit it will begin.
"""

from collections.abc import Mapping

from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.policy.depend import needs_head
from gitsched.policy.situation import Situation

_FOR_A_SLOT = frozenset({"capacity", "parallelism"})


def next_cut(situation: Situation, waits: Mapping[int, tuple[str, ...]]) -> str | None:
    """Name the commit at which the next member to get a slot will begin; None when nobody waits for one alone.

    `waits` are those of a plan: the first of its members is the first in rank.
    """
    for issue, reasons in waits.items():
        member = situation.state.member_of_issue(issue)
        if member is None or member.status is not MemberStatus.WAITING or not _FOR_A_SLOT.issuperset(reasons):
            continue
        batch = situation.state.batches[member.batch]
        if batch.status is not BatchStatus.EXECUTING or member.prior is not None:
            continue
        head = needs_head(batch, member, situation.state.members_of(batch))
        return batch.integration.head if head else batch.base
    return None
