"""Ladder: whether a run that stalled or ended unverified is started again, how much stronger, and how it is given up.

1. Solo batches have `ladder.recoveries` rungs, members of larger ones `ladder.member_recoveries`. Each rung is one tier
   stronger, up to `strong`.
2. At the cap, what there is of work decides: an open pull request, or commits beyond the cut point, park a solo issue
   under the word for its last end. Without any it has failed, `escalation-cap`. Members of larger batches leave under
   that word, and their work is kept.

See docs/how-to/write-an-agent.md, "How long it may be silent".
"""

from collections.abc import Mapping

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch, Member
from gitsched.domain.words import BatchKind, Tier

ESCALATION_CAP = "escalation-cap"
_STRONGER: Mapping[Tier, Tier] = {
    Tier.MECHANICAL: Tier.MID,
    Tier.MID: Tier.STRONG,
    Tier.STRONG: Tier.STRONG,
}


def next_rung(batch: Batch, member: Member, tier: Tier, settings: Settings) -> Tier | None:
    """Give the tier of the next rung above `tier`; None when the ladder has no rung left for this member."""
    is_solo = batch.kind is BatchKind.SOLO
    rungs = settings.ladder.recoveries if is_solo else settings.ladder.member_recoveries
    return None if member.recoveries >= rungs else _STRONGER[tier]


def reason_to_leave(batch: Batch, cause: str, *, has_work: bool) -> str:
    """Name why a member leaves at the cap; `cause` is how its last run ended."""
    return cause if has_work or batch.kind is not BatchKind.SOLO else ESCALATION_CAP
