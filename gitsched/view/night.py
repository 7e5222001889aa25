"""The report of a night: what landed, what left and why, what waits; what it cost; one command for each."""

from collections.abc import Iterator
from typing import Any, Final

from gitsched.domain.categories import RECOVERIES, Category, category_of
from gitsched.domain.costs import RUNS, USD, summed_amounts, unknown
from gitsched.domain.instants import Instant
from gitsched.domain.records import Batch, Entry, Exit, Member
from gitsched.domain.words import ENDED_ENTRIES, LANDED_MEMBERS, BatchStatus, EntryStatus
from gitsched.view.clean import one_line
from gitsched.view.picture import Picture
from gitsched.view.why import why

Document = dict[str, Any]
PARTS: Final = ("landed", "evicted", "failed", "held", "untouched")


def night_document(picture: Picture, since: Instant) -> Document:
    """Sort everything that moved since an instant, and everything that waits, into the parts of the report."""
    found: Document = {part: [] for part in PARTS}
    seen: set[int] = set()
    for batch in picture.state.batches_in_order():
        for member in picture.state.members_of(batch):
            if member.status in LANDED_MEMBERS and batch.updated_at >= since:
                found["landed"].append(_landed(batch, member))
                seen.add(member.issue)
        for exit_ in batch.evictions:
            if exit_.at >= since and exit_.issue not in seen:
                found["evicted"].append(_left(picture, exit_))
                seen.add(exit_.issue)
    for entry in picture.entries():
        if entry.issue not in seen:
            part = _part_of(picture, entry, since)
            found.get(part, []).append(_waiting(picture, entry))
    return {"since": since, **found, "costs": _costs(picture, since), "schedules": _schedules(picture)}


def _landed(batch: Batch, member: Member) -> Document:
    is_over = batch.status is BatchStatus.DONE
    step = {BatchStatus.AWAITING_MERGE: f"gitsched harvest {batch.id}", BatchStatus.BLOCKED: f"gitsched why {batch.id}"}
    return {
        "issue": member.issue,
        "title": member.title,
        "batch": batch.id,
        "status": "merged" if is_over else str(batch.status),
        "next": f"gitsched show {batch.id}" if is_over else step.get(batch.status, f"gitsched status {batch.id}"),
    }


def _left(picture: Picture, exit_: Exit) -> Document:
    entry = picture.state.entries.get(exit_.issue)
    return {
        "issue": exit_.issue,
        "title": entry.title if entry is not None else "",
        "batch": exit_.batch,
        "kind": exit_.kind,
        "reason": exit_.reason,
        "category": str(category_of(exit_.reason)),
        "culprit": exit_.failing[0] if exit_.failing else exit_.detail,
        "reproduce": exit_.reproduce,
        "next": f"gitsched requeue {exit_.issue}",
    }


def _part_of(picture: Picture, entry: Entry, since: Instant) -> str:
    if entry.status is EntryStatus.FAILED and entry.updated_at >= since:
        return "failed"
    member = picture.state.member_of_issue(entry.issue)
    batch = picture.state.batches.get(member.batch) if member is not None else None
    if entry.hold is not None or (member is not None and member.hold is not None):
        return "held"
    if batch is not None and batch.status is BatchStatus.BLOCKED:
        return "held"
    if entry.status in ENDED_ENTRIES | {EntryStatus.PARKED}:
        return ""
    return "untouched"


def _waiting(picture: Picture, entry: Entry) -> Document:
    answer = why(picture, entry)
    return {
        "issue": entry.issue,
        "title": entry.title,
        "status": answer.state,
        "reasons": list(answer.reasons),
        "next": answer.next,
    }


def _costs(picture: Picture, since: Instant) -> Document:
    """Sum the days that the night lies on; what nobody told is counted as unknown."""
    days = [costs for day, costs in sorted(picture.state.costs.items()) if day >= since[:10]]
    total = summed_amounts(profile for costs in days for profile in costs.profiles.values())
    return {
        "days": [costs.day for costs in days],
        "runs": total.get(RUNS, 0),
        "usd": total[USD] / 1_000_000 if USD in total else None,
        "tokens": total.get("tokens"),
        "agent_s": total.get("agent_ms", 0) / 1000,
        "unknown_runs": total.get("unknown_runs", 0),
        "unknown_usd_runs": total.get(unknown(USD), 0),
        "refused": sorted({key for costs in days for key in costs.refused}),
    }


def _schedules(picture: Picture) -> list[Document]:
    known = (picture.state.schedules[name] for name in sorted(picture.state.schedules))
    return [{"id": s.id, "status": str(s.status), "reason": s.reason} for s in known]


def sections(document: Document) -> list[tuple[str, list[Document]]]:
    """Give the parts that hold anything, each under its heading; who handed back is told apart from who was evicted."""
    left = document["evicted"]
    found = {part.capitalize(): document[part] for part in PARTS}
    found["Evicted"] = [row for row in left if row["kind"] != "handed-back"]
    back = [row for row in left if row["kind"] == "handed-back"]
    order = ("Landed", "Evicted", "Handed back", "Failed", "Held", "Untouched")
    return [(name, rows) for name in order if (rows := {**found, "Handed back": back}[name])]


def render_night(document: Document) -> str:
    """Write the report as Markdown, one page: each issue with why, and the one command that comes next."""
    return "\n".join(_lines(document))


def _lines(document: Document) -> Iterator[str]:
    yield f"# The night since {document['since'][:16].replace('T', ' ')} UTC"
    for heading, rows in sections(document):
        yield f"\n## {heading}\n"
        for row in rows:
            yield from _row(row)
    if not any(document[part] for part in PARTS):
        yield "\nNothing was queued."
    yield f"\n## Costs\n\n{spent_words(document['costs'])}"
    told = [s for s in document["schedules"] if s["status"] == "human-required"]
    yield from (f"- schedule {s['id']} needs you: {one_line(str(s['reason']))}" for s in told)


def _row(row: Document) -> Iterator[str]:
    why_ = row.get("reason") or ", ".join(row.get("reasons", ())) or row["status"]
    yield one_line(f"- #{row['issue']} {row['title']}: {why_}", 300)
    if row.get("category", Category.UNKNOWN) != Category.UNKNOWN:
        yield f"  {row['category']}: {RECOVERIES[Category(row['category'])].says}"
    if row.get("culprit"):
        yield f"  culprit: {one_line(row['culprit'], 280)}"
    if row.get("reproduce"):
        yield f"  reproduce: {one_line(row['reproduce'], 600)}"
    yield f"  next: {one_line(row['next'])}"


def spent_words(costs: Document) -> str:
    """Say what a night cost, and what nobody told of it."""
    if not costs["runs"]:
        return "No run has ended."
    usd = "unknown" if costs["usd"] is None else f"${costs['usd']:.2f}"
    least = "at least " if costs["usd"] is not None and costs["unknown_usd_runs"] else ""
    tokens = "unknown" if costs["tokens"] is None else str(costs["tokens"])
    gaps = f" Used up: {', '.join(costs['refused'])}." if costs["refused"] else ""
    silent = f" {costs['unknown_runs']} of them reported nothing." if costs["unknown_runs"] else ""
    return (
        f"{costs['runs']} runs, {least}{usd}, {tokens} tokens, {costs['agent_s']:.0f} s of agents' time.{silent}{gaps}"
    )
