"""Voiding: a job that changed how contents become files proves nothing, and nor does anything after it.

A gate, a suite or a setup command runs code that agents wrote; the rules it may have changed are those of every
tree of the repository.
"""

from gitsched.domain.events import EventName
from gitsched.domain.records import Job
from gitsched.domain.state import Draft
from gitsched.engine.conversion import breach
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.jobs import is_current
from gitsched.engine.release import give_suite_tree_back
from gitsched.engine.spending import errand_costs
from gitsched.policy.stopping import ISOLATION_BREACH


def is_void(desk: Desk, job: Job) -> bool:
    """Say whether the rules of this clone are others than when the job was claimed in it."""
    is_here = job.owner.host == desk.me.host
    return is_here and job.conversion not in ("", desk.around.trees.conversion())


def void(desk: Desk, job: Job) -> None:
    """Take the job off the record and block its batch, as one: it is run again once a person has looked."""
    record = desk.around.runner.look(job.batch, job.run, job.gen).record
    detail = (
        f"filters, attributes or line endings in git's configuration changed while {job.name} ran: "
        "suites would not read what the commits hold"
    )

    def intent(draft: Draft) -> None:
        if not is_current(draft, job):
            return
        costs = errand_costs(draft, desk, job, record.end if record is not None else None)
        sentence = f"Drop {job.name} of {job.batch}: what it came to proves nothing"
        draft.note(
            EventName.JOB_DROPPED,
            sentence,
            *costs,
            removed=[job],
            batch=job.batch,
            issue=job.issue,
            reason=ISOLATION_BREACH,
        )
        breach(draft, job, f"The job {job.name} of {job.batch} reached outside its tree", detail)

    if was_applied(desk.record(intent)):
        desk.around.runner.forget(job.batch, job.run, job.gen)
        give_suite_tree_back(desk, job)
