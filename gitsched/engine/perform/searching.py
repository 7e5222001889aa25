"""Searching: run a step of a search for whoever turned the suite red, and record what it came to."""

import secrets
from collections.abc import Mapping
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Job, StoredVerdict
from gitsched.domain.search import Search, SearchRun, SearchStep
from gitsched.domain.search_effects import RunStep
from gitsched.domain.state import Draft, State
from gitsched.domain.verdicts import CheckKind, EvidenceSource
from gitsched.domain.words import BatchStatus, JobKind
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.ended import Kept
from gitsched.engine.evidence import forget_job, keep_job
from gitsched.engine.jobs import JobEnd, JobOrder, check_end, claim, is_current, read_end
from gitsched.engine.perform.attributing import tell
from gitsched.engine.perform.step_verdicts import keep, recorded, step_fingerprint, stored_of
from gitsched.engine.perform.validating import SUITE_CHECK, suite_fingerprint
from gitsched.engine.release import give_suite_tree_back, suite_owner
from gitsched.engine.trial import commit_of
from gitsched.policy.hearing import Asked, Trees, asked, heard
from gitsched.policy.inquest import cases_of, letters_of, search_jobs
from gitsched.policy.judge import judge_check
from gitsched.policy.sightings import Outcome
from gitsched.ports.worktrees import TreeRefused

TREE_NAMED = 6
"""A tree of more members is told by their number."""


def run_step(effect: RunStep, desk: Desk) -> None:
    """Run failing tests on one tree, unless what is recorded for it answers."""
    batch = desk.state.batches[effect.batch]
    search = batch.search
    if not _is_due(desk.state, effect) or search is None:
        return
    commit = commit_of(desk, batch, effect.members)
    if commit is None:
        _record_at_once(desk, effect, dict.fromkeys(effect.tests, Outcome.BROKEN), None)
        return
    suite, tree = desk.settings_of(batch).suite, desk.around.lander.tree_of(commit)
    known = recorded(desk, batch, effect, tree) if effect.attempt == 1 and not search.is_fresh else {}
    if known:
        _record_at_once(desk, effect, known, tree)
        return
    paths = Trees(tip=desk.around.lander.paths_of(effect.head), run=desk.around.lander.paths_of(commit))
    request = asked(cases_of(batch), effect.tests, suite, paths, is_split=effect.members in search.split)
    if not request.argv:
        _record_at_once(desk, effect, dict.fromkeys(request.absent, Outcome.ABSENT), tree)
        return
    _claim(desk, effect, request, commit)


def _claim(desk: Desk, effect: RunStep, request: Asked, commit: str) -> None:
    batch = desk.state.batches[effect.batch]
    suite, token = desk.settings_of(batch).suite, secrets.token_hex(16)
    owner = suite_owner(batch.id, desk.me.driver, token)
    place = desk.around.trees.acquire(owner, commit, None)
    if isinstance(place, TreeRefused):
        _without_tree(desk, effect, place)
        return
    is_prefix = effect.members == (batch.search or Search(head="")).members[: len(effect.members)]
    order = JobOrder(
        batch=batch.id,
        name=step_name(batch, effect, is_prefix=is_prefix),
        kind=JobKind.STEP if is_prefix else JobKind.TRIAL,
        argv=request.argv,
        place=str(place.path),
        commit=place.head,
        tree=desk.around.lander.tree_of(commit),
        fingerprint=suite_fingerprint(suite, desk) if request.is_whole else step_fingerprint(suite, desk),
        timeout_s=suite.timeout_s,
        env=suite.env,
        check=SUITE_CHECK,
        token=token,
        step=SearchStep(members=effect.members, tests=request.tests, absent=request.absent, purpose=effect.purpose),
    )
    sentence = f"Run {_count(request.tests)} of {batch.id} on {_tree_words(effect.members)}"
    if not claim(desk, order, sentence, lambda state: _is_due(state, effect)):
        desk.around.trees.release(place.path, [owner])


def step_name(batch: Batch, effect: RunStep, *, is_prefix: bool) -> str:
    """Name the job of a step, the same one whoever starts it."""
    if is_prefix:
        return f"step-{batch.generation}-{len(effect.members)}-{effect.attempt}"
    digest = crc32(repr(effect.members).encode())
    return f"trial-{batch.generation}-{digest:08x}-{effect.attempt}"


def _is_due(state: State, effect: RunStep) -> bool:
    """Say whether a step is still to be made: so many runs of its tree are on record or going on, and no more."""
    batch = state.batches.get(effect.batch)
    if batch is None or batch.status is not BatchStatus.ATTRIBUTING or batch.search is None:
        return False
    if batch.search.head != effect.head or batch.integration.head != effect.head:
        return False
    ended = sum(run.members == effect.members for run in batch.search.runs)
    going_on = [state.jobs[key].step for key in search_jobs(state) if key[0] == batch.id]
    running = sum(step is not None and step.members == effect.members for step in going_on)
    return ended + running == effect.attempt - 1


def _without_tree(desk: Desk, effect: RunStep, refused: TreeRefused) -> None:
    """Wait for a step that is running to give its tree back; where there is none, a person is needed."""

    def intent(draft: Draft) -> None:
        is_alone = not any(key[0] == effect.batch for key in search_jobs(draft.state))
        if is_alone and _is_due(draft.state, effect):
            block(draft, effect.batch, f"suite-broken:{refused.reason}", refused.detail)

    desk.record(intent)


def _record_at_once(desk: Desk, effect: RunStep, outcomes: Mapping[int, Outcome], tree: str | None) -> None:
    """Record what needs no run: a tree that cannot be built, tests that it lacks, or a verdict that stands."""
    batch = desk.state.batches[effect.batch]
    settings = desk.settings_of(batch)
    run = SearchRun(
        members=effect.members,
        outcomes=letters_of(outcomes, len(cases_of(batch))),
        purpose=effect.purpose,
        cached=True,
        tree=tree,
    )

    def intent(draft: Draft) -> None:
        if _is_due(draft.state, effect):
            _note_run(draft, effect.batch, replace(run, at=draft.at), settings)

    desk.record(intent)


def settle_step(desk: Desk, job: Job) -> None:
    """Record what the tests of a step came to; a step of another head counts for nothing."""
    seen = read_end(desk, job)
    batch = desk.state.batches.get(job.batch)
    if seen is None or batch is None or job.step is None:
        return
    listened = _listen(desk, batch, job, job.step, seen)
    desk.record(lambda draft: _record_step(draft, batch, job, listened, desk.settings_of(batch)))
    give_suite_tree_back(desk, job)
    forget_job(desk, job)


class Listened(Struct, frozen=True, kw_only=True):
    """What a step came to, in all the forms in which it is kept."""

    run: SearchRun
    stored: StoredVerdict | None
    evidence: Kept
    is_whole: bool
    splits: bool
    verdict: str


def _listen(desk: Desk, batch: Batch, job: Job, step: SearchStep, seen: JobEnd) -> Listened:
    suite, cases = desk.settings_of(batch).suite, cases_of(batch)
    has_report = suite.report == "junit"
    end = check_end(desk, job, seen, report_declared=has_report)
    judgement = judge_check(CheckKind.TEST, EvidenceSource(suite.evidence), end, report_declared=has_report)
    asked_for = {test: cases[test] for test in step.tests if test < len(cases)}
    is_whole = job.fingerprint == suite_fingerprint(suite, desk)
    is_split = batch.search is not None and step.members in batch.search.split
    result = heard(asked_for, judgement, end.report, may_split=not is_whole and not is_split)
    outcomes = {**dict.fromkeys(step.absent, Outcome.ABSENT), **result.outcomes}
    summary = {
        "check": SUITE_CHECK,
        "verdict": str(judgement.verdict),
        "why": judgement.why,
        "tree": job.tree,
        "members": list(step.members),
        "tests": {cases[test].title: str(outcome) for test, outcome in outcomes.items() if test < len(cases)},
    }
    evidence = keep_job(desk, job, seen, summary)
    run = SearchRun(
        members=step.members,
        outcomes=letters_of(outcomes, len(cases)),
        purpose=step.purpose,
        tree=job.tree,
        evidence=evidence.folder,
        duration_ms=seen.end.duration_ms,
        at=seen.end.at,
    )
    found = {asked_for[test]: outcome for test, outcome in result.outcomes.items()}
    stored = stored_of(job, judgement, found, run, is_whole=is_whole)
    return Listened(
        run=run,
        stored=stored,
        evidence=evidence,
        is_whole=is_whole,
        splits=result.splits,
        verdict=str(judgement.verdict),
    )


def _record_step(draft: Draft, seen: Batch, job: Job, listened: Listened, settings: Settings) -> None:
    if not is_current(draft, job):
        return
    sentence = f"A step of the search in {job.batch} has ended: {listened.verdict}"
    told = listened.evidence.told()
    draft.note(EventName.PROGRESS, sentence, removed=[job], batch=job.batch, verdict=listened.verdict, **told)
    now = draft.state.batches.get(job.batch)
    if now is None or now.search is None or now.status is not BatchStatus.ATTRIBUTING:
        return
    if seen.search is None or (now.search.head, now.failing) != (seen.search.head, seen.failing):
        return
    keep(draft, job, listened.stored, is_whole=listened.is_whole)
    _note_run(draft, job.batch, listened.run, settings, listened=listened)


def _note_run(
    draft: Draft, batch_id: str, run: SearchRun, settings: Settings, *, listened: Listened | None = None
) -> None:
    batch = draft.state.batches[batch_id]
    if listened is not None and listened.is_whole:
        batch = replace(batch, whole_steps=(*batch.whole_steps, run.at))
    splits = listened is not None and listened.splits
    search = batch.search
    assert search is not None
    split = (*search.split, run.members) if splits and run.members not in search.split else search.split
    after = replace(search, runs=(*search.runs, run), split=split)
    cases = cases_of(batch)
    failing = [case.title for case, letter in zip(cases, run.outcomes, strict=True) if letter == "f"]
    draft.note(
        EventName.BISECT_STEP,
        f"{_result_words(run, len(failing))} on {_tree_words(run.members)} of {batch.id}"[:200],
        replace(batch, search=after),
        batch=batch.id,
        purpose=run.purpose,
        members=list(run.members),
        outcomes=run.outcomes,
        failing=failing,
        cached=run.cached,
        tree=run.tree,
        evidence=run.evidence,
    )
    tell(draft, batch_id, settings)


def _result_words(run: SearchRun, failing_count: int) -> str:
    count = sum(letter != "-" for letter in run.outcomes)
    known = " as is known already" if run.cached else ""
    if run.tree is None:
        return "No test can run"
    return f"{failing_count} of {count} {'test fails' if count == 1 else 'tests fail'}{known}"


def _count(tests: tuple[int, ...]) -> str:
    return f"{len(tests)} failing {'test' if len(tests) == 1 else 'tests'}"


def _tree_words(members: tuple[int, ...]) -> str:
    if not members:
        return "the base"
    if len(members) > TREE_NAMED:
        return f"the tree with {len(members)} members, the last of them #{members[-1]}"
    return f"the tree with {', '.join(f'#{issue}' for issue in members)}"
