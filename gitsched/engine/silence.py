"""Silence: for how long each run has shown no sign of life.

Measured on the monotonic clock, which stands still while the machine sleeps, from the last sign that this driver saw.
A wall clock that is wrong or jumps can only shorten a silence: what a sign says of its own age counts at most for the
time since the look before. A driver that has just begun has no look before: it goes by the ages of the newest signs,
less what the machine has slept since it was started. Of runs of other hosts it starts with nothing, and while nothing
can be heard of them, as the remote is away, they are not silent.
"""

from collections.abc import Mapping

from msgspec import Struct

from gitsched.domain.ids import branch_ref
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Lease, Member
from gitsched.domain.runs import RunLook
from gitsched.domain.state import State
from gitsched.domain.words import Liveness, RunStatus
from gitsched.ports.refs import Refs
from gitsched.ports.runner import HostClock


class Signs(Struct, frozen=True):
    """Everything that tells that a run lives."""

    head: str | None
    """Of the member's branch."""
    milestone_count: int
    newest_at: Instant
    """When the newest of those that have a time of their own was: its output, its last milestone, its start."""


class Heard(Struct, frozen=True):
    """The last signs of a run."""

    signs: Signs
    since_s: float
    """When the silence began, on the monotonic clock."""
    looked_s: float
    """When they were looked for last."""


class Listener:
    """Listens for the signs of life of all runs, for one driver."""

    def __init__(self, clock: HostClock, refs: Refs) -> None:
        """Begin without any memory."""
        self._clock = clock
        self._refs = refs
        self._heard: dict[tuple[str, int, int], Heard] = {}
        self._deaf_since_s: float | None = None

    def miss(self) -> None:
        """Take note that nothing can be heard of other hosts now, until the next look."""
        self._deaf_since_s = self._clock.monotonic_s() if self._deaf_since_s is None else self._deaf_since_s

    def silences(
        self, state: State, runs: Mapping[tuple[str, int], RunLook], host: str
    ) -> dict[tuple[str, int], float]:
        """Tell for how long each run whose worker lives has been silent, in seconds."""
        heard: dict[tuple[str, int, int], Heard] = {}
        deaf_s = self._clock.monotonic_s() - self._deaf_since_s if self._deaf_since_s is not None else 0.0
        self._deaf_since_s = None
        for key, look in runs.items():
            lease, member = state.leases[key], state.members.get(key)
            if member is None or lease.status is not RunStatus.RUNNING or look.worker is not Liveness.ALIVE:
                continue
            name = (lease.batch, lease.issue, lease.gen)
            is_ours, before = lease.holder.host == host and not look.is_far, self._heard.get(name)
            if before is not None and not is_ours:
                before = Heard(before.signs, before.since_s + deaf_s, before.looked_s)
            heard[name] = self._listen(before, self._signs(lease, member, look), is_ours=is_ours)
        self._heard = heard
        return {(batch, issue): found.looked_s - found.since_s for (batch, issue, _), found in heard.items()}

    def _signs(self, lease: Lease, member: Member, look: RunLook) -> Signs:
        milestones = look.record.milestones if look.record is not None else ()
        dated = [lease.spawned_at or lease.acquired_at, look.output_at or "", *(posted.at for posted in milestones)]
        return Signs(self._refs.resolve(branch_ref(member.branch)), len(milestones), max(dated))

    def _listen(self, before: Heard | None, signs: Signs, *, is_ours: bool) -> Heard:
        now_s = self._clock.monotonic_s()
        if before is None:
            age_s = max(0.0, self._age_s(signs) - self._clock.slept_s()) if is_ours else 0.0
            return Heard(signs, now_s - age_s, now_s)
        if before.signs == signs:
            return Heard(signs, before.since_s, now_s)
        # A commit has no time of its own that could be believed: it may be as new as this look.
        age_s = self._age_s(signs) if before.signs.head == signs.head and is_ours else 0.0
        return Heard(signs, now_s - min(max(0.0, age_s), now_s - before.looked_s), now_s)

    def _age_s(self, signs: Signs) -> float:
        return seconds_between(signs.newest_at, self._clock.now())
