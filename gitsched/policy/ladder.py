"""Ladder: whether a run that ended unverified is started again, and how much stronger.

Solo batches have `ladder.recoveries` rungs, members of larger ones `ladder.member_recoveries`. Each rung is one tier
stronger, up to `strong`.

Source: spec 03, "Ladder".
"""

from collections.abc import Mapping

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch, Lease, Member
from gitsched.domain.words import BatchKind, Tier

_STRONGER: Mapping[Tier, Tier] = {
    Tier.MECHANICAL: Tier.MID,
    Tier.MID: Tier.STRONG,
    Tier.STRONG: Tier.STRONG,
}


def next_rung(batch: Batch, member: Member, lease: Lease, settings: Settings) -> Tier | None:
    """Give the tier of the next rung; None when the ladder has no rung left for this member."""
    is_solo = batch.kind is BatchKind.SOLO
    rungs = settings.ladder.recoveries if is_solo else settings.ladder.member_recoveries
    return None if member.recoveries >= rungs else _STRONGER[lease.tier or Tier.MID]
