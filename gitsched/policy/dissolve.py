"""Dissolve: when too many members were evicted for the batch to go on.

T = min(max(ceil(N x fraction), floor), N - 1) over the batch's N members. More than T distinct members evicted for a
cause of their own pass it; hand-backs and members that left because another one did never count.

What never started goes back into the queue. What was at work when its batch was given up, or everything where the
operator wants that, is parked on its branch.

See docs/explanation/gating.md, "When too much is wrong".
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.instants import Instant
from gitsched.domain.records import Batch, Entry, Exit, Member
from gitsched.domain.words import LANDED_MEMBERS, LEFT_MEMBERS, RESOLVED_MEMBERS, EntryStatus, MemberStatus
from gitsched.policy.evictions import exit_of


def threshold(count: int, settings: Settings) -> int:
    """Tell how many members of `count` may be evicted before the batch is given up."""
    wanted = Decimal(str(settings.batch.dissolve.fraction)) * count
    share = int(wanted.to_integral_value(rounding=ROUND_CEILING))
    return min(max(share, settings.batch.dissolve.floor), count - 1)


def is_passed(batch: Batch, settings: Settings) -> bool:
    """Say whether more members were evicted for their own cause than the batch can bear."""
    evicted = {exit_.issue for exit_ in batch.evictions if exit_.kind == "evicted" and exit_.counts}
    return len(evicted) > threshold(len(batch.members), settings)


def unproven(batch: Batch, settings: Settings, why: str) -> str:
    """Give the reason word of a batch whose landed work cannot be proven good.

    One that has lost too many members besides would be given up; over landed work that is refused.
    """
    return f"dissolve-refused:{why}" if is_passed(batch, settings) else why


def has_landed_work(members: Sequence[Member]) -> bool:
    """Say whether anything of the batch is on its integration branch; that is never thrown away."""
    return any(member.status in LANDED_MEMBERS for member in members)


def has_stale_work(members: Sequence[Member]) -> bool:
    """Say whether commits of a member that has left are still on the integration branch."""
    return any(member.status in LEFT_MEMBERS and member.landed is not None for member in members)


def nobody_is_left(members: Sequence[Member]) -> bool:
    """Say whether every member is resolved and none of them landed."""
    return not has_landed_work(members) and all(member.status in RESOLVED_MEMBERS for member in members)


def keeps_work(batch: Batch, member: Member, *, in_flight: bool) -> bool:
    """Say whether a member of a batch that is given up is parked with its work, and not queued again.

    `in_flight`: it holds a slot.
    """
    return batch.parks_all or (member.cut is not None and in_flight)


def withdrawal(member: Member, entry: Entry, reason: str, *, is_parked: bool, at: Instant) -> tuple[Member, Entry]:
    """Give a member and its row as they are once it has left its batch without a cause of its own."""
    leaving: Exit | None = None
    if member.cut is not None or (member.prior is not None and member.prior not in entry.evidence):
        leaving = replace(exit_of(member, kind="withdrawn", reason=reason), at=at)
    back = replace(
        entry,
        status=EntryStatus.PARKED if is_parked else EntryStatus.QUEUED,
        batch=None,
        reason=reason if is_parked else None,
        branch=leaving.branch if leaving is not None else entry.branch,
        evidence=(*entry.evidence, leaving) if leaving is not None else entry.evidence,
        updated_at=at,
    )
    return replace(member, status=MemberStatus.WITHDRAWN, reason=reason, hold=None, updated_at=at), back
