"""Deploying: after the merge, the forge or the operator's own command says whether what has merged is out there."""

import secrets
from contextlib import suppress

from msgspec.structs import replace

from gitsched.domain.effects import Deploy
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Job
from gitsched.domain.runs import RunEnd
from gitsched.domain.ship_effects import AwaitRollout
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchStatus, JobKind
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.evidence import forget_job, keep_job
from gitsched.engine.jobs import JobOrder, claim, is_current, read_end
from gitsched.engine.release import give_suite_tree_back, suite_owner
from gitsched.errors import UnknownUnitError
from gitsched.policy.runs import DEPLOY_JOB
from gitsched.policy.situation import landed
from gitsched.ports.worktrees import TreeRefused


def deploy(effect: Deploy, desk: Desk) -> None:
    """Start the check of the deployment; where none is configured, pass through."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.MERGED:
        return
    asked = desk.settings_of(batch).deploy
    if asked.check:
        _close_issues(desk, batch)
        _claim(desk, batch)
        return
    where = f"{batch.id} is deployed to {asked.environment}"
    told = where if asked.environment else f"No deployment is asked for {batch.id}"
    desk.record(lambda draft: _deployed(draft, batch.id, told))


def await_rollout(effect: AwaitRollout, desk: Desk) -> None:
    """Record what a merged batch waits for."""
    _close_issues(desk, desk.state.batches[effect.batch])

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is BatchStatus.MERGED and now.reason != effect.reason:
            waiting = replace(now, reason=effect.reason)
            sentence = f"{now.id} has merged and waits for its deployment"
            draft.note(EventName.PROGRESS, sentence, waiting, batch=now.id, reason=effect.reason)

    desk.record(intent)


def _close_issues(desk: Desk, batch: Batch) -> None:
    """Close what has shipped, whatever its deployment comes to."""
    for member in landed(desk.state.members_of(batch)):
        with suppress(UnknownUnitError):  # it never was an issue, or is nowhere any more
            desk.around.forge.close_issue(member.issue)


def _deployed(draft: Draft, batch: str, sentence: str) -> None:
    now = draft.state.batches[batch]
    if now.status is BatchStatus.MERGED:
        done = replace(now, status=BatchStatus.DEPLOYED, reason=None, updated_at=draft.at)
        draft.note(EventName.DEPLOYED, sentence, done, batch=now.id)


def _claim(desk: Desk, batch: Batch) -> None:
    chosen, token, head = desk.settings_of(batch).deploy, secrets.token_hex(16), batch.integration.head or ""
    owner = suite_owner(batch.id, desk.me.driver, token)
    place = desk.around.trees.acquire(owner, head, None)
    if isinstance(place, TreeRefused):
        if place.reason != "disk-floor":
            desk.record(lambda draft: block(draft, batch.id, f"worktree-root:{place.reason}", place.detail))
        return
    order = JobOrder(
        batch=batch.id,
        name=DEPLOY_JOB,
        kind=JobKind.DEPLOY,
        argv=chosen.check,
        place=str(place.path),
        commit=head,
        tree=desk.around.lander.tree_of(head),
        fingerprint="",
        timeout_s=chosen.timeout_s,
        env=chosen.env,
        token=token,
    )

    def is_due(state: State) -> bool:
        return state.batches[batch.id].status is BatchStatus.MERGED

    if not claim(desk, order, f"Check the deployment of {batch.id}", is_due):
        desk.around.trees.release(place.path, [owner])


def settle_deploy(desk: Desk, job: Job) -> None:
    """Let a batch be reported, or stop it for what its check said; nothing that merged is put back."""
    seen = read_end(desk, job)
    if seen is None:
        return
    wrong = _fault(seen.end)
    evidence = keep_job(desk, job, seen, {"check": DEPLOY_JOB, "exit": seen.end.code, "fault": wrong})

    def intent(draft: Draft) -> None:
        if not is_current(draft, job):
            return
        sentence = f"The check of the deployment of {job.batch} has ended"
        draft.note(EventName.PROGRESS, sentence, removed=[job], batch=job.batch, **evidence.told())
        now = draft.state.batches[job.batch]
        if wrong is None:
            _deployed(draft, now.id, f"{now.id} is deployed")
        elif now.status is BatchStatus.MERGED:
            sentence = f"The deployment of {now.id} failed its check: {wrong}"
            draft.note(EventName.DEPLOY_FAILED, sentence, batch=now.id, reason=wrong, evidence=evidence.folder)
            block(draft, now.id, wrong, seen.end.tail[-1000:])

    desk.record(intent)
    give_suite_tree_back(desk, job)
    forget_job(desk, job)


def _fault(end: RunEnd) -> str | None:
    """Say why a deployment does not count as one; None: it does."""
    if end.timed_out:
        return "deploy-timed-out"
    if end.spawn_error is not None:
        return "deploy-failed:not-started"
    if end.signal is not None:
        return f"deploy-failed:signal-{end.signal}"
    return None if end.code == 0 else f"deploy-failed:exit-{end.code}"
