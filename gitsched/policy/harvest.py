"""Harvest: when what a schedule has made may merge.

1. It waits for an operator, unless its schedule leaves that to the engine.
2. Harvested results merge one after the other, in the order in which they were let go, each tested again where the
   target has moved.

See docs/how-to/overnight.md, "In the morning".
"""

from gitsched.domain.merging import BY_A_PERSON, BY_ITSELF, MergeBy
from gitsched.domain.records import Batch, Schedule
from gitsched.domain.schedules import Harvest, ScheduleStatus
from gitsched.domain.state import State
from gitsched.domain.words import PROVING_BATCHES, BatchStatus
from gitsched.policy.booked import holds
from gitsched.policy.situation import Situation

_MERGING = PROVING_BATCHES | {BatchStatus.AWAITING_MERGE}


def harvesting(state: State, batch: Batch) -> Schedule | None:
    """Find the schedule whose harvest a batch waits for, or has been let go by; the latest one counts."""
    found = [s for _, s in sorted(state.schedules.items()) if holds(s, state, batch.id, None)]
    kept = [s for s in found if s.harvest is Harvest.MANUAL and s.status is not ScheduleStatus.CANCELLED]
    return kept[-1] if kept else None


def let_go(state: State) -> dict[str, int]:
    """List every batch that was harvested, with its place in the order."""
    return {name: place for schedule in state.schedules.values() for name, place in schedule.released.items()}


def mechanism_of(situation: Situation, batch: Batch) -> MergeBy:
    """Say what merges a batch: as it was configured, and with a harvest of one's own nothing before it was let go."""
    configured = situation.settings_of(batch).ship.merge_by
    schedule = harvesting(situation.state, batch)
    if schedule is None:
        return configured
    if batch.id not in schedule.released:
        return BY_A_PERSON
    own = schedule.released[batch.id]
    earlier = (name for name, place in let_go(situation.state).items() if place < own)
    known = (situation.state.batches.get(name) for name in earlier)
    if any(other is not None and other.status in _MERGING for other in known):
        return BY_A_PERSON
    return BY_ITSELF if configured == BY_A_PERSON else configured
