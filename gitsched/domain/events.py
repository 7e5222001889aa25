"""Events: what happened, in stable wire names, and the change of records each one claims.

Every state commit carries its events; together they claim every path that the commit changes, so
that replaying them gives the statuses of the tree (spec 01, "Events", property 12).
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from gitsched.domain.instants import Instant

FieldValue = str | int | bool | None | list[str] | list[int]


class EventName(StrEnum):
    """Wire names of events. They outlive the code's names; none is ever renamed."""

    INITIALISED = "initialised"
    ENQUEUED = "enqueued"
    BATCH_FORMED = "batch-formed"
    MEMBER_JOINED = "member-joined"
    SEALED = "sealed"
    SEAL_WAITING = "seal-waiting"
    BATCH_STARTED = "batch-started"
    SETTINGS_RELOADED = "settings-reloaded"
    ASSIGNED = "assigned"
    SPAWNED = "spawned"
    PROGRESS = "progress"
    EXIT_DETECTED = "exit-detected"
    VERIFY_COMPLETE = "verify-complete"
    VERIFY_INCOMPLETE = "verify-incomplete"
    STALE_MILESTONE_IGNORED = "stale-milestone-ignored"
    STALLED = "stalled"
    REDISPATCHED = "redispatched"
    FENCED = "fenced"
    SLOT_RELEASED = "slot-released"
    STOP_SENT = "stop-sent"
    KILL_SENT = "kill-sent"
    SURVIVORS_FOUND = "survivors-found"
    STRAY_COMMITS = "stray-commits"
    ISOLATION_BREACH = "isolation-breach"
    CHECKOUT_CHANGED = "checkout-changed"
    SETUP_FAILED = "setup-failed"
    MEMBER_HELD = "member-held"
    HOLD_CLEARED = "hold-cleared"
    JOB_CLAIMED = "job-claimed"
    JOB_STARTED = "job-started"
    JOB_LOST = "job-lost"
    JOB_DROPPED = "job-dropped"
    GATE_PASSED = "gate-passed"
    GATE_FAILED = "gate-failed"
    GATE_SKIPPED = "gate-skipped"
    GATE_INCONCLUSIVE = "gate-inconclusive"
    GATE_RETRIED = "gate-retried"
    FLAKY = "flaky"
    MEMBER_VERIFIED = "member-verified"
    MEMBER_LANDED = "member-landed"
    LANDING_CONFLICT = "landing-conflict"
    LANDING_FAILED = "landing-failed"
    LANDING_REPAIRED = "landing-repaired"
    COMMITS_DROPPED = "commits-dropped"
    LINEARISED_AS_ONE = "linearised-as-one"
    LATE_COMMITS = "late-commits"
    MEMBER_EVICTED = "member-evicted"
    EVICTION_DUPLICATE = "eviction-duplicate"
    MEMBER_HANDED_BACK = "member-handed-back"
    MEMBER_REQUEUED = "member-requeued"
    MEMBER_STOPPED = "member-stopped"
    MEMBER_WITHDRAWN = "member-withdrawn"
    VALIDATING = "validating"
    SUITE_PASSED = "suite-passed"
    SUITE_FAILED = "suite-failed"
    SUITE_UNREADABLE = "suite-unreadable"
    SUITE_SKIPPED = "suite-skipped"
    ATTRIBUTED = "attributed"
    SUSPICION_DROPPED = "suspicion-dropped"
    BASE_EXCUSED = "base-excused"
    BISECT_STEP = "bisect-step"
    FIX_DISPATCHED = "fix-dispatched"
    FIX_RESOLVED = "fix-resolved"
    BATCH_REBUILT = "batch-rebuilt"
    BATCH_BLOCKED = "batch-blocked"
    BATCH_RESUMED = "batch-resumed"
    BATCH_DISSOLVING = "batch-dissolving"
    BATCH_DISSOLVED = "batch-dissolved"
    BATCH_SPLIT = "batch-split"
    BATCH_PRESERVED = "batch-preserved"
    BATCH_STOPPED = "batch-stopped"
    REVIEW_PASSED = "review-passed"
    REBASING = "rebasing"
    BATCH_REBASED = "batch-rebased"
    REVALIDATED = "revalidated"
    PR_OPENED = "pr-opened"
    PR_PARKED = "pr-parked"
    PR_READY = "pr-ready"
    PR_WATCH_WAITING = "pr-watch-waiting"
    PR_WATCH_FAILED = "pr-watch-failed"
    MERGE_ACCEPTED = "merge-accepted"
    EXTERNAL_ADVANCE = "external-advance"
    ISSUE_CLOSED = "issue-closed"
    DEPLOYED = "deployed"
    DEPLOY_FAILED = "deploy-failed"
    REPORT_POSTED = "report-posted"
    REPORTED = "reported"
    TEARDOWN_DONE = "teardown-done"
    TEARDOWN_FAILED = "teardown-failed"
    DISPATCH_FAILURE = "dispatch-failure"
    DISPATCH_UNHEALTHY = "dispatch-unhealthy"
    DISPATCH_HEALTHY = "dispatch-healthy"
    PAUSED = "paused"
    RESUMED = "resumed"
    REPRIORITIZED = "reprioritized"
    REORDERED = "reordered"
    SLOTS_CHANGED = "slots-changed"
    LABEL_BLOCKED = "label-blocked"
    LABEL_CLEARED = "label-cleared"
    LABEL_CHECK_FAILED = "label-check-failed"
    DEPENDENCY_BLOCKED = "dependency-blocked"
    DEPENDENCY_CLEARED = "dependency-cleared"
    CLOSED_ON_FORGE = "closed-on-forge"
    REOPENED_ON_FORGE = "reopened-on-forge"
    ENTRY_FAILED = "entry-failed"
    ENTRY_STOPPED = "entry-stopped"
    GROUND_TRUTH_UNREACHABLE = "ground-truth-unreachable"
    DRIVER_REGISTERED = "driver-registered"
    DRIVER_LOST = "driver-lost"
    DRIVER_LIVENESS_UNKNOWN = "driver-liveness-unknown"
    DRIVER_LEFT = "driver-left"
    BUDGET_REFUSED = "budget-refused"
    WORK_PRESERVED = "work-preserved"
    RECORD_HELD = "record-held"
    UNDONE = "undone"
    BATCH_ARCHIVED = "batch-archived"
    EVIDENCE_PRUNED = "evidence-pruned"
    CHECKPOINTED = "checkpointed"
    COMPACTED = "compacted"
    MIGRATED = "migrated"
    MENDED = "mended"
    COMMAND_ACCEPTED = "command-accepted"
    COMMAND_REFUSED = "command-refused"
    COMMAND_ANSWERED = "command-answered"
    COMMENTS_READ = "comments-read"
    DELIVERY_IGNORED = "delivery-ignored"


class Claim(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an event says it did to one record."""

    status: str | None = None
    """The record's status after it; None when the status stayed, or it has none."""
    removed: bool = False


class Event(Struct, frozen=True, kw_only=True):
    """One thing that happened, and the records it changed."""

    name: EventName
    at: Instant
    sentence: str
    """One human sentence; the first event's becomes the subject of the commit."""
    batch: str | None = None
    issue: int | None = None
    gen: int | None = None
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    """By path in the state tree."""
