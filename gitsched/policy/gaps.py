"""Gaps: what is to be told or done again: budgets that are used up, evidence without space; and when waits end."""

from collections.abc import Iterable, Iterator, Mapping

from gitsched.domain.dispatch_effects import KeepCheck, KeepEvidence, RefuseBudget
from gitsched.domain.instants import Instant
from gitsched.domain.records import Batch
from gitsched.domain.words import BatchStatus
from gitsched.domain.zones import day_of, next_day_at
from gitsched.policy.budget import closes_with_the_day, has_whole_steps, is_suite_run, suite_refusal
from gitsched.policy.errands import STAGES
from gitsched.policy.schedule import opening_times
from gitsched.policy.situation import Situation


def untold(situation: Situation, gaps: Mapping[str, tuple[int, str]]) -> Iterator[RefuseBudget]:
    """Ask that every gap be told that was not on this day; `gaps`: budget and kind → an issue it stops, and why."""
    day = day_of(situation.facts.now, situation.zone)
    known = situation.state.costs.get(day)
    told = known.refused if known is not None else ()
    for key, (issue, reason) in gaps.items():
        if key not in told:
            yield RefuseBudget(day, key, issue, reason)


def wakes(situation: Situation, reasons: Iterable[str]) -> Iterator[Instant]:
    """Tell when reasons for waiting go by themselves."""
    found = set(reasons)
    if any(closes_with_the_day(reason) for reason in found):
        yield next_day_at(situation.facts.now, situation.zone)
    if any(reason.startswith("window:") for reason in found):
        yield from opening_times(situation)


def suite_waits(situation: Situation) -> dict[str, tuple[str, ...]]:
    """Say of each batch whose suite, or search by whole suites, a budget keeps from running which one that is."""
    at_work = {job.batch for job in situation.state.jobs.values() if is_suite_run(situation, job)}
    batches = situation.state.batches.values()
    due = (batch for batch in batches if batch.id not in at_work and _runs_suites(situation, batch))
    found = ((batch.id, suite_refusal(situation, batch)) for batch in due)
    return {name: (reason,) for name, reason in found if reason is not None}


def _runs_suites(situation: Situation, batch: Batch) -> bool:
    if batch.status is BatchStatus.ATTRIBUTING:
        is_begun = batch.search is not None and batch.search.is_begun
        return is_begun and has_whole_steps(batch, situation.settings_of(batch))
    return batch.status is BatchStatus.VALIDATING


def batches_wake(situation: Situation) -> Iterator[Instant]:
    """Tell when budgets that keep suites and errands from running are there again by themselves."""
    errands = (batch.reason for batch in situation.state.batches.values() if batch.status in STAGES)
    suites = (reason for found in suite_waits(situation).values() for reason in found)
    yield from wakes(situation, (*suites, *(reason for reason in errands if reason is not None)))


def owed_steps(situation: Situation) -> Iterator[KeepEvidence | KeepCheck]:
    """Ask again for evidence that there was no space for, where its log is."""
    for batch in situation.state.batches.values():
        for folder, owed in sorted(batch.owed.items()):
            if owed.get("host") == situation.facts.host:
                yield KeepCheck(batch.id, folder)
    for key in sorted(situation.state.members):
        member = situation.state.members[key]
        for gen, summary in sorted(member.owed.items()):
            if summary.get("host") == situation.facts.host:
                yield KeepEvidence(member.batch, member.issue, int(gen))
