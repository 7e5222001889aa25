"""Presence: the record that says of a process that it drives, or does something that nobody else is to take over."""

from gitsched.domain.events import EventName
from gitsched.domain.records import Driver, Holder
from gitsched.domain.state import Draft
from gitsched.engine.conversion import forgetting_rules


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


def leave(draft: Draft, me: Holder, rules: str | None = None) -> None:
    """Take its record away; where there is none, nothing changes.

    `rules` are those by which contents become files now: they are forgotten where nobody is at work under them.
    """
    record = draft.state.drivers.get(me.driver)
    if record is not None:
        ended = () if rules is None else forgetting_rules(draft.state, me.host, rules)
        draft.note(EventName.DRIVER_LEFT, f"Driver {record.id} ends", *ended, removed=[record], driver=record.id)
