"""Order: which candidate comes first.

1. One that was overtaken too often, or too long ago for the first time, comes before all others.
2. Then higher priority.
3. Then readiness age: whoever has been ready longer.
4. Then the index in its batch, then the issue number.
"""

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import State


class Candidate(Struct, frozen=True, kw_only=True):
    """An issue that could be given a slot: a queued entry, or a waiting member of a sealed batch."""

    entry: Entry
    batch: Batch | None = None
    member: Member | None = None
    is_aged: bool = False
    """It has been overtaken so often that the next fitting slot is its own."""

    @property
    def issue(self) -> int:
        """Name its issue."""
        return self.entry.issue

    @property
    def priority(self) -> int:
        """Tell its priority: the batch's, or its own when it stands alone."""
        return self.batch.priority if self.batch is not None else self.entry.priority

    @property
    def ready_at(self) -> Instant:
        """Tell since when it has been ready."""
        return self.member.updated_at if self.member is not None else self.entry.updated_at

    @property
    def files(self) -> tuple[str, ...]:
        """Tell its declared write set; empty is unknown."""
        return self.member.files if self.member is not None else self.entry.files


def rank(candidates: list[Candidate]) -> list[Candidate]:
    """Sort candidates so that the first is the next to be given a slot."""
    return sorted(candidates, key=_key)


def _key(candidate: Candidate) -> tuple[bool, int, Instant, int, int]:
    index = candidate.member.index if candidate.member is not None else 0
    return (not candidate.is_aged, -candidate.priority, candidate.ready_at, index, candidate.issue)


def is_aged(state: State, since: tuple[Instant, int], settings: Settings, now: Instant) -> bool:
    """Say whether later arrivals have overtaken somebody too often, or for too long.

    `since` is the instant of readiness and the issue, which decides between those who came in the same millisecond.
    """
    spawned = state.control.spawned
    overtakers = [spawn for spawn in spawned if (spawn.ready_at, spawn.issue) > since and spawn.at >= since[0]]
    if len(overtakers) >= settings.admission.overtaken_count:
        return True
    return bool(overtakers) and seconds_between(overtakers[0].at, now) > settings.admission.overtaken_for_s
