"""What reading verbs look at: the picture of a clone, and the unit that a person named."""

from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import State
from gitsched.view.picture import Picture, held_batch, held_entry
from gitsched.wiring.showing import picture_of, situation_of

__all__ = ["latest_membership", "named_in", "picture_of", "situation_of", "unit_named"]


def unit_named(picture: Picture, text: str) -> Entry | Batch:
    """Find the issue or batch that a person means, also one whose record does not decode.

    Raises UnknownUnitError.
    """
    lost = (held_entry(path) for path in picture.state.unreadable)
    held = next((entry for entry in lost if entry is not None and text in (str(entry.issue), f"#{entry.issue}")), None)
    lost_batches = (held_batch(picture.state, path) for path in picture.state.unreadable)
    batch = next((batch for batch in lost_batches if batch is not None and batch.id == text), None)
    return held or batch or named_in(picture.state, text)


def named_in(state: State, text: str) -> Entry | Batch:
    """Find the issue or batch that a person means in a state. Raises UnknownUnitError."""
    from gitsched.engine.intake.names import BatchUnit, unit_of

    unit = unit_of(state, text)
    return state.batches[unit.batch] if isinstance(unit, BatchUnit) else state.entries[unit.issue]


def latest_membership(state: State, issue: int) -> Member | None:
    """Find the membership of an issue that changed last, whether it still holds or not; None where it had none."""
    members = (member for member in state.members.values() if member.issue == issue)
    return max(members, key=lambda member: (member.updated_at, member.batch), default=None)
