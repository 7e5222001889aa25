"""What steps of a search leave for the next one: verdicts on trees, kept and taken."""

from collections.abc import Mapping

from msgspec.structs import replace

from gitsched.config.checking import SuiteSettings
from gitsched.config.encoding import fingerprint
from gitsched.domain.events import EventName
from gitsched.domain.ids import VERDICT_NOTES
from gitsched.domain.records import Batch, Job, Judged, StoredVerdict
from gitsched.domain.search import Search, SearchRun
from gitsched.domain.search_effects import RunStep
from gitsched.domain.state import Draft, Note
from gitsched.domain.verdicts import Case, Judgement, Verdict
from gitsched.engine.desk import Desk
from gitsched.engine.perform.validating import SUITE_CHECK, suite_fingerprint
from gitsched.policy.evictions import FAILING_KEPT
from gitsched.policy.hearing import merged, told
from gitsched.policy.inquest import cases_of
from gitsched.policy.judge import reusable
from gitsched.policy.sightings import Outcome
from gitsched.view.notes import verdict_note


def step_fingerprint(suite: SuiteSettings, desk: Desk) -> str:
    """Name what running chosen tests of the suite is."""
    declared = {name: desk.around.environment.get(name) for name in suite.env}
    return fingerprint([SUITE_CHECK, list(suite.rerun), suite.ids, suite.evidence, suite.report, declared])


def recorded(desk: Desk, batch: Batch, effect: RunStep, tree: str) -> Mapping[int, Outcome]:
    """Find what is recorded of these tests on a tree, by runs of them alone or of the whole suite."""
    suite, cases = desk.settings_of(batch).suite, cases_of(batch)
    prints = (step_fingerprint(suite, desk), suite_fingerprint(suite, desk))
    stored = (desk.state.verdict_on(tree, print_) for print_ in prints)
    wanted = {test: cases[test] for test in effect.tests}
    # The suite's own failure at the tip is what is asked about: it proves nothing of itself.
    is_tip = effect.members == (batch.search or Search(head="")).members
    found = (told(one, wanted) for one in stored if one is not None and not (is_tip and one.verdict == Verdict.FAILED))
    return next((outcomes for outcomes in found if outcomes), {})


def keep(draft: Draft, job: Job, seen: StoredVerdict | None, *, is_whole: bool) -> None:
    """Keep what a step found for whoever comes to its tree next; what contradicts itself never stands again."""
    if seen is None:
        return
    before = draft.state.judged.get(job.tree) or Judged(tree=job.tree, verdicts={})
    known = before.verdicts.get(job.fingerprint)
    verdicts = dict(before.verdicts)
    if not is_whole:
        verdicts[job.fingerprint] = merged(known, seen)
    elif known is None or known.verdict == seen.verdict:
        verdicts[job.fingerprint] = seen
    else:
        del verdicts[job.fingerprint]
    kept = replace(before, verdicts=verdicts)
    draft.notes.append(Note(VERDICT_NOTES, job.tree, verdict_note(kept)))
    draft.note(EventName.PROGRESS, f"Keep what the tests came to on {job.tree[:12]}", kept, batch=job.batch)


def stored_of(
    job: Job, judgement: Judgement, outcomes: Mapping[Case, Outcome], run: SearchRun, *, is_whole: bool
) -> StoredVerdict | None:
    """Write down what a step found; None where that proves nothing."""
    failing = tuple(case.title for case, outcome in outcomes.items() if outcome is Outcome.FAILS)
    passing = tuple(case.title for case, outcome in outcomes.items() if outcome is Outcome.PASSES)
    verdict = Verdict.FAILED if failing else Verdict.PASSED
    if is_whole:
        if not reusable(judgement.verdict):
            return None
        verdict, passing = judgement.verdict, ()
        failing = tuple(case.title for case in judgement.failing[:FAILING_KEPT])
    elif not failing + passing:
        return None
    return StoredVerdict(
        check=SUITE_CHECK,
        verdict=str(verdict),
        batch=job.batch,
        failing=failing,
        passing=passing,
        evidence=run.evidence,
        at=run.at,
    )
