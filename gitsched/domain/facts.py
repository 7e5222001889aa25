"""Facts: what one pass has read of the world outside the state. Policy decides on a state and these alone."""

from collections.abc import Mapping

from msgspec import Struct, field

from gitsched.domain.forge import Issue, Published, PullRequestView, Rollout
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.runs import RunLook
from gitsched.domain.words import Liveness


class Facts(Struct, frozen=True, kw_only=True):
    """One look at the world. What was not looked at is missing; what could not be read is Unreachable."""

    now: Instant
    driver: str
    """The driver that looks."""
    host: str = ""
    """Its host: trees of other hosts are not its business."""
    runs: Mapping[tuple[str, int], RunLook] = field(default_factory=dict)
    """Of every lease, by (batch, issue)."""
    jobs: Mapping[tuple[str, str], RunLook] = field(default_factory=dict)
    """Of every job, by (batch, job)."""
    silent_s: Mapping[tuple[str, int], float] = field(default_factory=dict)
    """Of every lease whose worker lives: for how long it has shown no sign of life, the machine's sleep left out."""
    published: Mapping[tuple[str, int], tuple[Published, ...]] = field(default_factory=dict)
    """Of every run going on: what it brought to the forge by itself."""
    drivers: Mapping[str, Liveness] = field(default_factory=dict)
    issues: Mapping[int, Issue] | Unreachable = field(default_factory=dict)
    """Of every entry that is not over."""
    requests: Mapping[str, PullRequestView | Unreachable | None] = field(default_factory=dict)
    """Of every batch that waits for its merge."""
    shipped: Mapping[str, str] = field(default_factory=dict)
    """Of blocked batches whose work the target holds all the same: how it proves that."""
    rollouts: Mapping[str, Rollout | Unreachable | None] = field(default_factory=dict)
    """Of every merged batch whose deployment the forge is to tell: None where there is none yet."""
    profiles: frozenset[str] = frozenset()
    """Profiles that can be resolved and whose program is on PATH."""
    default_profile: str | None = None
    """What `agents.default` comes to here; None when nothing was found."""
    zone: str = "UTC"
    """Name of the zone that this host's clocks go by."""
    remote: Unreachable | None = None
    """The remote that is the authority, when it does not answer: nothing is decided then."""
    hosts: Mapping[str, Liveness] = field(default_factory=dict)
    """Of every other host (clone) that a record names."""
    disk_low: bool = False
    may_admit: bool = True
    """False once the operator asked this driver to stop admitting."""
