"""What a member is: its place in a batch, its gates, and how it left."""

from typing import Any

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant
from gitsched.domain.words import MemberStatus, Method, Review, Tier


class Exit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why and how a member left a batch: an eviction, or a hand-back."""

    batch: str
    issue: int
    kind: str
    """`evicted`, `handed-back`, `stopped` or `withdrawn`."""
    reason: str
    detail: str | None = None
    """What the reason is about: paths, counts, names. It may quote the member's work."""
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
    follow_up: int | None = None
    """The draft of an issue that was opened about it."""
    at: Instant = ""


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
    """Uncharged retries by cause: `setup`, `conflict`, `wait`, `lost`, `provider`, `procedure`,
    `environment`."""
    tree: str | None = None
    """Absolute path of the worktree it has, if any; meaningful on `tree_host` alone."""
    tree_host: str | None = None
    requests: tuple[int, ...] = ()
    """Pull requests that its agents opened by themselves, against the rules, and have been told about."""
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
    owed: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Summaries, by generation, of runs whose evidence there was no space for yet."""
    verified_at: Instant | None = None
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class Slot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A member's place in its batch: position and issue."""

    index: int
    issue: int
