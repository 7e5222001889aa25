"""What a batch is: its integration branch, its suite runs, its pull request, its settings."""

from typing import Any

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant
from gitsched.domain.members import Exit, Slot
from gitsched.domain.search import Search
from gitsched.domain.words import BatchKind, BatchStatus, Dispatch, PullRequestState


class SuiteRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One finished run of a suite."""

    verdict: str
    tree: str
    commit: str
    cached: bool = False
    failing: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    """Tests that failed in it, and on the base as well, where the settings let that pass."""
    detail: str | None = None
    """What it came to in words, where it did not pass; it may quote what was printed."""
    evidence: str | None = None
    duration_ms: int = 0
    generation: int = 0
    at: Instant = ""


class PullRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The batch's pull request as last seen."""

    number: int
    state: PullRequestState
    head: str
    url: str | None = None
    merged_at: Instant | None = None
    merge_commit: str | None = None
    parked_at: Instant | None = None
    """When the forge was asked to merge this head by itself."""
    lost_at: Instant | None = None
    """When that was seen to be gone; None while it stands."""


class Integration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The integration branch as recorded."""

    branch: str
    head: str | None = None


class Segment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Commits of the integration branch that are no landed member's."""

    issue: int
    """Whose they are, take back or mend."""
    kind: str
    """`undone` for those of a member that left, `revert` for those that take them back, `fix` for a mended suite."""
    start: str
    """The head right before them."""
    end: str
    """The last of them."""


class Fix(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The one bounded attempt at mending what a member broke, until the suite has judged it."""

    exit: Exit
    """How the member leaves where that does not help."""
    cases: tuple[tuple[str, str, str], ...]
    """The failing cases that are its own."""
    others: tuple[tuple[str, str, str], ...] = ()
    """Failing cases that are other members': they do not speak against it."""


class Batch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ordered list of members that share one integration branch, one suite, one pull request."""

    id: str
    kind: BatchKind
    status: BatchStatus
    reason: str | None = None
    came_from: BatchStatus | None = None
    """Where a blocked batch was when it was blocked."""
    members: tuple[Slot, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    settings_hash: str | None = None
    target: str
    base: str | None = None
    integration: Integration
    dispatch: Dispatch | None = None
    parallelism: int = 0
    priority: int = 0
    profile: str | None = None
    milestone: str | None = None
    anchor: str | None = None
    pr: PullRequest | None = None
    beside: tuple[Segment, ...] = ()
    """What stands on the integration branch beside the landed members, in the order in which it came there."""
    generation: int = 0
    evictions: tuple[Exit, ...] = ()
    suite: tuple[SuiteRun, ...] = ()
    """Finished suite runs, oldest first."""
    whole_steps: tuple[Instant, ...] = ()
    """When steps of a search ended that ran the whole suite: each is one run of it that budgets count."""
    failing: tuple[tuple[str, str, str], ...] = ()
    """Failing cases of the red suite as (file, class name, name), at most 50; one that is excused is none."""
    failing_count: int = 0
    """How many there were in all."""
    excused: tuple[tuple[str, str, str], ...] = ()
    """Cases that fail on the base as well, and are let pass."""
    search: Search | None = None
    """The search for whoever turned the suite red, while there is one."""
    suspects: tuple[int, ...] = ()
    """Members at whom evidence points, or that were found and are about to leave."""
    fix: Fix | None = None
    fix_attempts: tuple[int, ...] = ()
    """Members of which a fix was tried; none is tried twice."""
    reviewed: str | None = None
    """The tree that its reviewer has read and answered for."""
    review_respawns: int = 0
    """How often its reviewer was started again, because it had ended without a word."""
    prose: str | None = None
    """What the report's agent wrote."""
    is_prose_over: bool = False
    """That agent has ended; it is not asked again."""
    usage: dict[str, int] = field(default_factory=dict)
    """What agents have cost that worked for the whole of it."""
    rebase_attempts: int = 0
    conflicts_met: int = 0
    """How often its pull request conflicted and was rebased for that."""
    partial: bool = False
    fresh_suite: bool = False
    """An operator wants to see the suite run: no stored verdict stands for the next one."""
    renews_base: bool = False
    """An operator let it go on over a red base: it stands on the present target before its suite runs again."""
    parks_all: bool = False
    """Its dissolve parks every unshipped member on its branch and sends none back to the queue."""
    checkout_told: bool = False
    """That the user's checkout changed while it ran was told once."""
    leftovers: tuple[str, ...] = ()
    """Trees and branches that teardown could not remove, or that were kept, each with why."""
    reported: tuple[int, ...] = ()
    """Members whose report comment is posted; 0 stands for the batch's own."""
    owed: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By folder of its evidence: what checks left that there was no space for yet, and where it still is."""
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings a batch was sealed with."""

    batch: str
    hash: str
    data: dict[str, Any]
    extra: Extra = field(default_factory=dict)
