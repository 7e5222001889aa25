"""Conversion: nothing is judged by other rules for turning commits into files than this clone's work began with.

A run or a check during which the rules change is told by its beginning and its end. One that begins when they are
changed already sees no difference: so what the first of them found stays on record until nothing is at work any more,
and what would begin under other rules waits for a person.
"""

from msgspec.structs import replace

from gitsched.domain.control import Control
from gitsched.domain.events import EventName
from gitsched.domain.records import Job
from gitsched.domain.state import Draft, State
from gitsched.domain.words import JobKind, RunStatus
from gitsched.engine.blocking import block
from gitsched.engine.release import put_back, release_slot
from gitsched.policy.stopping import ISOLATION_BREACH, is_breached

JUDGING = frozenset({JobKind.SETUP, JobKind.GATE, JobKind.SUITE, JobKind.STEP, JobKind.TRIAL})
"""Kinds of jobs that read a tree to judge it, or make it what is judged."""


def rules_of(state: State, host: str, found: str) -> str:
    """Name the rules that the work of a host goes by: those on record, or what is found where nothing is at work."""
    return state.control.rules.get(host, found)


def noting_rules(state: State, host: str, found: str) -> tuple[Control, ...]:
    """Give the record that keeps what the first work of a host found; nothing where it is on record."""
    control = state.control
    return () if host in control.rules else (replace(control, rules={**control.rules, host: found}),)


def forgetting_rules(state: State, host: str, found: str) -> tuple[Control, ...]:
    """Give the record without a host's rules, where nothing is at work there and they are as they were."""
    control = state.control
    at_work = [lease.holder.host for lease in state.leases.values()] + [job.owner.host for job in state.jobs.values()]
    if control.rules.get(host) != found or host in at_work:
        return ()
    return (replace(control, rules={name: kept for name, kept in control.rules.items() if name != host}),)


def is_misread(state: State, job: Job) -> bool:
    """Say whether a job that is to begin would judge by other rules than those on record."""
    return job.kind in JUDGING and rules_of(state, job.owner.host, job.conversion) != job.conversion


def refuse_misread(draft: Draft, job: Job) -> None:
    """Block a batch whose check would read what its commits do not hold; where it is blocked, free the slot alone."""
    if is_breached(draft.state.batches.get(job.batch)):
        _free(draft, job)
        return
    breach(
        draft,
        job,
        f"The job {job.name} of {job.batch} was not started",
        "filters, attributes or line endings in git's configuration are others than when the work of this clone began: "
        "suites would not read what the commits hold",
    )


def breach(draft: Draft, job: Job, what: str, detail: str) -> None:
    """Tell that how contents become files has changed, free the slot of a run that waits for the job, and block."""
    draft.note(EventName.ISOLATION_BREACH, f"{what}: {detail}"[:200], batch=job.batch, issue=job.issue, detail=detail)
    _free(draft, job)
    block(draft, job.batch, ISOLATION_BREACH, detail)


def _free(draft: Draft, job: Job) -> None:
    """Free the slot of a run that waits for the job; one that is being verified goes on without it after `resume`."""
    lease = draft.state.leases.get((job.batch, job.issue or 0))
    if lease is None:
        return
    if lease.status is RunStatus.VERIFYING:
        release_slot(draft, lease, ISOLATION_BREACH)
    else:
        put_back(draft, lease, ISOLATION_BREACH)
