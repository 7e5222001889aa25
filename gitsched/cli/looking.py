"""What reading verbs look at: the picture of a clone, and the unit that a person named."""

from typing import TYPE_CHECKING

from gitsched.domain.ids import STATE_REF
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import State
from gitsched.engine.looking import picture_in
from gitsched.errors import RefusedError
from gitsched.policy.situation import Situation
from gitsched.view.picture import Picture, held_entry

if TYPE_CHECKING:
    from gitsched.wiring.clone import Clone


def picture_of(clone: "Clone") -> Picture:
    """Look at a clone as it is now; nothing is written."""
    situation = situation_of(clone)
    return picture_in(situation, clone.store.tip)


def situation_of(clone: "Clone") -> Situation:
    """Look at a clone's situation; one that is configured and holds nothing yet has an empty state.

    Raises RefusedError where the state has not been fetched: that is no empty queue.
    """
    try:
        return clone.situation()
    except RefusedError:
        if _is_unfetched(clone):
            against = f"This clone has not fetched it from '{clone.settings.project.remote}': it has branches only."
            raise RefusedError("The state was to be read.", against, "`gitsched sync` fetches it.") from None
        from gitsched.wiring.operator import first_situation

        return first_situation(clone)


def _is_unfetched(clone: "Clone") -> bool:
    """Say whether the state is to be the remote's and this clone has never asked for it."""
    return clone.shared is not None and clone.refs.resolve(STATE_REF) is None and not clone.shared.store.has_looked


def unit_named(picture: Picture, text: str) -> Entry | Batch:
    """Find the issue or batch that a person means, also one whose record does not decode.

    Raises UnknownUnitError.
    """
    lost = (held_entry(path) for path in picture.state.unreadable)
    held = next((entry for entry in lost if entry is not None and text in (str(entry.issue), f"#{entry.issue}")), None)
    return held or named_in(picture.state, text)


def named_in(state: State, text: str) -> Entry | Batch:
    """Find the issue or batch that a person means in a state. Raises UnknownUnitError."""
    from gitsched.engine.intake.names import BatchUnit, unit_of

    unit = unit_of(state, text)
    return state.batches[unit.batch] if isinstance(unit, BatchUnit) else state.entries[unit.issue]


def latest_membership(state: State, issue: int) -> Member | None:
    """Find the membership of an issue that changed last, whether it still holds or not; None where it had none."""
    members = (member for member in state.members.values() if member.issue == issue)
    return max(members, key=lambda member: (member.updated_at, member.batch), default=None)
