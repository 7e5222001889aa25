"""Reviewing: an agent reads a whole batch before it ships, and what its answer means."""

from typing import assert_never

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Job
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchStatus, JobKind
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.evidence import keep_job
from gitsched.engine.jobs import read_end
from gitsched.engine.perform.errands import Reader, Sent, note_wait, profile_for, send, settle_errand, start_reader
from gitsched.engine.standing import branch_tip
from gitsched.policy.errands import (
    RESPAWN_CAP,
    RESPAWNS_MOST,
    REVIEW_JOB,
    Accepted,
    Objected,
    Unanswered,
    errand_of,
    review_answer,
)
from gitsched.policy.ship import mismatch, row
from gitsched.policy.situation import landed
from gitsched.view.pull_request import render_body


def is_reviewed(desk: Desk, batch: Batch) -> bool:
    """Say whether nobody is to read a batch any more: no reviewer is asked for, or this very tree was read."""
    if not desk.settings_of(batch).review.agent:
        return True
    return batch.reviewed is not None and batch.reviewed == desk.around.lander.tree_of(batch.integration.head or "")


def disagreement(desk: Desk, batch: Batch) -> str | None:
    """Name the issue of which the integration branch holds too much or too little; None: commits and members agree."""
    lander, members = desk.around.lander, landed(desk.state.members_of(batch))
    pieces = [(m.issue, m.landed_from or "", m.landed or "") for m in members]
    beside = [(segment.issue, segment.start, segment.end) for segment in batch.beside]
    spans = [(issue, lander.commits(start, end)) for issue, start, end in row(batch.base or "", pieces, beside)]
    tip = branch_tip(desk, batch, batch.integration.head or "")
    return mismatch(lander.commits(batch.base or "", tip or ""), spans)


def claim_review(desk: Desk, batch: Batch, wait: str | None) -> None:
    """Start the reviewer, or say what it waits for; one that cannot be found is a person's business."""
    errand = errand_of(batch, desk.state.members_of(batch), desk.settings_of(batch))
    if errand is None:
        return
    if wait is not None:
        desk.record(lambda draft: note_wait(draft, batch, REVIEW_JOB, wait))
        return
    profile = profile_for(desk, batch, errand.agent, errand.tier)
    if isinstance(profile, str):
        desk.record(lambda draft: block(draft, batch.id, profile) if _is_due(draft.state, batch) else None)
        return
    sentence = f"Start {profile.name} to review {batch.id}"
    sent = Sent(batch=batch, name=REVIEW_JOB, kind=JobKind.REVIEW, errand=errand, profile=profile, sentence=sentence)
    refused = send(desk, sent, lambda state: _is_due(state, batch), start_review)
    if refused is not None and refused != "disk-floor":
        desk.record(lambda draft: block(draft, batch.id, f"worktree-root:{refused}"))


def _is_due(state: State, seen: Batch) -> bool:
    now = state.batches.get(seen.id)
    if now is None or now.status is not BatchStatus.REVIEWING or (now.id, REVIEW_JOB) in state.jobs:
        return False
    return now.integration.head == seen.integration.head


def start_review(desk: Desk, job: Job) -> None:
    """Start the agent of a claimed review."""
    asked, identity = desk.settings_of(desk.state.batches[job.batch]).review, {"GITSCHED_REVIEW": "full"}
    reader = Reader(agent=asked.agent, tier=asked.tier, prompt="review.j2", shown=render_body, identity=identity)
    start_reader(desk, job, reader)


def settle_review(desk: Desk, job: Job) -> None:
    """Let a batch go on to shipping, stop it for what its reviewer said, or ask once more."""
    seen, batch = read_end(desk, job), desk.state.batches.get(job.batch)
    if seen is None or batch is None:
        return
    settings = desk.settings_of(batch)
    profile = profile_for(desk, batch, settings.review.agent, settings.review.tier)
    exit_counts = not isinstance(profile, str) and profile.completion == "exit"
    answer = review_answer(seen.milestones, job.gen, seen.end, exit_counts=exit_counts)
    keep_job(desk, job, seen, {"check": REVIEW_JOB, "answer": type(answer).__name__, "exit": seen.end.code})

    def take(draft: Draft) -> None:
        now = draft.state.batches[job.batch]
        if now.status is BatchStatus.REVIEWING and now.integration.head == job.commit:
            _take(draft, now, job, answer)

    settle_errand(desk, job, seen.end, f"The review of {job.batch} has ended", take)


def _take(draft: Draft, now: Batch, job: Job, answer: Accepted | Objected | Unanswered) -> None:
    match answer:
        case Accepted():
            read = replace(now, reviewed=job.tree, review_respawns=0, reason=None)
            sentence = f"{job.check} has nothing against {now.id}"
            draft.note(EventName.PROGRESS, sentence, read, batch=now.id)
        case Objected(reason=reason, detail=detail):
            read = replace(now, reviewed=job.tree, review_respawns=0)
            draft.note(EventName.PROGRESS, f"{job.check} has something against {now.id}", read, batch=now.id)
            block(draft, now.id, reason, detail)
        case Unanswered():
            is_last = now.review_respawns >= RESPAWNS_MOST
            again = replace(now, review_respawns=0 if is_last else now.review_respawns + 1)
            draft.note(EventName.PROGRESS, f"The review of {now.id} gave no answer", again, batch=now.id)
            if is_last:
                block(draft, now.id, RESPAWN_CAP)
        case _:
            assert_never(answer)
