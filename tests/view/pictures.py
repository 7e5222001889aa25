"""Builders of what is shown: each gives a valid value, and a test changes the one field that matters."""

from typing import Any

from gitsched.config.settings import Settings
from gitsched.domain.events import Event, EventName
from gitsched.domain.records import Batch, Control, Driver, Entry, Holder, Integration, Lease, Member, Record, Slot
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus, MemberStatus, RunStatus
from gitsched.view.picture import Picture

AT = "2026-01-02T03:04:05.000Z"


def an_entry(issue: int, **fields: Any) -> Entry:
    return Entry(**{"issue": issue, "title": f"Title {issue}", "status": EntryStatus.QUEUED, **fields})


def a_member(issue: int, index: int = 1, batch: str = "b1", **fields: Any) -> Member:
    known = {"batch": batch, "issue": issue, "index": index, "title": f"Title {issue}", "status": MemberStatus.WAITING}
    return Member(**{**known, "branch": f"gitsched/{batch}/m{index}-i{issue}", **fields})


def a_batch(*issues: int, **fields: Any) -> Batch:
    name = fields.pop("id", "b1")
    known = {
        "id": name,
        "kind": BatchKind.BATCH,
        "status": BatchStatus.EXECUTING,
        "members": tuple(Slot(index=index, issue=issue) for index, issue in enumerate(issues, start=1)),
        "target": "main",
        "integration": Integration(branch=f"gitsched/{name}/integration"),
        "priority": 10,
    }
    return Batch(**{**known, **fields})


def a_lease(issue: int, batch: str = "b1") -> Lease:
    holder = Holder(host="vm", boot_id="x", pid=1, started="1", driver="d1")
    return Lease(
        batch=batch,
        issue=issue,
        slot=1,
        gen=0,
        status=RunStatus.RUNNING,
        token="t",
        holder=holder,
        profile="fake",
        acquired_at=AT,
    )


def a_driver(name: str = "d1") -> Driver:
    return Driver(id=name, host="vm", boot_id="x", pid=1, started="1", registered_at=AT)


def a_picture(*records: Record, waits: dict[int, tuple[str, ...]] | None = None, **fields: Any) -> Picture:
    state = State(control=Control(slots_max=4))
    for record in records:
        state = state.put(record)
    known: dict[str, Any] = {"tip": "f" * 40, "live_drivers": frozenset(state.drivers), "current": Settings()}
    return Picture(**{**known, "state": state, "waits": waits or {}, **fields})


def an_event(name: EventName = EventName.MEMBER_LANDED, **fields: Any) -> Event:
    return Event(**{"name": name, "at": AT, "sentence": "Land issue 3 of b1: A title", **fields})
