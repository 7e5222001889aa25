"""`run --slots`: how many agents may work at once, over all drivers."""

from msgspec.structs import replace

from gitsched.domain.control import SLOTS_HIGHEST, SLOTS_LOWEST
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.engine.intake.transact import transact
from gitsched.errors import UsageError
from gitsched.ports.store import Store


def checked_slots(count: int) -> int:
    """Give a number of slots back that is in range. Raises UsageError."""
    if not SLOTS_LOWEST <= count <= SLOTS_HIGHEST:
        raise UsageError(
            f"{count} slots were asked for.",
            f"It takes a whole number from {SLOTS_LOWEST} to {SLOTS_HIGHEST}.",
            "`gitsched run --slots 2`",
        )
    return count


def change_slots(store: Store, count: int, actor: str) -> bool:
    """Set the number of slots and say whether that changed it; runs that are live go on. Raises UsageError."""
    checked_slots(count)

    def build(draft: Draft) -> bool:
        control = draft.state.control
        if control.slots_max == count:
            return False
        sentence = f"Have {count} slots, not {control.slots_max}"
        changed = replace(control, slots_max=count)
        draft.note(EventName.SLOTS_CHANGED, sentence, changed, before=control.slots_max, slots=count)
        return True

    return transact(store, actor, build)
