"""The closed sets of the field's words.

Values are wire names: they stand in the state, in JSON and in messages, and never change.
"""

from enum import StrEnum


class EntryStatus(StrEnum):
    """Where an issue's row in the queue stands."""

    QUEUED = "queued"
    ASSIGNED = "assigned"
    PARKED = "parked"
    BLOCKED = "blocked"
    SHIPPED = "shipped"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class MemberStatus(StrEnum):
    """Where an issue stands inside its batch."""

    WAITING = "waiting"
    PREPARING = "preparing"
    RUNNING = "running"
    VERIFYING = "verifying"
    VERIFIED = "verified"
    LANDED = "landed"
    SHIPPED = "shipped"
    EVICTED = "evicted"
    HANDED_BACK = "handed-back"
    STOPPED = "stopped"
    WITHDRAWN = "withdrawn"


class BatchStatus(StrEnum):
    """Where a batch stands."""

    FORMING = "forming"
    READY = "ready"
    EXECUTING = "executing"
    VALIDATING = "validating"
    ATTRIBUTING = "attributing"
    FIXING = "fixing"
    EVICTING = "evicting"
    REVIEWING = "reviewing"
    SHIPPING = "shipping"
    AWAITING_MERGE = "awaiting-merge"
    REBASING = "rebasing"
    REVALIDATING = "revalidating"
    MERGED = "merged"
    DEPLOYED = "deployed"
    REPORTED = "reported"
    DONE = "done"
    DISSOLVING = "dissolving"
    DISSOLVED = "dissolved"
    STOPPED = "stopped"
    BLOCKED = "blocked"


class RunStatus(StrEnum):
    """Where one attempt of an agent at a member stands."""

    ASSIGNED = "assigned"
    RUNNING = "running"
    EXITED = "exited"
    VERIFYING = "verifying"
    COMPLETE = "complete"
    RECOVERING = "recovering"
    FAILED = "failed"


class JobKind(StrEnum):
    """What the engine runs for a while."""

    SETUP = "setup"
    GATE = "gate"
    SUITE = "suite"
    STEP = "step"
    TRIAL = "trial"
    REVIEW = "review"
    FIX = "fix"
    REPORT = "report"
    DEPLOY = "deploy"


class BatchKind(StrEnum):
    """A batch of several members, or the batch of a single issue."""

    BATCH = "batch"
    SOLO = "solo"


class Dispatch(StrEnum):
    """Whether a batch's members run one after the other or side by side."""

    SERIAL = "serial"
    PARALLEL = "parallel"


class Tier(StrEnum):
    """How strong an agent is asked for."""

    MECHANICAL = "mechanical"
    MID = "mid"
    STRONG = "strong"


class Review(StrEnum):
    """How closely a member's work is looked at."""

    LIGHT = "light"
    FULL = "full"


class PullRequestState(StrEnum):
    """What the forge says of a pull request."""

    DRAFT = "draft"
    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class Method(StrEnum):
    """How an evicted member was found."""

    NONE = "none"
    PATHS = "paths"
    COVERAGE = "coverage"
    BISECT = "bisect"
    PAIR = "pair"
    GATE = "gate"


class MilestoneStatus(StrEnum):
    """What a posted milestone says of its phase."""

    DONE = "done"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    PROGRESS = "progress"


class Liveness(StrEnum):
    """What is known of a process that a record names."""

    ALIVE = "alive"
    GONE = "gone"
    UNKNOWN = "unknown"


TERMINAL_ENTRIES = frozenset({EntryStatus.DONE, EntryStatus.FAILED, EntryStatus.STOPPED})
ENDED_ENTRIES = TERMINAL_ENTRIES | {EntryStatus.SHIPPED}
"""Entries on which nobody works any more."""
TERMINAL_BATCHES = frozenset({BatchStatus.DONE, BatchStatus.DISSOLVED, BatchStatus.STOPPED})
LEFT_MEMBERS = frozenset({MemberStatus.EVICTED, MemberStatus.HANDED_BACK, MemberStatus.STOPPED, MemberStatus.WITHDRAWN})
"""Members that have left their batch."""
LANDED_MEMBERS = frozenset({MemberStatus.LANDED, MemberStatus.SHIPPED})
"""Members whose commits are on the integration branch, or went from it into the target."""
RESOLVED_MEMBERS = LEFT_MEMBERS | LANDED_MEMBERS
"""Members about which nothing is left to do before the suite."""
LIVE_RUNS = frozenset(
    {RunStatus.ASSIGNED, RunStatus.RUNNING, RunStatus.EXITED, RunStatus.RECOVERING, RunStatus.VERIFYING}
)
"""Runs that hold a slot."""
GATHERING_BATCHES = frozenset({BatchStatus.FORMING, BatchStatus.READY, BatchStatus.EXECUTING})
"""Batches whose members' work still comes in."""
PROVING_BATCHES = frozenset(
    {
        BatchStatus.VALIDATING,
        BatchStatus.ATTRIBUTING,
        BatchStatus.FIXING,
        BatchStatus.EVICTING,
        BatchStatus.REVIEWING,
        BatchStatus.SHIPPING,
        BatchStatus.REBASING,
        BatchStatus.REVALIDATING,
    }
)
"""Batches whose members' work is in, and whose pull request is not open and proven yet."""
JOINABLE_BATCHES = GATHERING_BATCHES | {BatchStatus.VALIDATING}
"""Batches that a member may still join."""
