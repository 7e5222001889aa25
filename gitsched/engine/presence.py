"""Presence: the record that says of a process that it drives, or does something that nobody else is to take over."""

from gitsched.domain.events import EventName
from gitsched.domain.records import Driver, Holder
from gitsched.domain.state import Draft


def register(draft: Draft, me: Holder) -> None:
    """Record that this process has begun."""
    record = Driver(
        id=me.driver,
        host=me.host,
        boot_id=me.boot_id,
        pid=me.pid,
        started=me.started,
        registered_at=draft.at,
    )
    draft.note(EventName.DRIVER_REGISTERED, f"Driver {me.driver} begins", record, driver=me.driver)


def leave(draft: Draft, me: Holder) -> None:
    """Take its record away; where there is none, nothing changes."""
    record = draft.state.drivers.get(me.driver)
    if record is not None:
        draft.note(EventName.DRIVER_LEFT, f"Driver {record.id} ends", removed=[record], driver=record.id)
