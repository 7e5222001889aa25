"""Prose: what an agent adds to the report of a batch, once and within bounds; without it the report is as it is."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Job
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchStatus, JobKind
from gitsched.engine.desk import Desk
from gitsched.engine.evidence import keep_job
from gitsched.engine.jobs import read_end
from gitsched.engine.perform.errands import Reader, Sent, note_wait, profile_for, send, settle_errand, start_reader
from gitsched.policy.errands import PROSE_CHARS, REPORT_JOB, errand_of
from gitsched.view.comments import render_batch_report


def ask_for_prose(desk: Desk, batch: Batch, wait: str | None) -> bool:
    """Have the report's agent write, where it has not; False: there is nothing to wait for.

    It waits for a slot; where it may not start for any other reason, the report goes without it.
    """
    errand = errand_of(batch, desk.state.members_of(batch), desk.settings_of(batch))
    if errand is None:
        return False
    if wait == "capacity":
        desk.record(lambda draft: note_wait(draft, batch, REPORT_JOB, wait))
        return True
    profile = profile_for(desk, batch, errand.agent, errand.tier)
    if wait is not None or isinstance(profile, str):
        return False
    sentence = f"Start {profile.name} to write into the report of {batch.id}"
    sent = Sent(batch=batch, name=REPORT_JOB, kind=JobKind.REPORT, errand=errand, profile=profile, sentence=sentence)
    return send(desk, sent, lambda state: _is_due(state, batch), start_prose) is None


def _is_due(state: State, seen: Batch) -> bool:
    now = state.batches.get(seen.id)
    is_due = now is not None and now.status is BatchStatus.DEPLOYED and not now.is_prose_over
    return is_due and (seen.id, REPORT_JOB) not in state.jobs


def start_prose(desk: Desk, job: Job) -> None:
    """Start the agent of a claimed report."""
    asked = desk.settings_of(desk.state.batches[job.batch]).report
    start_reader(desk, job, Reader(agent=asked.agent, tier=asked.tier, prompt="report.j2", shown=render_batch_report))


def settle_prose(desk: Desk, job: Job) -> None:
    """Keep what the agent wrote; one that failed has written nothing, and is not asked again."""
    seen = read_end(desk, job)
    if seen is None:
        return
    keep_job(desk, job, seen, {"check": REPORT_JOB, "exit": seen.end.code})
    has_written = seen.end.code == 0 and not seen.end.timed_out
    text = (seen.report or b"")[: 4 * PROSE_CHARS].decode("utf-8", "replace").strip()[:PROSE_CHARS]

    def keep(draft: Draft) -> None:
        now = draft.state.batches[job.batch]
        written = replace(now, prose=text if has_written and text else None, is_prose_over=True, reason=None)
        draft.note(EventName.PROGRESS, f"What it wrote is kept for the report of {now.id}", written, batch=now.id)

    settle_errand(desk, job, seen.end, f"The report's agent of {job.batch} has ended", keep)
