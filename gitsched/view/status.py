"""The status document: what `gitsched status --json` prints. No field of one schema is ever renamed or dropped."""

from collections.abc import Iterable
from typing import Any

from gitsched.domain.records import Batch, Entry, Exit, GateResult, Member
from gitsched.domain.words import LANDED_MEMBERS, LEFT_MEMBERS, TERMINAL_BATCHES
from gitsched.view.causes import red_suite
from gitsched.view.picture import Picture

SCHEMA = 1
_TOLD_EXITS = ("evicted", "handed-back")

Document = dict[str, Any]


def status_document(picture: Picture, unit: Entry | Batch | None = None, *, include_ended: bool = False) -> Document:
    """Write the document for everything, or for one issue or batch and what belongs to it.

    Ended batches are left out unless asked for, as a whole or by name.
    """
    state = picture.state
    batches = [b for b in picture.batches() if include_ended or b.status not in TERMINAL_BATCHES]
    entries: Iterable[Entry] = picture.entries()
    if unit is not None:
        batches, entries = _chosen(picture, unit)
    counted = state.batches_in_order() if unit is None else batches
    return {
        "schema": SCHEMA,
        "paused": state.control.paused,
        "pause_reason": state.control.pause_reason,
        "tip": picture.tip,
        "slots": {"max": state.control.slots_max, "live": picture.live_count},
        "entries": [entry_document(picture, entry) for entry in entries],
        "batches": [batch_document(picture, batch) for batch in batches],
        "drivers": [
            {"id": driver.id, "host": driver.host, "live": driver.id in picture.live_drivers}
            for driver in sorted(state.drivers.values(), key=lambda driver: (driver.registered_at, driver.id))
        ],
        "costs": costs_document(picture, counted),
    }


def _chosen(picture: Picture, unit: Entry | Batch) -> tuple[list[Batch], list[Entry]]:
    state = picture.state
    if isinstance(unit, Entry):
        home = state.batches.get(unit.batch or "")
        return ([home] if home is not None else []), [unit]
    issues = {slot.issue for slot in unit.members}
    return [unit], [entry for entry in state.entries_in_order() if entry.issue in issues]


def entry_document(picture: Picture, entry: Entry) -> Document:
    """Write one row of the queue; a member's waits stand on its entry too."""
    return {
        "issue": entry.issue,
        "title": entry.title,
        "status": entry.status,
        "reason": entry.reason,
        "batch": entry.batch,
        "deps": entry.deps,
        "priority": entry.priority,
        "tier": picture.tier_of(entry),
        "review": entry.review,
        "profile": picture.profile_of(entry),
        "files": entry.files,
        "branch": entry.branch,
        "waits": picture.waits.get(entry.issue, ()),
    }


def batch_document(picture: Picture, batch: Batch) -> Document:
    """Write one batch with its members in member order."""
    return {
        "id": batch.id,
        "kind": batch.kind,
        "status": batch.status,
        "reason": batch.reason,
        "generation": batch.generation,
        "dispatch": batch.dispatch,
        "target": batch.target,
        "base": batch.base,
        "integration": {"branch": batch.integration.branch, "head": batch.integration.head},
        "members": [_member_document(picture, member) for member in picture.state.members_of(batch)],
        "suite": _suite_document(batch),
        "evictions": [_exit_document(exit_) for exit_ in batch.evictions if exit_.kind in _TOLD_EXITS],
        "pr": {"number": batch.pr.number, "url": batch.pr.url, "state": batch.pr.state} if batch.pr else None,
        "anchor": batch.anchor,
        "priority": batch.priority,
        "leftovers": batch.leftovers,
        "red": red_suite(batch) or None,
    }


def _member_document(picture: Picture, member: Member) -> Document:
    waits = () if member.status in LEFT_MEMBERS else picture.waits.get(member.issue, ())
    return {
        "issue": member.issue,
        "index": member.index,
        "status": member.status,
        "reason": member.reason,
        "gen": member.gen if member.gen >= 0 else None,
        "tier": picture.tier_of(member),
        "branch": member.branch or None,
        "head": member.head,
        "landed": member.landed if member.status in LANDED_MEMBERS else None,
        "gates": {name: _gate_document(member.gates[name]) for name in sorted(member.gates)},
        "waits": waits,
    }


def _gate_document(result: GateResult) -> Document:
    return {"verdict": result.verdict, "cached": result.cached, "evidence": result.evidence}


def _suite_document(batch: Batch) -> Document:
    last = batch.suite[-1] if batch.suite else None
    return {
        "runs": sum(not run.cached for run in batch.suite),
        "verdict": last.verdict if last else None,
        "tree": last.tree if last else None,
        "cached": last.cached if last else False,
        "failing": last.failing if last else (),
    }


def _exit_document(exit_: Exit) -> Document:
    return {
        "issue": exit_.issue,
        "kind": exit_.kind,
        "reason": exit_.reason,
        "method": exit_.method,
        "failing": exit_.failing,
        "branch": exit_.branch,
    }


def costs_document(picture: Picture, batches: Iterable[Batch]) -> Document:
    """Sum what the runs of these batches cost; null is what no run has reported."""
    chosen = list(batches)
    usages = [member.usage for batch in chosen for member in picture.state.members_of(batch)]
    micros = [usage["usd_micros"] for usage in usages if "usd_micros" in usage]
    tokens = [usage["tokens"] for usage in usages if "tokens" in usage]
    suite_ms = sum(run.duration_ms for batch in chosen for run in batch.suite if not run.cached)
    return {
        "usd": sum(micros) / 1_000_000 if micros else None,
        "tokens": sum(tokens) if tokens else None,
        "agent_s": sum(usage.get("agent_ms", 0) for usage in usages) / 1000,
        "suite_s": suite_ms / 1000,
    }
