"""Evidence of runs and of checks: what is kept so that it can be proven later what happened."""

from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.proofs import evidence_digest
from gitsched.domain.records import Batch, Job, Lease, Member
from gitsched.domain.state import Draft
from gitsched.engine.desk import Desk
from gitsched.engine.ended import Ended, Kept
from gitsched.engine.jobs import REPORT_FILE, JobEnd
from gitsched.errors import StorageFullError

CUT_MARK = b"[the beginning was cut: the log is longer than `evidence.log`]\n"


def keep_run(desk: Desk, ended: Ended) -> Kept:
    """Keep a run's log and how it ended; where no space is left, say what is owed."""
    summary = _summary_of(desk, ended)
    try:
        return _kept(desk, summary)
    except StorageFullError:
        return Kept(folder=_folder_of(summary), owed=summary)


def keep_owed(desk: Desk, member: Member, gen: int) -> Kept:
    """Keep a run's evidence that there was no space for. Raises StorageFullError while that is so."""
    return _kept(desk, member.owed[str(gen)])


def _kept(desk: Desk, summary: Mapping[str, Any]) -> Kept:
    settings, runner = desk.current.evidence, desk.around.runner
    batch, issue, gen = summary["batch"], str(summary["issue"]), summary["gen"]
    folder = _folder_of(summary)
    log = runner.log(batch, issue, gen)
    files = {f"{folder}/run.json": desk.json(summary), f"{folder}/log": _cut(log, settings.log_bytes)}
    if settings.text:
        files[f"{folder}/prompt.md"] = runner.left_file(batch, issue, gen, "prompt.md") or b""
    if summary["start"] and summary["head"]:
        files[f"{folder}/diff"] = desk.around.lander.diff(summary["start"], summary["head"], settings.log_bytes)
    desk.around.store.keep_evidence(batch, files, f"Keep run {gen} of issue {issue}")
    return Kept(folder=folder, digest=evidence_digest(files, folder))


def _folder_of(summary: Mapping[str, Any]) -> str:
    return f"runs/{summary['issue']}/{summary['gen']}"


def _summary_of(desk: Desk, ended: Ended) -> dict[str, Any]:
    lease, member = ended.lease, ended.member
    prompt = desk.around.runner.left_file(lease.batch, str(lease.issue), lease.gen, "prompt.md") or b""
    return {
        "batch": member.batch,
        "issue": member.issue,
        "gen": lease.gen,
        "host": desk.me.host,
        "gitsched": version("gitsched"),
        "profile": lease.profile,
        "tier": str(lease.tier) if lease.tier is not None else None,
        "worked_by": lease.worked_by,
        "command": list(ended.profile.command) if ended.profile is not None else None,
        "base": ended.batch.base,
        "cut": member.cut,
        "start": member.start,
        "head": ended.head,
        "commits": list(ended.facts.commits),
        "exit_code": ended.end.code,
        "signal": ended.end.signal,
        "timed_out": ended.end.timed_out,
        "acquired_at": lease.acquired_at,
        "spawned_at": ended.facts.spawned_at,
        "ended_at": ended.end.at,
        "usage": dict(ended.end.usage) if ended.end.usage is not None else None,
        "reserved": dict(lease.reserved),
        "prompt_sha256": sha256(prompt).hexdigest(),
        "issue_sha256": member.text_hash,
        "milestones": [
            {"phase": m.phase, "status": str(m.status), "at": m.at, "keys": dict(m.keys)}
            for m in ended.record.milestones
        ],
    }


def keep_log(desk: Desk, lease: Lease) -> str:
    """Keep the log of a run that was fenced off before it told how it ended, and name the folder."""
    folder = f"runs/{lease.issue}/{lease.gen}"
    log = desk.around.runner.log(lease.batch, str(lease.issue), lease.gen)
    files = {f"{folder}/log": _cut(log, desk.current.evidence.log_bytes)}
    desk.around.store.keep_evidence(lease.batch, files, f"Keep the log of run {lease.gen} of issue {lease.issue}")
    return folder


def keep_job(desk: Desk, job: Job, seen: JobEnd, summary: Mapping[str, object]) -> Kept:
    """Keep the log, report and verdict of a gate, suite or errand, in a folder of this very run of it.

    Where no space is left it is owed: its batch says so, and what it left stays where it ran.
    """
    folder = f"checks/{job.name}/{job.tree[:12]}-{job.gen}.{job.token[:8]}"
    try:
        return Kept(folder=folder, digest=_keep_check(desk, job.batch, folder, summary, (seen.log, seen.report)))
    except StorageFullError:
        _owe(desk, job, folder, summary)
        return Kept(folder=folder)


def _keep_check(
    desk: Desk, batch: str, folder: str, summary: Mapping[str, object], left: tuple[bytes, bytes | None]
) -> str:
    log, report = left
    kept = _cut(log, desk.current.evidence.log_bytes)
    files = {f"{folder}/log": kept, f"{folder}/verdict.json": desk.json(summary)}
    if report is not None:
        files[f"{folder}/report.xml"] = report
    desk.around.store.keep_evidence(batch, files, f"Keep what {folder.split('/')[1]} of {batch} left")
    return evidence_digest(files, folder)


def _owe(desk: Desk, job: Job, folder: str, summary: Mapping[str, object]) -> None:
    owed = {"run": job.run, "gen": job.gen, "host": desk.me.host, "summary": dict(summary)}

    def intent(draft: Draft) -> None:
        batch = draft.state.batches.get(job.batch)
        if batch is not None and folder not in batch.owed:
            sentence = (
                f"There is no space for what {job.name} of {job.batch} left: it stays where it ran until there is"
            )
            draft.note(EventName.PROGRESS, sentence, replace(batch, owed={**batch.owed, folder: owed}), batch=job.batch)

    desk.record(intent)


def keep_owed_check(desk: Desk, batch: Batch, folder: str) -> Kept:
    """Keep what a check left and there was no space for. Raises StorageFullError while that is so."""
    owed, runner = batch.owed[folder], desk.around.runner
    run, gen = owed["run"], owed["gen"]
    left = (runner.log(batch.id, run, gen), runner.left_file(batch.id, run, gen, REPORT_FILE))
    return Kept(folder=folder, digest=_keep_check(desk, batch.id, folder, owed["summary"], left))


def forget_job(desk: Desk, job: Job) -> None:
    """Forget the run of a settled job, unless what it left is still to be kept."""
    batch = desk.state.batches.get(job.batch)
    if batch is None or all(owed["run"] != job.run for owed in batch.owed.values()):
        desk.around.runner.forget(job.batch, job.run, job.gen)


def _cut(log: bytes, limit: int) -> bytes:
    return log if len(log) <= limit else CUT_MARK + log[-limit:]
