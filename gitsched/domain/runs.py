"""One run as its worker and its posts write it down on the run ref.

The same record serves an agent's run and a job (gate, suite, setup): a process that was started detached,
and how it ended.
"""

from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Final

from msgspec import Struct, field

from gitsched.domain.instants import Instant
from gitsched.domain.words import Liveness, MilestoneStatus

POST_TOKEN: Final = "GITSCHED_POST_TOKEN"  # noqa: S105 - the name of a variable
"""The variable in which a run finds what its posts prove themselves by; nobody else is given it."""


def digest_of(token: str) -> str:
    """Name a token without telling it."""
    return sha256(token.encode()).hexdigest()


class ProcessName(Struct, frozen=True, kw_only=True):
    """A process, told apart from every other that ever had its pid."""

    host: str
    boot_id: str
    pid: int
    started: str
    """Start time as the kernel tells it."""


class GitCommand(Struct, frozen=True, kw_only=True):
    """A git command that a run called, as git itself told it."""

    name: str
    worktree: str
    """The top folder of the worktree it worked in."""
    code: int | None = None
    """How it ended; None: nobody knows."""


class Milestone(Struct, frozen=True, kw_only=True):
    """A durable progress record that a run posted."""

    phase: str
    status: MilestoneStatus
    gen: int
    at: Instant
    keys: Mapping[str, str] = field(default_factory=dict)
    """At least `reason` when blocked or partial; `head` of a `review done`."""

    @property
    def is_terminal(self) -> bool:
        """Say whether it ends a run: a finished review, or a hand-back."""
        if self.status in (MilestoneStatus.BLOCKED, MilestoneStatus.PARTIAL):
            return True
        return self.phase == "review" and self.status is MilestoneStatus.DONE


class RunEnd(Struct, frozen=True, kw_only=True):
    """How a run's process ended, as its worker saw it."""

    code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    spawn_error: str | None = None
    """The command could not be started at all."""
    stopped: bool = False
    """It was ended on request, not by itself."""
    at: Instant
    head: str | None = None
    """HEAD of its worktree at the end."""
    duration_ms: int = 0
    output_cut: bool = False
    """The log reached `output` and was cut with a mark."""
    survivors: tuple[str, ...] = ()
    """Processes that left its group and outlived it, as `pid name`."""
    usage: Mapping[str, int] | None = None
    """`usd_micros`, `tokens`, `turns`; None when nothing was reported."""
    budget: str | None = None
    """The budget that its own stream says was used up, for instance `turns`."""
    provider: Mapping[str, Any] | None = None
    """A recognised provider error at the end of its own output: `status`, `resets_at`."""
    waiting: bool = False
    """Its last words announce waiting for background work."""
    last_tool: str | None = None
    tail: str = ""
    """Last lines of its own output, redacted, without control characters, at most 4,000 characters."""


class RunRecord(Struct, frozen=True, kw_only=True):
    """One run: who works, what it posted, how it ended."""

    batch: str
    name: str
    """The issue's number, or the job's name."""
    gen: int
    token: str
    """Of the lease; empty while the generation is only fenced off and no worker has claimed it."""
    post_token_sha256: str = ""
    """Digest of what posts from inside it prove themselves by; empty: a person's, or an older worker's."""
    worker: ProcessName
    """Who claimed it; the fencing driver while nobody has."""
    agent: ProcessName | None = None
    group: int | None = None
    """Process group of the agent."""
    started_at: Instant
    phase: str | None = None
    milestones: tuple[Milestone, ...] = ()
    """In the order in which they were posted."""
    end: RunEnd | None = None
    log: str | None = None
    """Absolute path of its log on the worker's host."""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_fence(self) -> bool:
        """Say whether it only bars older generations and still waits for its worker."""
        return not self.token

    def is_spoken_for(self, token: str) -> bool:
        """Say whether somebody who holds this token may post for the run."""
        known = self.post_token_sha256
        return not known or compare_digest(known, digest_of(token))


class RunLook(Struct, frozen=True, kw_only=True):
    """What a driver sees of one run: its record, if it wrote one, and whether its worker lives."""

    record: RunRecord | None
    worker: Liveness
    agent: Liveness = Liveness.UNKNOWN
    output_at: Instant | None = None
    """When its log last grew, where this host can tell."""
    is_far: bool = False
    """A worker elsewhere has it: no host of drivers is nearer to it than another."""


class RunOrder(Struct, frozen=True, kw_only=True):
    """Everything a worker needs to run one command to its end, the driver alive or not.

    The command's environment is not in it: the worker is started with it, so that no secret is ever in a file.
    """

    batch: str
    name: str
    gen: int
    token: str
    argv: tuple[str, ...]
    cwd: str
    folder: str
    """Where prompt, log and the order itself lie: one folder per run and generation."""
    repository: str
    """Common git directory of the repository that holds the run ref."""
    stdin_file: str | None = None
    log_file: str
    timeout_s: float
    output_bytes: int
    kill_grace_s: float
    secrets: tuple[str, ...] = ()
    """Names of environment variables whose values must not appear in what is kept."""
    usage: str = "none"
    """Parser of the agent's usage stream."""
    caps: Mapping[str, int] = {}
    """What the run may use, by kind of amount; one that uses more is ended."""
    head_of: str | None = None
    """Worktree whose HEAD is recorded at the end."""


FAR_TREE = "@gitsched-tree@"
"""Stands in a far order for the tree that its worker makes."""
FAR_FOLDER = "@gitsched-folder@"
"""Stands in a far order for the folder of its files."""


class FarOrder(Struct, frozen=True, kw_only=True):
    """An order for a worker on another machine, and everything that is not there already.

    No value of a variable is in it but those that say who the run is: a worker takes the rest from where it is.
    """

    order: RunOrder
    """Paths in it begin with `FAR_TREE` or `FAR_FOLDER`."""
    identity: Mapping[str, str]
    """The variables that say who the run is."""
    env: tuple[str, ...] = ()
    """Names of variables that pass to the agent although they look secret."""
    files: Mapping[str, str]
    branch: str
    integration: str
    at: str
    """The commit that the branch is at."""
    host: str
    """Where it was ordered."""
    ordered_at: Instant
    sign_s: float
    """How many seconds may pass between two signs of life."""
    is_taken: bool = False
    """A worker has claimed it."""


LEFT, OUTPUT_AT, FORGE_JOB = "left", "output_at", "forge_job"
"""Extra fields of a far run's record: the commit that holds what it left uncommitted, when its output last grew, and
the forge's name for the job that works it."""
