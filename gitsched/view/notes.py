"""Notes: what people and CI find with `git notes` on judged trees, landed commits and shipped heads."""

import json

from gitsched.domain.records import Batch, Judged, Member
from gitsched.domain.state import State


def verdict_note(judged: Judged) -> str:
    """Write the note on a tree: one JSON line for each check that has judged it."""
    lines = (
        _line(
            {
                "check": stored.check,
                "fingerprint": print_,
                "verdict": stored.verdict,
                "batch": stored.batch,
                "evidence": stored.evidence,
                "failing": list(stored.failing),
                "at": stored.at,
            }
        )
        for print_, stored in sorted(judged.verdicts.items())
    )
    return "\n".join(lines) + "\n"


def landing_note(member: Member, original: str, at: str) -> str:
    """Write the note on a landed commit: whose it is, what it was, and what its gates said."""
    return (
        _line(
            {
                "batch": member.batch,
                "issue": member.issue,
                "member": member.index,
                "original": original,
                "run": f"{member.batch}/{member.issue}/{member.gen}",
                "gates": {name: result.verdict for name, result in sorted(member.gates.items())},
                "at": at,
            }
        )
        + "\n"
    )


def _line(values: dict[str, object]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def batch_note(state: State, batch: Batch) -> str:
    """Write the note on a shipped head: the batch's whole record, so that its story travels with the history."""
    members = [
        {
            "issue": member.issue,
            "index": member.index,
            "title": member.title,
            "status": str(member.status),
            "reason": member.reason,
            "head": member.head,
            "landed": member.landed,
            "gates": {name: result.verdict for name, result in sorted(member.gates.items())},
        }
        for member in state.members_of(batch)
    ]
    suite = [{"verdict": run.verdict, "tree": run.tree, "cached": run.cached} for run in batch.suite]
    record = {
        "batch": batch.id,
        "target": batch.target,
        "base": batch.base,
        "head": batch.integration.head,
        "pr": batch.pr.number if batch.pr is not None else None,
        "members": members,
        "suite": suite,
        "evictions": [
            {"issue": e.issue, "kind": e.kind, "reason": e.reason, "method": str(e.method)} for e in batch.evictions
        ],
    }
    return json.dumps(record, sort_keys=True, ensure_ascii=False, indent=1) + "\n"
