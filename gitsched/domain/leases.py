"""Who holds what: slots, jobs, drivers, each with the process behind it."""

from typing import Any

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant
from gitsched.domain.runs import ProcessName
from gitsched.domain.search import SearchStep
from gitsched.domain.words import JobKind, RunStatus, Tier


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
    """Why it is recovering, for instance `provider:529`; of one that runs, why it is being ended: `stalled`."""
    checkout: dict[str, Any] | None = None
    """The user's checkout as it was right before the spawn, for comparing (a `CheckoutLook`)."""
    not_before_at: Instant | None = None
    stop_sent_at: Instant | None = None
    kill_sent_at: Instant | None = None
    acquired_at: Instant
    spawned_at: Instant | None = None
    ttl_s: int = 300
    """For how long it holds where its holder's host gives no sign of life, whatever others have configured."""
    reserved: dict[str, int] = field(default_factory=dict)
    """What the run is expected to cost, in amounts by kind, until it has told what it did cost."""
    worked_by: str | None = None
    """The person who works it by hand; then no agent is started and no worker watches."""
    extra: Extra = field(default_factory=dict)


class Job(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something the engine runs for a while: claimed, run detached, recorded by whoever sees its end."""

    batch: str
    name: str
    """Unique in its batch, for instance `gate-unit-3` or `suite`."""
    kind: JobKind
    gen: int
    token: str
    commit: str
    tree: str
    """Object id of the tree that is judged."""
    fingerprint: str
    issue: int | None = None
    check: str | None = None
    """Name of the gate."""
    step: SearchStep | None = None
    """What a step of a search is about."""
    place: str | None = None
    """Worktree that it runs in."""
    argv: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    """Names of variables that pass to it although they look secret."""
    owner: Holder
    started_at: Instant
    timeout_ms: int = 0
    tier: Tier | None = None
    """Of an agent's job."""
    conversion: str = ""
    """Hash of what decides, outside of any commit, how contents become files, as it was when the job was claimed."""
    reserved: dict[str, int] = field(default_factory=dict)
    """What an agent's job is expected to cost, as of a run."""
    extra: Extra = field(default_factory=dict)

    @property
    def run(self) -> str:
        """Name its run: another for every claim, so that nothing an earlier one left is taken for its own."""
        return f"{self.name}.{self.token[:8]}"


class Driver(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A process that reconciles."""

    id: str
    host: str
    boot_id: str
    pid: int
    started: str
    registered_at: Instant
    doubt_told: bool = False
    """That nobody here can tell whether it lives was told once."""
    extra: Extra = field(default_factory=dict)

    @property
    def process(self) -> ProcessName:
        """Name the process that drives."""
        return ProcessName(host=self.host, boot_id=self.boot_id, pid=self.pid, started=self.started)
