"""Schedules for people: the list, one with its packet and token, and what is ripe to be harvested."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gitsched.domain.packets import Packet
from gitsched.domain.records import Batch, Schedule
from gitsched.domain.schedules import ENDED_SCHEDULES, ScheduleStatus
from gitsched.domain.state import State
from gitsched.view.clean import one_line
from gitsched.view.table import Look, render_table

Document = dict[str, Any]


def schedules_document(state: State, *, include_ended: bool) -> Document:
    """List the schedules in the order in which they were booked."""
    known = (state.schedules[name] for name in sorted(state.schedules, key=lambda name: (len(name), name)))
    return {"schedules": [schedule_row(s) for s in known if include_ended or s.status not in ENDED_SCHEDULES]}


def schedule_row(schedule: Schedule) -> Document:
    """Write one schedule."""
    return {
        "id": schedule.id,
        "status": schedule.status,
        "reason": schedule.reason,
        "issues": schedule.issues,
        "batches": schedule.batches,
        "window": schedule.window,
        "tz": schedule.zone,
        "at": schedule.at,
        "latest_start_s": schedule.latest_start_s,
        "overrun": schedule.overrun,
        "misfire": schedule.misfire,
        "harvest": schedule.harvest,
        "approved": bool(schedule.bound),
        "needs_approval": schedule.needs_approval,
        "approved_by": schedule.approved_by,
        "opens_at": schedule.opens_at,
        "closes_at": schedule.closes_at,
        "next": _next(schedule),
    }


def _next(schedule: Schedule) -> str:
    if schedule.needs_approval and not schedule.bound and schedule.status not in ENDED_SCHEDULES:
        return f"gitsched schedule show {schedule.id}"
    if schedule.status is ScheduleStatus.HUMAN_REQUIRED:
        return f"gitsched schedule resume {schedule.id}"
    if schedule.status is ScheduleStatus.SUCCEEDED:
        return "gitsched harvest"
    if schedule.status is ScheduleStatus.FAILED:
        return "gitsched report --night"
    return "It goes on by itself." if schedule.status is not ScheduleStatus.CANCELLED else "Nothing is left to do."


def render_schedules(document: Document, look: Look) -> str:
    """Write the list as a table."""
    rows = [
        (
            row["id"],
            str(row["status"]),
            _span(row),
            ", ".join((*row["batches"], *(f"#{issue}" for issue in row["issues"]))),
            row["reason"] or row["next"],
        )
        for row in document["schedules"]
    ]
    if not rows:
        return "Nothing is booked."
    return render_table(("schedule", "status", "opens", "holds", "why, or what next"), rows, look)


def _span(row: Document) -> str:
    opens = (row["opens_at"] or row["at"] or "")[:16].replace("T", " ")
    return f"{opens} UTC" if opens else f"{row['window']} {row['tz']}"


def packet_document(schedule: Schedule, packet: Packet) -> Document:
    """Write a schedule with its packet, and what has changed since it was approved."""
    return {
        **schedule_row(schedule),
        "packet": {
            "issues": {str(number): title for number, title in packet.issues.items()},
            "base": dict(packet.base),
            "agents": {name: list(command) for name, command in packet.agents.items()},
            "gates": list(packet.gates),
            "suite": packet.suite,
            "budget": dict(packet.budget),
            "sha256": dict(packet.aspects),
        },
        "token": packet.token,
        "changed": packet.changed_since(schedule.bound) if schedule.bound else (),
    }


def render_packet(document: Document) -> str:
    """Write the packet in full, so that who approves it sees what is approved; the command stands last."""
    return "\n".join(one_line(line, 400) for line in _packet_lines(document))


def _packet_lines(document: Document) -> Iterator[str]:
    packet = document["packet"]
    yield f"Schedule {document['id']} is {document['status']}" + (
        f": {document['reason']}." if document["reason"] else "."
    )
    yield f"Window: {document['window'] or 'none'} {document['tz']}, opens {_opening(document)}"
    yield f"After a missed window: {document['misfire']}; overrun: {document['overrun'] or 'not allowed'}"
    yield f"Harvest: {document['harvest']}"
    yield from (f"Issue #{number}: {title}" for number, title in packet["issues"].items())
    yield from (f"Base: {target} at {commit or 'nothing'}" for target, commit in packet["base"].items())
    yield from (f"Agent {name}: {' '.join(command)}" for name, command in packet["agents"].items())
    yield from (f"Gate {gate}" for gate in packet["gates"])
    yield f"Suite: {packet['suite'] or 'none'}"
    yield f"Budget: {_budget(packet['budget']) or 'none'}"
    yield from (f"{aspect}: sha256 {value}" for aspect, value in packet["sha256"].items())
    if document["changed"]:
        yield f"Changed since it was approved: {', '.join(document['changed'])}."
    elif document["approved"]:
        yield f"Approved by {document['approved_by']}."
    yield f"To approve exactly this: gitsched approve {document['id']} {document['token']}"


def _opening(document: Document) -> str:
    """Say when it opens; the moment is fixed when a driver looks, and not before it is approved."""
    moment = document["opens_at"] or document["at"]
    if moment:
        return f"{moment[:16].replace('T', ' ')} UTC"
    is_free = document["approved"] or not document["needs_approval"]
    return "when a driver has looked at it" if is_free else "not before it is approved"


def _budget(tables: Document) -> str:
    """List the caps that are set; what is not has none."""
    return ", ".join(f"{path} = {value}" for path, value in _leaves(tables, "") if value is not None)


def _leaves(tables: Document, path: str) -> Iterator[tuple[str, object]]:
    for name, value in tables.items():
        if isinstance(value, dict) and value.keys() == {"decimal"}:  # how settings keep a number with a point
            yield f"{path}{name}", value["decimal"]
        elif isinstance(value, dict):
            yield from _leaves(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


def render_ripe(found: Sequence[tuple[Batch, Schedule]], look: Look) -> str:
    """List the results that wait, in the order in which they would land."""
    if not found:
        return "Nothing is ripe."
    return render_table(("batch", "schedule", "members", "pull request", "head"), _ripe_rows(found), look)


def _ripe_rows(found: Iterable[tuple[Batch, Schedule]]) -> Iterator[tuple[str, ...]]:
    for batch, schedule in found:
        members = ", ".join(f"#{slot.issue}" for slot in batch.members)
        request = f"#{batch.pr.number}" if batch.pr is not None else "none"
        yield batch.id, schedule.id, members, request, (batch.integration.head or "")[:12]
