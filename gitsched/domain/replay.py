"""Fold the events of a history into statuses, to be compared with the tree."""

from collections.abc import Iterable

from gitsched.domain.events import Event
from gitsched.domain.state import State, record_path


def replay(events: Iterable[Event]) -> dict[str, str]:
    """Fold events, oldest first, into the statuses that they claim, by path of the state tree."""
    statuses: dict[str, str] = {}
    for event in events:
        for path, claim in event.claims.items():
            if claim.removed:
                statuses.pop(path, None)
            elif claim.status is not None:
                statuses[path] = claim.status
    return statuses


def statuses_of(state: State) -> dict[str, str]:
    """List the statuses of everything that a machine moves, by path of the state tree."""
    moved = (state.entries, state.batches, state.members, state.leases, state.schedules)
    return {record_path(unit): unit.status.value for rows in moved for unit in rows.values()}


def claimed_by(events: Iterable[Event]) -> frozenset[str]:
    """List the paths that these events say they changed."""
    return frozenset(path for event in events for path in event.claims)
