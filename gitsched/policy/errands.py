"""Errands: what agents do for a batch beside the runs of its members: mend it, review it, write into its report.

1. An errand takes a slot and waits for one, and nothing of it starts while the scheduler is paused.
2. It asks every budget that a run would ask. Its cost counts for its member, or else for its batch.
3. A review that ends without a word is tried again, twice; then a person is asked. The same tree is reviewed once.
4. A report is not kept from its readers: where its agent may not start, it has no prose.

See docs/reference/states.md, "Batch".
"""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from gitsched.config.profiles import resolve_profile
from gitsched.config.settings import Settings
from gitsched.domain.records import Batch, Member
from gitsched.domain.runs import Milestone, RunEnd
from gitsched.domain.words import BatchStatus, JobKind, MilestoneStatus, Tier
from gitsched.policy.budget import Purse, Unit
from gitsched.policy.mending import tier_of, wait_of
from gitsched.policy.situation import Situation

REVIEW_JOB: Final = "review"
REPORT_JOB: Final = "report"
REVIEW_PHASES: Final = frozenset({"review-batch", "review"})
RESPAWNS_MOST: Final = 2
RESPAWN_CAP: Final = "respawn-cap:review"
PROSE_CHARS: Final = 4_000
STAGES: Final = {
    BatchStatus.FIXING: JobKind.FIX,
    BatchStatus.REVIEWING: JobKind.REVIEW,
    BatchStatus.DEPLOYED: JobKind.REPORT,
}
"""Where a batch stands while somebody runs an errand for it."""


class Errand(Struct, frozen=True, kw_only=True):
    """One that is due."""

    agent: str
    tier: Tier
    issue: int = 0
    """The member it is for; 0: the whole batch."""


def errand_of(batch: Batch, members: Iterable[Member], settings: Settings) -> Errand | None:
    """Name the errand that is due where a batch stands; None: there is none."""
    if batch.status is BatchStatus.FIXING and (fix := batch.fix) is not None:
        member = next(one for one in members if one.issue == fix.exit.issue)
        return Errand(agent=settings.fix.agent, tier=tier_of(member, settings), issue=member.issue)
    if batch.status is BatchStatus.REVIEWING and settings.review.agent:
        return Errand(agent=settings.review.agent, tier=settings.review.tier)
    if batch.status is BatchStatus.DEPLOYED and settings.report.agent and not batch.is_prose_over:
        return Errand(agent=settings.report.agent, tier=settings.report.tier)
    return None


def unit_of(batch: Batch, errand: Errand, settings: Settings) -> Unit:
    """Show an errand as budgets see it."""
    profile = resolve_profile(settings.agents, errand.agent, errand.tier)
    usage = profile.usage if profile is not None else "none"
    return Unit(batch=batch.id, issue=errand.issue, profile=errand.agent, tier=errand.tier, usage=usage)


def errand_wait(situation: Situation, batch: Batch) -> str | None:
    """Say why the errand of a batch does not start now: `paused`, `capacity` or a budget; None: it may."""
    settings = situation.settings_of(batch)
    errand = errand_of(batch, situation.state.members_of(batch), settings)
    if errand is None:
        return None
    refusals = Purse(situation).refusals(unit_of(batch, errand, settings))
    return wait_of(situation.state) or next((reason for _, reason in refusals), None)


class Accepted(Struct, frozen=True):
    """The reviewer has nothing against the batch."""


class Objected(Struct, frozen=True):
    """The reviewer has something against it, or could not say; the reason is its own word, made fit."""

    reason: str
    detail: str


class Unanswered(Struct, frozen=True):
    """The reviewer ended without a word."""


def review_answer(
    milestones: Iterable[Milestone], gen: int, end: RunEnd, *, exit_counts: bool
) -> Accepted | Objected | Unanswered:
    """Say what a review that has ended came to; the last word of its own generation counts."""
    for said in reversed([one for one in milestones if one.gen == gen]):
        if said.status in (MilestoneStatus.BLOCKED, MilestoneStatus.PARTIAL):
            reason = said.keys.get("reason", "")
            return Objected(f"review-blocked:{_slug(reason)}", reason)
        if said.status is MilestoneStatus.DONE and said.phase in REVIEW_PHASES:
            return Accepted()
    is_good = exit_counts and end.code == 0 and end.spawn_error is None and not end.timed_out
    return Accepted() if is_good else Unanswered()


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-") or "no-reason"
