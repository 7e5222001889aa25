"""Hygiene: what a store needs no longer where it is: ended batches, rescued work, old evidence.

What anything unfinished may still ask for stays, whatever its age.
"""

from collections.abc import Mapping

from gitsched.domain.instants import Instant, after
from gitsched.domain.records import Batch
from gitsched.domain.state import State
from gitsched.domain.words import TERMINAL_BATCHES, EntryStatus

RESCUES_KEPT_S = 14 * 86_400.0
"""How long rescued work is kept."""
_RESCUES = "refs/gitsched/rescue/"


def archivable(state: State) -> tuple[str, ...]:
    """List the ended batches that nothing live hangs on: no run, no job, no worktree, no record that is lost."""
    held = {batch for batch, _ in (*state.leases, *state.jobs)}
    held |= {member.batch for member in state.members.values() if member.tree is not None}
    held |= {path.split("/")[1] for path in state.unreadable if path.startswith("batches/")}
    over = (batch for batch in state.batches_in_order() if batch.status in TERMINAL_BATCHES)
    return tuple(batch.id for batch in over if batch.id not in held)


def prunable_rescues(state: State, saved: Mapping[str, Instant], now: Instant) -> tuple[str, ...]:
    """List the refs of rescued work that is old enough and that no parked row and no live batch may ask for.

    `saved` tells when the work behind each ref was saved.
    """
    parked = {str(row.issue) for row in state.entries.values() if row.status is EntryStatus.PARKED}
    live = {batch.id for batch in state.batches.values() if batch.status not in TERMINAL_BATCHES}
    before = after(now, -RESCUES_KEPT_S)

    def is_needless(ref: str) -> bool:
        batch, _, rest = ref.removeprefix(_RESCUES).partition("/")
        return batch not in live and rest.partition("/")[0] not in parked

    return tuple(sorted(ref for ref, at in saved.items() if at < before and is_needless(ref)))


def prunable_evidence(state: State, ended: State, now: Instant, keep_s: float) -> tuple[str, ...]:
    """List the batches that have been over for so long that their evidence may go, unless a parked row names it."""
    before = after(now, -keep_s)
    asked = {
        exit_.batch for row in state.entries.values() if row.status is EntryStatus.PARKED for exit_ in row.evidence
    }

    def is_old(batch: Batch) -> bool:
        return batch.status in TERMINAL_BATCHES and batch.updated_at < before and batch.id not in asked

    everything = {**ended.batches, **state.batches}
    return tuple(sorted(batch.id for batch in everything.values() if is_old(batch)))
