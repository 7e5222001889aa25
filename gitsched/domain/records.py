"""The records that the state is made of: one frozen value each, written down by `gitsched.codec`.

`extra` holds fields of a record that this version does not know; they survive a round trip.
Instants end in `_at`, durations carry their unit. No record holds a float.
"""

from msgspec import Struct, field

from gitsched.domain.batches import Batch, Integration, PullRequest, Settings, SuiteRun
from gitsched.domain.commands import Heard
from gitsched.domain.control import Control, EarlyExit, Format, Spawned
from gitsched.domain.costs import DayCosts, Rates
from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant
from gitsched.domain.leases import Driver, Holder, Job, Lease
from gitsched.domain.members import Exit, GateResult, Member, Slot
from gitsched.domain.schedules import Schedule
from gitsched.domain.verdict_store import Judged, StoredVerdict
from gitsched.domain.words import EntryStatus, Review, Tier

__all__ = [
    "Batch",
    "Control",
    "DayCosts",
    "Driver",
    "EarlyExit",
    "Entry",
    "Exit",
    "Extra",
    "Format",
    "GateResult",
    "Heard",
    "Holder",
    "Integration",
    "Job",
    "Judged",
    "Lease",
    "Member",
    "PullRequest",
    "Rates",
    "Record",
    "Schedule",
    "Settings",
    "Slot",
    "Spawned",
    "StoredVerdict",
    "SuiteRun",
]


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An issue's row in the queue."""

    issue: int
    title: str
    status: EntryStatus
    reason: str | None = None
    batch: str | None = None
    deps: tuple[int, ...] = ()
    priority: int = 0
    tier: Tier | None = None
    review: Review = Review.LIGHT
    profile: str | None = None
    files: tuple[str, ...] = ()
    """Declared write set as globs; empty is unknown."""
    group: tuple[int, ...] = ()
    branch: str | None = None
    """The kept branch from which a requeue continues."""
    target: str | None = None
    hold: str | None = None
    """Why an operator or the engine keeps it out, without changing its status."""
    allow: tuple[str, ...] = ()
    """Hazards that an operator let through, as `hazard:<kind>`."""
    evidence: tuple[Exit, ...] = ()
    """Earlier exits, oldest first."""
    attempt: int = 0
    """How many solo batches it has had."""
    created_at: Instant = ""
    updated_at: Instant = ""
    """Readiness age: when it last became what it is. Bookkeeping does not touch it."""
    extra: Extra = field(default_factory=dict)


Record = (
    Entry
    | Member
    | Batch
    | Settings
    | Lease
    | Job
    | Judged
    | Driver
    | Heard
    | DayCosts
    | Rates
    | Schedule
    | Control
    | Format
)
"""Everything that has a path of its own in the state tree."""
