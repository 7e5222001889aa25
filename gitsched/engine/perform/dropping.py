"""Dropping: end a job that nobody needs any more, TERM first and KILL after the grace, and take it off the record."""

from gitsched.domain.effects import EndJob
from gitsched.domain.records import Job
from gitsched.domain.words import Liveness
from gitsched.engine.desk import Desk
from gitsched.engine.jobs import drop
from gitsched.engine.release import give_suite_tree_back


def end_job(effect: EndJob, desk: Desk) -> None:
    """End what lives of a job, and drop it once nothing does."""
    job = desk.state.jobs.get((effect.batch, effect.job))
    if job is None:
        return
    runner = desk.around.runner
    look = runner.look(job.batch, job.run, job.gen)
    has_ended = look.record is not None and look.record.end is not None
    if not has_ended and Liveness.ALIVE in (look.worker, look.agent):
        runner.stop(job.batch, job.run, job.gen, kill=_has_had_its_grace(desk, job))
        return
    drop(desk, job, "nobody needs its result")
    give_suite_tree_back(desk, job)


def _has_had_its_grace(desk: Desk, job: Job) -> bool:
    batch = desk.state.batches.get(job.batch)
    if batch is None:
        return True
    member = desk.state.members.get((job.batch, job.issue or 0))
    since = max(batch.updated_at, member.updated_at if member is not None else "")
    return desk.is_past(since, desk.settings_of(batch).stall.kill_grace_s)
