"""What a schedule is: work that starts in a window, perhaps after an approval, and is harvested later."""

from enum import StrEnum

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant


class ScheduleStatus(StrEnum):
    """Where a schedule stands."""

    SUBMITTED = "submitted"
    VALIDATED = "validated"
    APPROVED = "approved"
    SCHEDULED = "scheduled"
    WAITING = "waiting"
    DISPATCHING = "dispatching"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    HUMAN_REQUIRED = "human-required"
    CANCEL_REQUESTED = "cancel-requested"
    CANCELLED = "cancelled"


class Misfire(StrEnum):
    """What happens when a window has passed in which nobody drove."""

    WAIT = "wait"
    RUN = "run"
    ASK = "ask"


class Overrun(StrEnum):
    """What happens to a run that the end of its window finds at work; unstated: none starts that might."""

    FINISH = "finish"
    STOP = "stop"


class Harvest(StrEnum):
    """Who lands what a night has made."""

    MANUAL = "manual"
    AUTO = "auto"


ENDED_SCHEDULES = frozenset({ScheduleStatus.SUCCEEDED, ScheduleStatus.FAILED, ScheduleStatus.CANCELLED})
OPEN_SCHEDULES = frozenset({ScheduleStatus.DISPATCHING, ScheduleStatus.RUNNING})
"""In these, members start."""


class Schedule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Batches and issues that start when their window opens."""

    id: str
    status: ScheduleStatus
    reason: str | None = None
    issues: tuple[int, ...] = ()
    """Those that stand alone."""
    batches: tuple[str, ...] = ()
    window: str | None = None
    """`22:00-06:00`, in the zone; None: open from `at` on."""
    zone: str
    at: Instant | None = None
    """Nothing starts before."""
    latest_start_s: int | None = None
    """For how long after the window has opened work may still begin by itself."""
    overrun: Overrun | None = None
    misfire: Misfire = Misfire.WAIT
    harvest: Harvest = Harvest.MANUAL
    needs_approval: bool = False
    bound: dict[str, str] = field(default_factory=dict)
    """What the approval is bound to: SHA-256 by aspect; empty without one."""
    approved_by: str | None = None
    approved_at: Instant | None = None
    opens_at: Instant | None = None
    """When the present or next window opens."""
    closes_at: Instant | None = None
    released: dict[str, int] = field(default_factory=dict)
    """Batches whose results an operator has harvested, with their place in the order of all that ever were."""
    cancelled_by: str | None = None
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)
