"""Evidence of a run: what is kept so that it can be proven later what happened (spec 08, "Evidence")."""

from hashlib import sha256
from typing import TYPE_CHECKING

from gitsched.domain.records import Lease
from gitsched.engine.desk import Desk

if TYPE_CHECKING:
    from gitsched.engine.perform.settling import Ended

CUT_MARK = b"[the beginning was cut: the log is longer than `evidence.log`]\n"


def archive_run(desk: Desk, ended: "Ended") -> str:
    """Keep a run's log and how it ended, and name the folder below the batch's evidence."""
    lease, member = ended.lease, ended.member
    settings = desk.current.evidence
    folder = f"runs/{member.issue}/{lease.gen}"
    log = desk.around.runner.log(lease.batch, str(lease.issue), lease.gen)
    prompt = desk.around.runner.left_file(lease.batch, str(lease.issue), lease.gen, "prompt.md") or b""
    summary = {
        "batch": member.batch,
        "issue": member.issue,
        "gen": lease.gen,
        "profile": lease.profile,
        "tier": str(lease.tier) if lease.tier is not None else None,
        "command": list(ended.profile.command) if ended.profile is not None else None,
        "cut": member.cut,
        "start": member.start,
        "head": ended.head,
        "commits": list(ended.facts.commits),
        "exit_code": ended.end.code,
        "signal": ended.end.signal,
        "timed_out": ended.end.timed_out,
        "spawned_at": ended.facts.spawned_at,
        "ended_at": ended.end.at,
        "usage": dict(ended.end.usage) if ended.end.usage is not None else None,
        "prompt_sha256": sha256(prompt).hexdigest(),
        "issue_sha256": member.text_hash,
        "milestones": [
            {"phase": m.phase, "status": str(m.status), "at": m.at, "keys": dict(m.keys)}
            for m in ended.record.milestones
        ],
    }
    files = {f"{folder}/run.json": desk.json(summary), f"{folder}/log": _cut(log, settings.log_bytes)}
    if settings.text:
        files[f"{folder}/prompt.md"] = prompt
    desk.around.store.archive(member.batch, files, f"Keep run {lease.gen} of issue {member.issue}")
    return folder


def archive_log(desk: Desk, lease: Lease) -> str:
    """Keep the log of a run that was fenced off before it told how it ended, and name the folder."""
    folder = f"runs/{lease.issue}/{lease.gen}"
    log = desk.around.runner.log(lease.batch, str(lease.issue), lease.gen)
    files = {f"{folder}/log": _cut(log, desk.current.evidence.log_bytes)}
    desk.around.store.archive(lease.batch, files, f"Keep the log of run {lease.gen} of issue {lease.issue}")
    return folder


def _cut(log: bytes, limit: int) -> bytes:
    return log if len(log) <= limit else CUT_MARK + log[-limit:]
