"""Mending: the one bounded fix of what a member broke, before it is evicted.

1. One attempt for each member, and none where no agent is configured. It takes a slot, and waits for one.
   It costs what any run does: a budget of the day is waited for, and where any other is used up there is no attempt.
2. It is made in the batch's own tree, by the agent and at the tier of `[fix]`; for full review at `strong`.
3. The suite decides: what is red as before takes the member out. Cases that are known to be others' do not count.

See docs/explanation/gating.md, "One chance to mend it".
"""

from collections.abc import Iterable, Sequence

from gitsched.config.settings import Settings
from gitsched.domain.batches import Fix
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.state import State
from gitsched.domain.verdicts import Case
from gitsched.domain.words import LIVE_RUNS, JobKind, Review, Tier
from gitsched.policy.budget import SEARCH_JOBS
from gitsched.policy.health import stops_everything

FIX_JOB = "fix"
"""Name of the job that mends a batch."""
RED_AFTER_FIX = "suite-red-after-fix"
ERRANDS = frozenset({JobKind.FIX, JobKind.REVIEW, JobKind.REPORT})
"""Jobs that an agent does, beside the runs of members."""
SLOTTED_JOBS = SEARCH_JOBS | ERRANDS
"""Jobs that take a slot, beside the runs of members."""


def to_mend(batch: Batch, exits: Sequence[Exit], settings: Settings) -> Exit | None:
    """Choose the culprit for whom a fix is tried, in member order; None: they leave."""
    if not settings.fix.agent:
        return None
    return next((exit_ for exit_ in exits if exit_.issue not in batch.fix_attempts), None)


def wait_of(state: State) -> str | None:
    """Say why no agent starts beside the runs of members now; None: it may."""
    if stops_everything(state.control):
        return "paused"
    return "capacity" if taken_slots(state) >= state.control.slots_max else None


def taken_slots(state: State) -> int:
    """Count the slots that runs and jobs have."""
    live = sum(lease.status in LIVE_RUNS for lease in state.leases.values())
    return live + slotted_jobs(state)


def slotted_jobs(state: State) -> int:
    """Count the jobs that take a slot."""
    return sum(job.kind in SLOTTED_JOBS for job in state.jobs.values())


def tier_of(member: Member, settings: Settings) -> Tier:
    """Say how strong the agent is that mends what a member broke."""
    return Tier.STRONG if member.review is Review.FULL else settings.fix.tier


def has_helped(fix: Fix, failing: Iterable[Case]) -> bool:
    """Say whether all that still fails is known to be another member's."""
    left = {(case.file or "", case.classname, case.name) for case in failing}
    return bool(left) and left <= set(fix.others)
