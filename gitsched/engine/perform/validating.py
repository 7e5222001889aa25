"""Validating: the suite on the integration tree, what its verdict does, and whom the evidence names."""

import secrets

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.checking import SuiteSettings
from gitsched.config.encoding import fingerprint
from gitsched.config.settings import Settings
from gitsched.domain.effects import ClaimSuite, Validate
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Job, StoredVerdict, SuiteRun
from gitsched.domain.state import Draft, State
from gitsched.domain.verdicts import Case, CheckKind, EvidenceSource, Judgement, Verdict
from gitsched.domain.words import BatchStatus, JobKind
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.ended import Kept
from gitsched.engine.evidence import forget_job, keep_job
from gitsched.engine.jobs import JobOrder, check_end, claim, is_current, read_end
from gitsched.engine.perform.gating import keep_verdict
from gitsched.engine.perform.reviewing import disagreement, is_reviewed
from gitsched.engine.perform.suite_verdicts import follow, pass_on
from gitsched.engine.release import give_suite_tree_back, suite_owner
from gitsched.policy.dissolve import nobody_is_left
from gitsched.policy.judge import judge_check, settle_rerun
from gitsched.policy.runs import SUITE_JOB
from gitsched.policy.situation import first_unresolved
from gitsched.ports.worktrees import Tree, TreeRefused

SUITE_CHECK = "suite"


def validate(effect: Validate, desk: Desk) -> None:
    """Say that the suite is due; where none is declared on purpose, say that and go on."""
    batch = desk.state.batches[effect.batch]
    proven = _proven(desk, batch)
    if proven is not None:
        print_ = suite_fingerprint(desk.settings_of(batch).suite, desk)
        desk.record(lambda draft: _revalidate(draft, batch, proven, print_))
        return
    waived = desk.settings_of(batch).suite.is_waived

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status not in (BatchStatus.EXECUTING, BatchStatus.REVALIDATING):
            return
        members = draft.state.members_of(now)
        if first_unresolved(members) is not None or nobody_is_left(members):
            return  # an issue joined, or the last one left, since that was decided
        due = replace(now, status=BatchStatus.VALIDATING, reason=None, updated_at=draft.at)
        draft.note(EventName.VALIDATING, f"Every member of {now.id} is resolved", due, batch=now.id)
        if waived:
            _skip(draft, due)

    desk.record(intent)


def _proven(desk: Desk, batch: Batch) -> SuiteRun | None:
    """Find the green verdict that a rebased tree has already; None where the suite, or a reviewer, is to have a say."""
    suite, head = desk.settings_of(batch).suite, batch.integration.head
    if batch.status is not BatchStatus.REVALIDATING or suite.is_waived or head is None or batch.fresh_suite:
        return None
    tree = desk.around.lander.tree_of(head)
    stored = desk.state.verdict_on(tree, suite_fingerprint(suite, desk))
    if stored is None or stored.verdict != Verdict.PASSED:
        return None
    agrees = is_reviewed(desk, batch) and disagreement(desk, batch) is None
    return _cached_run(batch, stored, tree) if agrees else None


def _revalidate(draft: Draft, seen: Batch, run: SuiteRun, print_: str) -> None:
    now, members = draft.state.batches[seen.id], draft.state.members_of(seen)
    if now.status is not BatchStatus.REVALIDATING or now.integration.head != seen.integration.head:
        return
    if not _may_stand(draft, now, (run.tree, print_)) or now.reviewed != seen.reviewed:
        return
    if first_unresolved(members) is not None or nobody_is_left(members):
        return  # an issue joined, or the last one left, since that was decided
    proven = replace(
        now,
        status=BatchStatus.SHIPPING,
        reason=None,
        suite=(*now.suite, replace(run, at=draft.at)),
        updated_at=draft.at,
    )
    sentence = f"The suite is known to be green on the new tree of {now.id}"
    draft.note(
        EventName.REVALIDATED, sentence, proven, batch=now.id, verdict=run.verdict, tree=run.tree, cached=run.cached
    )


def _skip(draft: Draft, batch: Batch) -> None:
    """Go on without a suite: the operator said that there is none."""
    if batch.status is not BatchStatus.VALIDATING:
        return
    reviewed = replace(batch, status=BatchStatus.REVIEWING, fresh_suite=False, updated_at=draft.at)
    sentence = f"No suite is declared for {batch.id}"
    draft.note(EventName.SUITE_SKIPPED, sentence, reviewed, batch=batch.id, verdict="unavailable")


def suite_fingerprint(suite: SuiteSettings, desk: Desk) -> str:
    """Name what the suite is: a changed argv, report or declared variable makes another check of it."""
    declared = {name: desk.around.environment.get(name) for name in suite.env}
    return fingerprint([SUITE_CHECK, list(suite.run or ()), suite.evidence, suite.report, declared])


def claim_suite(effect: ClaimSuite, desk: Desk) -> None:
    """Run the suite on the integration tree, unless that tree has a verdict that stands."""
    state = desk.state
    batch = state.batches[effect.batch]
    head, suite = batch.integration.head, desk.settings_of(batch).suite
    if batch.status is not BatchStatus.VALIDATING or head is None or suite.run is None:
        return
    if suite.is_waived:
        desk.record(lambda draft: _skip(draft, draft.state.batches[batch.id]))
        return
    tree, print_ = desk.around.lander.tree_of(head), suite_fingerprint(suite, desk)
    stored = state.verdict_on(tree, print_)
    if stored is not None and not batch.fresh_suite and stored.verdict == Verdict.PASSED:
        desk.record(lambda draft: _take_stored(draft, batch, stored, (tree, print_)))
        return
    token = secrets.token_hex(16)
    owner = suite_owner(batch.id, desk.me.driver, token)
    place = desk.around.trees.acquire(owner, head, None)
    if isinstance(place, TreeRefused):
        detail = place.detail
        desk.record(lambda draft: block(draft, batch.id, f"suite-broken:{place.reason}", detail))
        return
    order = _suite_order(batch, suite, place, (tree, print_), token)

    def is_due(state: State) -> bool:
        now = state.batches[batch.id]
        return now.status is BatchStatus.VALIDATING and now.integration.head == head

    if not claim(desk, order, f"Run the suite of {batch.id} on {head[:12]}", is_due):
        desk.around.trees.release(place.path, [owner])


def _suite_order(batch: Batch, suite: SuiteSettings, place: Tree, check: tuple[str, str], token: str) -> JobOrder:
    """Order the suite on the integration tree; `check` is the tree that is judged and the suite's fingerprint."""
    tree, print_ = check
    return JobOrder(
        batch=batch.id,
        name=SUITE_JOB,
        kind=JobKind.SUITE,
        argv=suite.run or (),
        place=str(place.path),
        commit=place.head,
        tree=tree,
        fingerprint=print_,
        timeout_s=suite.timeout_s,
        env=suite.env,
        check=SUITE_CHECK,
        token=token,
    )


def _may_stand(draft: Draft, batch: Batch, check: tuple[str, str]) -> bool:
    """Say whether a pass still stands: since it was seen nobody judged otherwise or asked for a fresh run."""
    stored = draft.state.verdict_on(*check)
    return not batch.fresh_suite and stored is not None and stored.verdict == Verdict.PASSED


def _take_stored(draft: Draft, batch: Batch, stored: StoredVerdict, check: tuple[str, str]) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.VALIDATING or now.integration.head != batch.integration.head:
        return
    if not _may_stand(draft, now, check):
        return
    pass_on(draft, now, replace(_cached_run(now, stored, check[0]), at=draft.at), EventName.SUITE_PASSED)


def _cached_run(batch: Batch, stored: StoredVerdict, tree: str) -> SuiteRun:
    return SuiteRun(
        verdict=stored.verdict,
        tree=tree,
        commit=batch.integration.head or "",
        cached=True,
        evidence=stored.evidence,
        generation=batch.generation,
    )


def settle_suite(desk: Desk, job: Job) -> None:
    """Record what the suite came to; a result for what is not the integration tree any more counts for nothing."""
    seen = read_end(desk, job)
    batch = desk.state.batches.get(job.batch)
    if seen is None or batch is None:
        return
    suite = desk.settings_of(batch).suite
    has_report = suite.report == "junit"
    end = check_end(desk, job, seen, report_declared=has_report)
    judgement = judge_check(CheckKind.TEST, EvidenceSource(suite.evidence), end, report_declared=has_report)
    summary = {"check": SUITE_CHECK, "verdict": str(judgement.verdict), "why": judgement.why, "tree": job.tree}
    evidence = keep_job(desk, job, seen, summary)
    run = SuiteRun(
        verdict=str(judgement.verdict),
        tree=job.tree,
        commit=job.commit,
        failing=tuple(case.title for case in judgement.failing[:50]),
        detail=None if judgement.verdict is Verdict.PASSED else judgement.why[:200],
        evidence=evidence.folder,
        duration_ms=seen.end.duration_ms,
        generation=batch.generation,
        at=seen.end.at,
    )
    heard = Heard(run=run, judgement=judgement, evidence=evidence, settings=desk.settings_of(batch))
    desk.record(lambda draft: _record_suite(draft, job, heard))
    give_suite_tree_back(desk, job)
    forget_job(desk, job)


class Heard(Struct, frozen=True, kw_only=True):
    """What the suite came to, and what that is judged by."""

    run: SuiteRun
    judgement: Judgement
    evidence: Kept
    settings: Settings


def _record_suite(draft: Draft, job: Job, heard: Heard) -> None:
    run, judgement = heard.run, heard.judgement
    if not is_current(draft, job):
        return
    draft.note(
        EventName.PROGRESS,
        f"The suite of {job.batch} has ended: {run.verdict}",
        removed=[job],
        batch=job.batch,
        verdict=run.verdict,
        tree=run.tree,
        **heard.evidence.told(),
    )
    batch = draft.state.batches.get(job.batch)
    if batch is None or batch.status is not BatchStatus.VALIDATING or batch.integration.head != job.commit:
        return
    stored = StoredVerdict(
        check=SUITE_CHECK,
        verdict=run.verdict,
        batch=batch.id,
        failing=run.failing,
        evidence=run.evidence,
        at=draft.at,
    )
    if batch.search is not None and batch.search.has_passed_alone:
        judgement = _of_both(batch, judgement)
        run = replace(run, verdict=str(judgement.verdict), failing=_names(judgement))
        stored = replace(stored, verdict=run.verdict, failing=run.failing)
    kept = keep_verdict(draft, stored, job.tree, job.fingerprint)
    if kept:
        draft.note(EventName.PROGRESS, f"Keep the verdict on {job.tree[:12]}", *kept, batch=batch.id)
    follow(draft, batch, run, judgement, heard.settings)


def _of_both(batch: Batch, again: Judgement) -> Judgement:
    """Say what two runs of the suite on one tree came to, of which the first one failed."""
    failing = tuple(Case(file=file or None, classname=cls, name=name) for file, cls, name in batch.failing)
    return settle_rerun(Judgement(verdict=Verdict.FAILED, failing=failing, why="it failed"), again)


def _names(judgement: Judgement) -> tuple[str, ...]:
    return tuple(case.title for case in judgement.failing[:50])
