"""What the verdict of a suite does to its batch, as parts of one draft."""

from typing import assert_never

from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, SuiteRun
from gitsched.domain.search import Search
from gitsched.domain.state import Draft
from gitsched.domain.verdicts import Case, Judgement, Verdict
from gitsched.domain.words import BatchStatus
from gitsched.engine.blocking import block
from gitsched.engine.perform.fixing import leave_after_fix
from gitsched.policy.consequence import SuiteConsequence, suite_consequence, suite_reason
from gitsched.policy.dissolve import unproven
from gitsched.policy.mending import has_helped

CANNOT_DISCRIMINATE = "suite-cannot-discriminate"


def follow(draft: Draft, batch: Batch, run: SuiteRun, judgement: Judgement, settings: Settings) -> None:
    """Do what a verdict of the suite does to its batch."""
    does = suite_consequence(judgement.verdict, flaky_blocks=settings.suite.flaky == "block")
    match does:
        case SuiteConsequence.REVIEW:
            is_flaky = judgement.verdict is Verdict.FLAKY
            pass_on(draft, batch, run, EventName.FLAKY if is_flaky else EventName.SUITE_PASSED)
        case SuiteConsequence.ATTRIBUTE:
            ours = tuple(case for case in judgement.failing if stored_case(case) not in batch.excused)
            if batch.fix is not None and not has_helped(batch.fix, ours):
                told = replace(batch, suite=(*batch.suite, run), failing=(), failing_count=0)
                _note_failed(draft, told, run, judgement)
                leave_after_fix(draft, told, "the suite is red after the fix")
            elif judgement.failing and not ours:
                pass_on(draft, batch, _as_excused(run), EventName.SUITE_PASSED)
            else:
                _fail(draft, batch, run, replace(judgement, failing=ours), settings)
        case SuiteConsequence.BLOCK:
            _block_on_suite(draft, batch, run, judgement)
        case _:
            assert_never(does)


def _as_excused(run: SuiteRun) -> SuiteRun:
    """Let a run pass of which every failing test is excused."""
    return replace(run, verdict=str(Verdict.PASSED), failing=(), excused=run.failing)


def pass_excused(draft: Draft, batch: Batch) -> None:
    """Let a batch go on whose suite failed on this very tree in nothing but what is excused."""
    pass_on(draft, batch, replace(_as_excused(batch.suite[-1]), cached=True, at=draft.at), EventName.SUITE_PASSED)


def pass_on(draft: Draft, batch: Batch, run: SuiteRun, event: EventName) -> None:
    """Let a batch go on to its review."""
    green = replace(
        batch,
        status=BatchStatus.REVIEWING,
        reason=None,
        suite=(*batch.suite, run),
        suspects=(),
        search=None,
        fix=None,
        fresh_suite=False,
        updated_at=draft.at,
    )
    how = "is flaky" if event is EventName.FLAKY else "is known to be green" if run.cached else "is green"
    draft.note(
        event,
        f"The suite {how} on {run.commit[:12]} of {batch.id}",
        green,
        batch=batch.id,
        verdict=run.verdict,
        tree=run.tree,
        cached=run.cached,
        failing=list(run.failing),
        excused=list(run.excused),
        evidence=run.evidence,
    )


def _fail(draft: Draft, batch: Batch, run: SuiteRun, judgement: Judgement, settings: Settings) -> None:
    """Send a red batch to be searched; one that was red, passed alone and is red again cannot be."""
    has_passed_alone = batch.search is not None and batch.search.has_passed_alone
    red = replace(
        batch,
        status=BatchStatus.VALIDATING if has_passed_alone else BatchStatus.ATTRIBUTING,
        suite=(*batch.suite, run),
        failing=tuple(stored_case(case) for case in judgement.failing[:50]),
        failing_count=len(judgement.failing),
        search=None if has_passed_alone else Search(head=run.commit, is_fresh=batch.fresh_suite),
        fix=None,
        fresh_suite=False,
        updated_at=draft.at,
    )
    _note_failed(draft, red, run, judgement)
    if has_passed_alone:
        why = unproven(batch, settings, CANNOT_DISCRIMINATE)
        block(draft, batch.id, why, "it fails, its failing tests pass alone, and it fails again")


def _note_failed(draft: Draft, red: Batch, run: SuiteRun, judgement: Judgement) -> None:
    draft.note(
        EventName.SUITE_FAILED,
        f"The suite of {red.id} is red: {', '.join(run.failing[:3]) or judgement.why}"[:200],
        red,
        batch=red.id,
        verdict=run.verdict,
        tree=run.tree,
        failing=list(run.failing),
        evidence=run.evidence,
        detail=judgement.why,
    )


def _block_on_suite(draft: Draft, batch: Batch, run: SuiteRun, judgement: Judgement) -> None:
    told = replace(batch, suite=(*batch.suite, run), search=None, fresh_suite=False)
    draft.note(
        EventName.SUITE_UNREADABLE,
        f"The suite of {batch.id} proves nothing: {judgement.why}"[:200],
        told,
        batch=batch.id,
        verdict=run.verdict,
        tree=run.tree,
        evidence=run.evidence,
        detail=judgement.why,
    )
    block(draft, batch.id, suite_reason(judgement.verdict), judgement.why)


def stored_case(case: Case) -> tuple[str, str, str]:
    """Write a failing case down as (file, class name, name)."""
    return (case.file or "", case.classname, case.name)
