"""The overview: what `watch` and the dashboard show of everything at once, in the words and order of `status`.

Made of the status document, and of what it has no room for: what needs a person, ages, last signs of life.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Batch, Entry
from gitsched.domain.words import LIVE_RUNS, TERMINAL_BATCHES, BatchStatus, EntryStatus, MemberStatus
from gitsched.view.clean import one_line
from gitsched.view.picture import Picture
from gitsched.view.screen import batch_headline, costs_line, head_line, is_over, red_line, why_of_member
from gitsched.view.spans import money
from gitsched.view.status import batch_document, status_document
from gitsched.view.why import HINTS, why
from gitsched.view.words import sentence_of

_ASKS: frozenset[str] = frozenset({BatchStatus.BLOCKED, BatchStatus.AWAITING_MERGE, BatchStatus.FORMING})
_STEP = "gitsched "


class Sign(Struct, frozen=True):
    """The last sign of life of a run."""

    at: Instant
    phase: str | None = None
    """What it posted last."""


Signs = Mapping[tuple[str, int], Sign]
"""By batch and issue, of runs that live."""


class Need(Struct, frozen=True, kw_only=True):
    """Something that only a person moves on."""

    unit: str
    state: str
    says: str
    next: str
    """A command."""


class MemberLine(Struct, frozen=True, kw_only=True):
    """A member as one line."""

    issue: int
    index: int
    title: str
    status: str
    phase: str
    gen: str
    age_s: float | None
    """Since when it has been what it is."""
    silent_s: float | None
    """Since its run's last sign of life; None where there is no live run."""
    cost: str
    why: str


class BatchLine(Struct, frozen=True, kw_only=True):
    """A batch with its members in landing order."""

    id: str
    status: str
    head: str
    is_over: bool
    age_s: float | None
    members: tuple[MemberLine, ...]
    red: str
    """What its suite is red of, or why it decides nothing."""
    leftovers: tuple[str, ...]


class QueueLine(Struct, frozen=True, kw_only=True):
    """An issue that no shown batch holds."""

    issue: int
    title: str
    status: str
    why: str


class Overview(Struct, frozen=True, kw_only=True):
    """Everything at once."""

    at: Instant
    tip: str | None
    head: str
    is_paused: bool
    needs: tuple[Need, ...]
    batches: tuple[BatchLine, ...]
    queue: tuple[QueueLine, ...]
    drivers: tuple[str, ...]
    costs: str


def overview(picture: Picture, signs: Signs, now: Instant, *, include_ended: bool = False) -> Overview:
    """Look at everything as it is at an instant."""
    document = status_document(picture, include_ended=include_ended)
    titles = {entry["issue"]: entry["title"] for entry in document["entries"]}
    shown = {member["issue"] for batch in document["batches"] for member in batch["members"]}
    return Overview(
        at=now,
        tip=picture.tip,
        head=head_line(document),
        is_paused=document["paused"],
        needs=tuple(_needs(picture)),
        batches=tuple(_batch_line(picture, batch, titles, signs, now) for batch in document["batches"]),
        queue=tuple(
            QueueLine(
                issue=entry["issue"],
                title=one_line(entry["title"]),
                status=entry["status"],
                why=", ".join(entry["waits"]) or entry["reason"] or "",
            )
            for entry in document["entries"]
            if entry["issue"] not in shown and (include_ended or not is_over(entry))
        ),
        drivers=tuple(
            one_line(f"{driver['id']} on {driver['host']}" + ("" if driver["live"] else " (gone)"))
            for driver in document["drivers"]
        ),
        costs=costs_line(document["costs"]),
    )


def batch_line(picture: Picture, batch: Batch, signs: Signs, now: Instant) -> BatchLine:
    """Look at one batch as it is at an instant."""
    titles = {member.issue: member.title for member in picture.state.members_of(batch)}
    return _batch_line(picture, batch_document(picture, batch), titles, signs, now)


def _batch_line(
    picture: Picture, document: dict[str, Any], titles: Mapping[int, str], signs: Signs, now: Instant
) -> BatchLine:
    batch = picture.state.batches[document["id"]]
    return BatchLine(
        id=batch.id,
        status=str(batch.status),
        head=batch_headline(document),
        is_over=batch.status in TERMINAL_BATCHES,
        age_s=_age_s(batch.updated_at, now),
        members=tuple(_member_line(picture, batch, row, titles, signs, now) for row in document["members"]),
        red=red_line(document),
        leftovers=tuple(one_line(line) for line in batch.leftovers),
    )


def _member_line(
    picture: Picture, batch: Batch, row: dict[str, Any], titles: Mapping[int, str], signs: Signs, now: Instant
) -> MemberLine:  # many-parameters: a row, and what it is read with
    issue = row["issue"]
    member = picture.state.members[batch.id, issue]
    lease = picture.state.leases.get((batch.id, issue))
    is_live = lease is not None and lease.status in LIVE_RUNS
    sign = signs.get((batch.id, issue)) if is_live else None
    return MemberLine(
        issue=issue,
        index=row["index"],
        title=one_line(titles.get(issue) or member.title),
        status=str(row["status"]),
        phase=(sign.phase or "") if sign is not None and member.status is MemberStatus.RUNNING else "",
        gen="" if row["gen"] is None else str(row["gen"]),
        age_s=_age_s(member.updated_at, now) if batch.status not in TERMINAL_BATCHES else None,
        silent_s=_age_s(sign.at, now) if sign is not None else None,
        cost=money(member.usage),
        why=why_of_member(row),
    )


def _age_s(since: Instant, now: Instant) -> float | None:
    return max(0.0, seconds_between(since, now)) if since else None


def _needs(picture: Picture) -> Iterator[Need]:
    """List what waits for a person: a pause, batches, then what left or was kept out; at last that nobody drives."""
    control = picture.state.control
    if control.paused:
        says = sentence_of(control.pause_reason or "paused")
        yield Need(unit="gitsched", state="paused", says=one_line(says), next="gitsched resume")
    for batch in picture.batches():
        if batch.status in _ASKS:
            yield from _need(picture, batch)
    for entry in picture.entries():
        if entry.status in (EntryStatus.PARKED, EntryStatus.BLOCKED) or entry.hold is not None:
            yield from _need(picture, entry)
    if any("driver-lost" in reasons for reasons in picture.waits.values()):
        yield Need(unit="gitsched", state="waiting", says=sentence_of("driver-lost"), next="gitsched run")


def _need(picture: Picture, unit: Entry | Batch) -> Iterator[Need]:
    answer = why(picture, unit)
    if answer.next.startswith(_STEP) and "driver-lost" not in answer.reasons:
        told = [said for said in answer.sentences if not said.startswith(HINTS)]
        says = told[-1] if told else answer.state
        name = f"#{unit.issue}" if isinstance(unit, Entry) else unit.id
        yield Need(unit=name, state=answer.state, says=one_line(says), next=answer.next)
