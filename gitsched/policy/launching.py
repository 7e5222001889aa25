"""Launching: what still stands against starting an agent whose slot is reserved, and where its branch begins.

1. What may have changed since the slot was reserved is asked again: the batch, its holds, the row, and the forge.
2. A tree that is there is gone on with, and so are commits that were left on the member's own branch.
3. Earlier work is carried onto the point where the member is cut now; after a conflict, and where it does not apply,
   the member begins anew and is shown it.
"""

from msgspec import Struct

from gitsched.config.profiles import resolve_profile
from gitsched.config.settings import Settings
from gitsched.domain.forge import Issue
from gitsched.domain.records import Batch, Lease, Member
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, Liveness, RunStatus
from gitsched.policy.budget import Purse, Unit
from gitsched.policy.depend import needs_head
from gitsched.policy.entries import forge_reasons
from gitsched.policy.situation import Situation


def stands_against(state: State, settings: Settings, member: Member, issue: Issue | None) -> str | None:
    """Name what keeps a member with a slot from being started after all; `issue` as the forge has it now, if it does.

    The reason is one of those that keep it from being admitted as well.
    """
    batch, entry = state.batches.get(member.batch), state.entries.get(member.issue)
    if batch is None or batch.status is BatchStatus.BLOCKED:
        return f"held:{batch.reason if batch is not None else 'record-unreadable'}"
    hold = member.hold or (entry.hold if entry is not None else None)
    if hold is not None:
        return f"held:{hold}"
    if entry is not None and entry.status is EntryStatus.BLOCKED:
        return entry.reason
    return next(forge_reasons(issue, settings), None) if issue is not None else None


def not_to_start(situation: Situation, lease: Lease) -> str | None:
    """Name why a run that holds a slot is not to be started: a person's claim was cut short, or no budget is left."""
    is_here = lease.holder.driver == situation.facts.driver
    if lease.worked_by is not None:
        is_gone = situation.driver_is(lease.holder.driver) is Liveness.GONE and not is_here
        return "claim-lost" if is_gone or lease.status is RunStatus.RECOVERING else None
    if lease.status is not RunStatus.RECOVERING or not is_here:
        return None
    profile = resolve_profile(
        situation.settings_of(situation.state.batches[lease.batch]).agents, lease.profile, lease.tier
    )
    unit = Unit(
        batch=lease.batch,
        issue=lease.issue,
        profile=lease.profile,
        tier=lease.tier,
        usage=profile.usage if profile is not None else "none",
    )
    return next((reason for _, reason in Purse(situation).refusals(unit)), None)


class BranchLook(Struct, frozen=True, kw_only=True):
    """What there is of a member's work where it is to be started."""

    tree_is_here: bool
    tip: str | None
    """Of its own branch."""
    tip_holds_cut: bool
    """The tip goes on from where the branch was cut."""
    kept: str | None
    """Head of its earlier work."""


class GoOn(Struct, frozen=True):
    """Go on with the branch as it is."""

    cut: str
    """Its own commits are those beyond this one."""
    at: str
    since: str
    """Those beyond this one count as work in this batch."""


class Carry(Struct, frozen=True):
    """Begin at `onto`, with the commits `cut..kept` of earlier work carried there; where they apply."""

    onto: str
    cut: str
    kept: str


class Anew(Struct, frozen=True):
    """Begin at `onto`, with earlier work, if there is any, to look at."""

    onto: str
    earlier: str | None = None


Beginning = GoOn | Carry | Anew


def beginning(batch: Batch, member: Member, members: tuple[Member, ...], look: BranchLook) -> Beginning:
    """Say where a member's branch begins."""
    if look.tree_is_here and member.cut is not None:
        start = member.start or member.cut
        return GoOn(cut=member.cut, at=start, since=start)
    if member.cut is not None and look.tip is not None and look.tip != member.cut and look.tip_holds_cut:
        return GoOn(cut=member.cut, at=look.tip, since=member.start or member.cut)
    onto = (batch.integration.head if needs_head(batch, member, members) else batch.base) or ""
    prior = member.prior
    if prior is None or prior.cut is None or look.kept is None or look.kept == prior.cut:
        return Anew(onto)
    if member.retries.get("conflict"):
        return Anew(onto, earlier=prior.head)
    return Carry(onto, prior.cut, look.kept)
