"""The records that the state is made of: one frozen value each, written down by `gitsched.codec`.

`extra` holds fields of a record that this version does not know; they survive a round trip.
Instants end in `_at`, durations carry their unit. No record holds a float.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from gitsched.domain.instants import Instant
from gitsched.domain.words import (
    BatchKind,
    BatchStatus,
    Dispatch,
    EntryStatus,
    JobKind,
    JobStatus,
    MemberStatus,
    Method,
    PullRequestState,
    Review,
    RunStatus,
    Tier,
)

Extra = Mapping[str, Any]


class Exit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why and how a member left a batch: an eviction, or a hand-back."""

    batch: str
    issue: int
    kind: str
    """`evicted`, `handed-back`, `stopped` or `withdrawn`."""
    reason: str
    method: Method = Method.NONE
    failing: tuple[str, ...] = ()
    """Names of the failing tests, at most 50."""
    branch: str | None = None
    cut: str | None = None
    head: str | None = None
    commits: tuple[str, ...] = ()
    """The member's own commits, oldest first: those of `cut..head`."""
    reproduce: str | None = None
    """A command that shows the failure when pasted into a clone."""
    group: tuple[int, ...] = ()
    counts: bool = True
    """Whether it counts towards the dissolve threshold."""
    at: Instant = ""


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


class GateResult(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one gate came to on a member."""

    verdict: str
    cached: bool = False
    evidence: str | None = None
    """Path of the report and log below the batch's evidence ref."""
    tree: str | None = None
    fingerprint: str | None = None
    runs: int = 1
    """How often it was run on this tree; the verdict is that of all its runs."""
    failing: tuple[str, ...] = ()
    detail: str | None = None


class Member(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An issue inside a batch."""

    batch: str
    issue: int
    index: int
    """1-based, fixed when the batch seals."""
    title: str
    status: MemberStatus
    reason: str | None = None
    gen: int = -1
    """Generation of the latest run; -1 before the first."""
    tier: Tier | None = None
    review: Review = Review.LIGHT
    profile: str | None = None
    files: tuple[str, ...] = ()
    deps: tuple[int, ...] = ()
    group: tuple[int, ...] = ()
    branch: str = ""
    cut: str | None = None
    """Commit from which the member's branch was cut: its own commits are `cut..head`."""
    start: str | None = None
    """Commit at which the branch began this generation; differs from `cut` when prior work was carried."""
    prior: Exit | None = None
    """How its earlier work ended, when it continues or repeats that work."""
    head: str | None = None
    """The pinned head: exactly these commits are gated and land."""
    landed: str | None = None
    """Integration head right after it landed."""
    landed_from: str | None = None
    """Integration head right before it landed."""
    gates: dict[str, GateResult] = field(default_factory=dict)
    allow: tuple[str, ...] = ()
    hold: str | None = None
    text_hash: str | None = None
    """SHA-256 of the issue text that was given to the agent."""
    recoveries: int = 0
    """Rungs of the ladder used."""
    retries: dict[str, int] = field(default_factory=dict)
    """Uncharged retries by cause: `setup`, `conflict`, `wait`, `lost`, `provider`, `procedure`."""
    tree: str | None = None
    """Absolute path of the worktree it has, if any; meaningful on `tree_host` alone."""
    tree_host: str | None = None
    setup_done: int = 0
    """How many of the setup commands have run in its tree."""
    keeps_tree: bool = False
    """The tree stays out of the pool for a gate that is to be run again."""
    regate: tuple[str, ...] = ()
    """Gates that an operator wants to see run again after it landed; no stored verdict stands for them."""
    survivors: tuple[str, ...] = ()
    """Processes that left the agent's group and outlived it, as `pid name`."""
    usage: dict[str, int] = field(default_factory=dict)
    """Summed over runs: `usd_micros`, `tokens`, `turns`, `agent_ms`, `unknown_runs`, `runs`."""
    verified_at: Instant | None = None
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class Slot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A member's place in its batch: position and issue."""

    index: int
    issue: int


class SuiteRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One finished run of a suite."""

    verdict: str
    tree: str
    commit: str
    cached: bool = False
    failing: tuple[str, ...] = ()
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


class Integration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The integration branch as recorded."""

    branch: str
    head: str | None = None


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
    generation: int = 0
    evictions: tuple[Exit, ...] = ()
    suite: tuple[SuiteRun, ...] = ()
    """Finished suite runs, oldest first."""
    failing: tuple[tuple[str, str, str], ...] = ()
    """Failing cases of the red suite as (file, class name, name), at most 50."""
    suspects: tuple[int, ...] = ()
    """Members that attribution named and that are about to leave."""
    fix_attempts: tuple[int, ...] = ()
    rebase_attempts: int = 0
    partial: bool = False
    fresh_suite: bool = False
    """An operator wants to see the suite run: no stored verdict stands for the next one."""
    parks_all: bool = False
    """Its dissolve parks every unshipped member on its branch and sends none back to the queue."""
    checkout_told: bool = False
    """That the user's checkout changed while it ran was told once."""
    leftovers: tuple[str, ...] = ()
    """Trees and branches that teardown could not remove, or that were kept, each with why."""
    reported: tuple[int, ...] = ()
    """Members whose report comment is posted; 0 stands for the batch's own."""
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings a batch was sealed with (spec 01, "Batch")."""

    batch: str
    hash: str
    data: dict[str, Any]
    extra: Extra = field(default_factory=dict)


class Holder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The process behind a lease, a job or a driver."""

    host: str
    boot_id: str
    pid: int
    started: str
    """The process's start time as its kernel tells it; tells two users of one pid apart."""
    driver: str


class Lease(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run's right to a slot."""

    batch: str
    issue: int
    slot: int
    gen: int
    status: RunStatus
    token: str
    """Random; only the worker of this generation knows it."""
    holder: Holder
    """The driver that prepares the run; after the spawn its worker is found through the run ref."""
    profile: str
    tier: Tier | None = None
    reason: str | None = None
    """Why it is recovering, for instance `stalled`, `provider:529`."""
    checkout: dict[str, Any] | None = None
    """The user's checkout as it was right before the spawn, for comparing (a `CheckoutLook`)."""
    not_before_at: Instant | None = None
    stop_sent_at: Instant | None = None
    kill_sent_at: Instant | None = None
    acquired_at: Instant
    spawned_at: Instant | None = None
    ttl_s: int = 300
    extra: Extra = field(default_factory=dict)


class Job(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something the engine runs for a while: claimed, run detached, recorded by whoever sees its end."""

    batch: str
    name: str
    """Unique in its batch, for instance `gate-unit-3` or `suite`."""
    kind: JobKind
    status: JobStatus
    gen: int
    token: str
    commit: str
    tree: str
    """Object id of the tree that is judged."""
    fingerprint: str
    issue: int | None = None
    check: str | None = None
    """Name of the gate."""
    place: str | None = None
    """Worktree that it runs in."""
    argv: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    """Names of variables that pass to it although they look secret."""
    owner: Holder
    started_at: Instant
    timeout_ms: int = 0
    extra: Extra = field(default_factory=dict)


class Driver(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A process that reconciles."""

    id: str
    host: str
    boot_id: str
    pid: int
    started: str
    registered_at: Instant
    extra: Extra = field(default_factory=dict)


class Spawned(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One spawn, remembered for ageing."""

    issue: int
    ready_at: Instant
    at: Instant


class EarlyExit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An unverified exit soon after its spawn, remembered for dispatch health."""

    issue: int
    at: Instant


class Control(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for the whole store."""

    slots_max: int = 2
    paused: bool = False
    pause_reason: str | None = None
    paused_by: str | None = None
    """`operator` or `engine`."""
    resets_at: Instant | None = None
    limited: dict[str, Instant | None] = field(default_factory=dict)
    """Profiles under a usage limit, with the reset that their provider stated."""
    provider_errors: int = 0
    """Provider errors in a row, over all runs."""
    early_exits: tuple[EarlyExit, ...] = ()
    spawned: tuple[Spawned, ...] = ()
    """The latest spawns, oldest first, at most 256."""
    next_batch: int = 1
    failed_sets: tuple[tuple[int, ...], ...] = ()
    """Sets of members that were dissolved as failing, each sorted."""
    extra: Extra = field(default_factory=dict)


class Format(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which store this is and how it is written down."""

    format: int = 1
    store: str = ""
    generation: int = 1
    extra: Extra = field(default_factory=dict)


class StoredVerdict(Struct, frozen=True, kw_only=True):
    """What one check came to on a tree."""

    check: str
    verdict: str
    batch: str
    """Where it was run; its evidence is there."""
    failing: tuple[str, ...] = ()
    evidence: str | None = None
    at: Instant = ""


class Judged(Struct, frozen=True, kw_only=True):
    """The verdicts on a tree that may stand for the same check again (spec 04, "Verdicts")."""

    tree: str
    verdicts: dict[str, StoredVerdict]
    """By fingerprint: SHA-256 of what the check is (name, argv, kind, configuration, declared environment)."""
    extra: Extra = field(default_factory=dict)


Record = Entry | Member | Batch | Settings | Lease | Job | Judged | Driver | Control | Format
"""Everything that has a path of its own in the state tree."""
