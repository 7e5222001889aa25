"""Dissolve: when too many members were evicted for the batch to go on.

T = min(max(ceil(N x fraction), floor), N - 1) over the batch's N members. More than T distinct members evicted for a
cause of their own pass it; hand-backs and members that left because another one did never count.

Source: spec 04, "Dissolve policy".
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch, Member
from gitsched.domain.words import LANDED_MEMBERS, LEFT_MEMBERS, RESOLVED_MEMBERS


def threshold(count: int, settings: Settings) -> int:
    """Tell how many members of `count` may be evicted before the batch is given up."""
    wanted = Decimal(str(settings.batch.dissolve.fraction)) * count
    share = int(wanted.to_integral_value(rounding=ROUND_CEILING))
    return min(max(share, settings.batch.dissolve.floor), count - 1)


def is_passed(batch: Batch, settings: Settings) -> bool:
    """Say whether more members were evicted for their own cause than the batch can bear."""
    evicted = {exit_.issue for exit_ in batch.evictions if exit_.kind == "evicted" and exit_.counts}
    return len(evicted) > threshold(len(batch.members), settings)


def has_landed_work(members: Sequence[Member]) -> bool:
    """Say whether anything of the batch is on its integration branch; that is never thrown away."""
    return any(member.status in LANDED_MEMBERS for member in members)


def has_stale_work(members: Sequence[Member]) -> bool:
    """Say whether commits of a member that has left are still on the integration branch."""
    return any(member.status in LEFT_MEMBERS and member.landed is not None for member in members)


def nobody_is_left(members: Sequence[Member]) -> bool:
    """Say whether every member is resolved and none of them landed."""
    return not has_landed_work(members) and all(member.status in RESOLVED_MEMBERS for member in members)
