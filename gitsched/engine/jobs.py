"""Jobs: claim one in the state, start it detached, and read what came of it."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from gitsched.codec.junit import read_report
from gitsched.codec.markers import last_line, read_markers
from gitsched.domain.effects import RestartJob
from gitsched.domain.events import EventName
from gitsched.domain.records import Job
from gitsched.domain.runs import Milestone, RunEnd, RunOrder
from gitsched.domain.search import SearchStep
from gitsched.domain.state import Draft, State
from gitsched.domain.verdicts import CheckEnd, NotDeclared
from gitsched.domain.words import JobKind, Liveness, Tier
from gitsched.engine.conversion import is_misread, noting_rules, refuse_misread
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.spending import errand_costs

REPORT_FILE = "report"
CHECK_OUTPUT_BYTES = 16 * 1024 * 1024
TAIL_BYTES = 1024 * 1024


class JobOrder(Struct, frozen=True, kw_only=True):
    """What is to be run for a while, and where."""

    batch: str
    name: str
    kind: JobKind
    argv: tuple[str, ...]
    place: str
    commit: str
    tree: str
    fingerprint: str
    timeout_s: float
    env: tuple[str, ...] = ()
    """Names of variables that pass although they look secret."""
    issue: int | None = None
    check: str | None = None
    step: SearchStep | None = None
    tier: Tier | None = None
    reserved: Mapping[str, int] = field(default_factory=dict)
    token: str = field(default_factory=lambda: secrets.token_hex(16))


Start = Callable[[Desk, Job], None]
"""Starts what a claimed job is, detached."""


def claim(
    desk: Desk, order: JobOrder, sentence: str, is_due: Callable[[State], bool], start: Start | None = None
) -> bool:
    """Claim a job and start it; False when another driver has it, or the state has moved on and it is not due."""
    job = _job_of(desk, order)

    def intent(draft: Draft) -> None:
        if (job.batch, job.name) in draft.state.jobs or not is_due(draft.state):
            return
        if is_misread(draft.state, job):
            refuse_misread(draft, job)
            return
        draft.note(
            EventName.JOB_CLAIMED,
            sentence,
            job,
            *noting_rules(draft.state, job.owner.host, job.conversion),
            batch=job.batch,
            issue=job.issue,
            kind=str(job.kind),
            job=job.name,
            tree=job.tree,
        )

    if not was_applied(desk.record(intent)) or not _is_claimed(desk.state, job):
        return False
    (start or _start)(desk, job)
    return True


def _is_claimed(state: State, job: Job) -> bool:
    now = state.jobs.get((job.batch, job.name))
    return now is not None and now.token == job.token


def _job_of(desk: Desk, order: JobOrder) -> Job:
    return Job(
        batch=order.batch,
        name=order.name,
        kind=order.kind,
        gen=0,
        token=order.token,
        commit=order.commit,
        tree=order.tree,
        fingerprint=order.fingerprint,
        issue=order.issue,
        check=order.check,
        step=order.step,
        place=order.place,
        argv=order.argv,
        env=order.env,
        owner=desk.me,
        started_at=desk.around.clock.now(),
        timeout_ms=int(order.timeout_s * 1000),
        tier=order.tier,
        conversion=desk.around.trees.conversion(),
        reserved=dict(order.reserved),
    )


def restart(effect: RestartJob, desk: Desk, start: Start | None = None) -> None:
    """Run a job again under its next generation: its process is gone and left no end."""
    key = (effect.batch, effect.job)
    job = desk.state.jobs.get(key)
    if job is None:
        return
    runner = desk.around.runner
    if runner.look(job.batch, job.run, job.gen).agent is Liveness.ALIVE:
        # Its worker is gone and its command is not: two of them at once would judge each other's tree.
        runner.stop(job.batch, job.run, job.gen, kill=True)
        if runner.look(job.batch, job.run, job.gen).agent is Liveness.ALIVE:
            return
    again = replace(job, gen=job.gen + 1, owner=desk.me, started_at=desk.around.clock.now())

    def intent(draft: Draft) -> None:
        if not is_current(draft, job):
            return
        sentence = f"Run {job.name} of {job.batch} again: its process is gone"
        costs = errand_costs(draft, desk, job, None)
        draft.note(
            EventName.JOB_LOST, sentence, again, *costs, batch=job.batch, issue=job.issue, gen=again.gen, job=job.name
        )

    if was_applied(desk.record(intent)):
        (start or _start)(desk, again)


def _start(desk: Desk, job: Job) -> None:
    _undo_changes(desk, job)
    folder = desk.around.runner.place(job.batch, job.run, job.gen, {})
    report = str(folder / REPORT_FILE)
    identity = {"GITSCHED_REPORT": report, "GITSCHED_BATCH": job.batch, **_merged(desk, job)}
    env, secret_names = desk.check_environment(job.env, identity)
    order = RunOrder(
        batch=job.batch,
        name=job.run,
        gen=job.gen,
        token=job.token,
        argv=tuple(word.replace("{report}", report) for word in job.argv),
        cwd=job.place or str(folder),
        folder=str(folder),
        repository=str(desk.around.common_dir),
        log_file=str(folder / "log"),
        timeout_s=job.timeout_ms / 1000,
        output_bytes=CHECK_OUTPUT_BYTES,
        kill_grace_s=min(10.0, desk.current.stall.kill_grace_s),
        secrets=secret_names,
    )
    desk.around.runner.start(order, env, b"")


def _merged(desk: Desk, job: Job) -> dict[str, str]:
    """Name the commit whose deployment is checked."""
    batch = desk.state.batches.get(job.batch)
    if job.kind is not JobKind.DEPLOY or batch is None or batch.pr is None:
        return {}
    return {"GITSCHED_MERGED": batch.pr.merge_commit or batch.pr.head}


def _undo_changes(desk: Desk, job: Job) -> None:
    """Undo what an earlier check did to the tree, so that each one is judged by what it does itself."""
    if job.kind is JobKind.SETUP or not job.place:
        return
    work, place = desk.around.work, Path(job.place)
    if work.tracked_changed(place, job.commit):
        work.restore(place, job.commit)


class JobEnd(Struct, frozen=True, kw_only=True):
    """What a finished job left behind."""

    end: RunEnd
    report: bytes | None
    log: bytes
    milestones: tuple[Milestone, ...] = ()
    """What it posted."""


def read_end(desk: Desk, job: Job) -> JobEnd | None:
    """Read how a job ended; None while it has not, or when what ended is another generation of it."""
    look = desk.around.runner.look(job.batch, job.run, job.gen)
    record = look.record
    if record is None or record.end is None or record.token != job.token:
        return None
    runner = desk.around.runner
    return JobEnd(
        end=record.end,
        report=runner.left_file(job.batch, job.run, job.gen, REPORT_FILE),
        log=runner.log(job.batch, job.run, job.gen),
        milestones=record.milestones,
    )


def is_current(draft: Draft, job: Job) -> bool:
    """Say whether this very run of a job is still on record: another may have settled it, and claimed the next one."""
    now = draft.state.jobs.get((job.batch, job.name))
    return now is not None and (now.token, now.gen) == (job.token, job.gen)


def drop(desk: Desk, job: Job, why: str) -> None:
    """Take a job out of the state whose result nobody needs any more, and forget its run."""
    record = desk.around.runner.look(job.batch, job.run, job.gen).record

    def intent(draft: Draft) -> None:
        if is_current(draft, job):
            costs = errand_costs(draft, desk, job, record.end if record is not None else None)
            sentence = f"Drop {job.name} of {job.batch}: {why}"
            draft.note(
                EventName.JOB_DROPPED, sentence, *costs, removed=[job], batch=job.batch, issue=job.issue, reason=why
            )

    if was_applied(desk.record(intent)):
        desk.around.runner.forget(job.batch, job.run, job.gen)


def check_end(desk: Desk, job: Job, seen: JobEnd, *, report_declared: bool) -> CheckEnd:
    """Tell a check's end as its judge wants it, with what the tree it judged looks like now."""
    changed = job.place is not None and desk.around.work.tracked_changed(Path(job.place), job.commit)
    return CheckEnd(
        exit_code=seen.end.code,
        signal=seen.end.signal,
        timed_out=seen.end.timed_out,
        spawn_error=seen.end.spawn_error,
        tracked_changed=changed,
        report=read_report(seen.report) if report_declared else NotDeclared(),
        markers=read_markers(seen.log[-TAIL_BYTES:]),
        last_line=last_line(seen.log[-TAIL_BYTES:]),
    )


def names(cases: Sequence[str], limit: int = 50) -> list[str]:
    """Cut a list of test names to what a record holds."""
    return list(cases[:limit])
