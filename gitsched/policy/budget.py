"""Budget: what may still be spent, and what the next run is expected to cost.

1. Every scope that a run belongs to is asked: the run itself, its member, its batch, the day, its profile on that day.
2. What runs at work may cost counts as spent until they have told what they did: what is reserved for them, or the
   most that one of the latest runs like them has cost. So all of them together go over a cap by one run's excess only.
3. A run is expected to cost the median of the latest runs like it, never more than `[budget.run]` allows. Where there
   was none, it is expected to take that cap, or else all that is left, so that it runs alone.
4. What an agent never reports cannot be reserved. With `unknown = "block"` one such run stops the next where a cap asks
   for that amount; with `"count-runs"` runs, time and suite runs still count, and what is unknown is shown as that.
5. A refusal is a gap, not a failure: `budget:<scope>.<kind>`. A day's gap closes with the next day of the zone.

See docs/how-to/overnight.md, "What may be spent".
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec import Struct

from gitsched.config.services import BudgetCaps, BudgetSettings
from gitsched.config.settings import Settings
from gitsched.domain.costs import (
    AGENT_MS,
    REPORTED,
    RUNS,
    SUITE_RUNS,
    TOKENS,
    TURNS,
    USD,
    WORDS,
    DayCosts,
    Rates,
    summed_amounts,
    unknown,
)
from gitsched.domain.records import Batch, Job
from gitsched.domain.state import State
from gitsched.domain.words import JobKind, Tier
from gitsched.domain.zones import day_of
from gitsched.policy.situation import Situation

MEASURED: Final[Mapping[str, frozenset[str]]] = {
    "claude-stream-json": frozenset(REPORTED),
    "opencode-json": frozenset(REPORTED),
    "codex-json": frozenset({TOKENS, TURNS}),
    "gemini-json": frozenset({TOKENS}),  # its stream, which the preset asks for, counts no turns
}
"""Which amounts each reader of an agent's output can tell; any other reader tells none."""
BUDGET: Final = "budget:"
SEARCH_JOBS: Final = frozenset({JobKind.STEP, JobKind.TRIAL})


_NO_CAPS: Final = BudgetCaps()
_NO_BUDGET: Final = BudgetSettings()


class Unit(Struct, frozen=True, kw_only=True):
    """A run that is about to start, as budgets see it."""

    batch: str
    issue: int
    profile: str
    tier: Tier | None = None
    usage: str = "none"
    """The reader of its agent's output."""


class Scope(Struct, frozen=True, kw_only=True):
    """One budget that a run belongs to."""

    word: str
    key: str
    """Tells it from the others of its word: `day`, `batch:b1`."""
    caps: Mapping[str, int]
    spent: Mapping[str, int]
    in_flight: Mapping[str, int]

    def left(self, kind: str) -> int:
        """Tell how much of a capped amount is left; below zero when more was spent."""
        return self.caps[kind] - self.spent.get(kind, 0) - self.in_flight.get(kind, 0)


class _Reservation(Struct, frozen=True, kw_only=True):
    batch: str
    issue: int
    profile: str
    amounts: Mapping[str, int]


class Purse:
    """What is spent and reserved, as it is and as the admissions of this pass make it."""

    def __init__(self, situation: Situation) -> None:
        """Count what ended runs have cost and what those at work are expected to."""
        self._situation = situation
        self._budget = situation.current.budget
        self._day: DayCosts | None = situation.state.costs.get(day_of(situation.facts.now, situation.zone))
        self._reserved: list[_Reservation] = []
        for lease in situation.state.leases.values():
            unit = Unit(batch=lease.batch, issue=lease.issue, profile=lease.profile, tier=lease.tier)
            self._hold(unit, lease.reserved)
        for job in situation.state.jobs.values():
            if job.reserved:
                unit = Unit(batch=job.batch, issue=job.issue or 0, profile=job.check or "", tier=job.tier)
                self._hold(unit, job.reserved)

    def reserve(self, unit: Unit) -> None:
        """Count a run that is admitted in this pass."""
        self._hold(unit, self.reservation(unit))

    def _hold(self, unit: Unit, reserved: Mapping[str, int]) -> None:
        """Count a run at work: it may cost what the dearest of the latest runs like it has cost."""
        rates = self._situation.state.rates.get(unit.profile)
        amounts = {kind: max(amount, dearest(rates, unit.tier, kind)) for kind, amount in reserved.items()}
        self._reserved.append(_Reservation(batch=unit.batch, issue=unit.issue, profile=unit.profile, amounts=amounts))

    def reservation(self, unit: Unit) -> dict[str, int]:
        """Tell what a run is expected to cost, as far as anything is known or capped."""
        scopes = self._scopes(unit)
        kinds = dict.fromkeys((*REPORTED, AGENT_MS, *(kind for scope in scopes for kind in scope.caps)))
        expected = {kind: self._expected(unit, kind, scopes) for kind in kinds if kind != SUITE_RUNS}
        return {**{kind: amount for kind, amount in expected.items() if amount}, RUNS: 1}

    def refusals(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """Name every budget that keeps a run from starting: its key with the kind, and the reason that people see."""
        if self._budget == _NO_BUDGET:
            return
        scopes = self._scopes(unit)
        for scope in scopes:
            for kind in scope.caps:
                if kind != SUITE_RUNS and self._is_refused(unit, kind, scope, scopes):
                    yield f"{scope.key}.{WORDS[kind]}", f"{BUDGET}{scope.word}.{WORDS[kind]}"

    def _is_refused(self, unit: Unit, kind: str, scope: Scope, scopes: Sequence[Scope]) -> bool:
        if kind in REPORTED and kind not in MEASURED.get(unit.usage, frozenset()):
            return self._blocks_unknown(kind, scope)
        if self._blocks_unknown(kind, scope):
            return True
        left = scope.left(kind)
        return left <= 0 or self._expected(unit, kind, scopes) > left

    def _blocks_unknown(self, kind: str, scope: Scope) -> bool:
        return self._budget.unknown == "block" and scope.spent.get(unknown(kind), 0) > 0

    def _expected(self, unit: Unit, kind: str, scopes: Sequence[Scope]) -> int:
        if kind == RUNS:
            return 1
        if kind in REPORTED and kind not in MEASURED.get(unit.usage, frozenset()):
            return 0
        cap = amounts_of(self._budget.run).get(kind)
        known = expected_of(self._situation.state.rates.get(unit.profile), unit.tier, kind)
        if known is not None:
            return known if cap is None else min(known, cap)
        left = [scope.left(kind) for scope in scopes if kind in scope.caps]
        return cap if cap is not None else max(0, min(left, default=0))

    def _scopes(self, unit: Unit) -> tuple[Scope, ...]:
        """List the scopes of a run that have a cap."""
        state, budget = self._situation.state, self._budget
        member, batch = state.members.get((unit.batch, unit.issue)), state.batches.get(unit.batch)
        ended = self._day.profiles if self._day is not None else {}
        others = [r for r in self._reserved if (r.batch, r.issue) != (unit.batch, unit.issue)]
        own = {} if member is None else member.usage
        whole = {} if batch is None else spent_by(state, batch)
        written = (
            _scope("run", "run", budget.run, {}, []),
            _scope("member", f"member:{unit.batch}/{unit.issue}", budget.member, own, []),
            _scope("batch", f"batch:{unit.batch}", budget.batch, whole, [r for r in others if r.batch == unit.batch]),
            _scope("day", "day", budget.day, summed_amounts(ended.values()), others),
            _scope(
                "profile",
                f"profile:{unit.profile}",
                budget.profile.get(unit.profile, _NO_CAPS),
                ended.get(unit.profile, {}),
                [r for r in others if r.profile == unit.profile],
            ),
        )
        return tuple(scope for scope in written if scope is not None)


def _scope(word: str, key: str, caps: BudgetCaps, spent: Mapping[str, int], flying: list[_Reservation]) -> Scope | None:
    if caps == _NO_CAPS:
        return None
    in_flight = summed_amounts(reservation.amounts for reservation in flying)
    return Scope(word=word, key=key, caps=amounts_of(caps), spent=spent, in_flight=in_flight)


def amounts_of(caps: BudgetCaps) -> dict[str, int]:
    """Give the caps that are written, as amounts."""
    written = {
        USD: None if caps.usd is None else round(caps.usd * 1_000_000),
        TOKENS: caps.tokens_count,
        TURNS: caps.turns_count,
        RUNS: caps.runs_count,
        AGENT_MS: None if caps.agent_time_s is None else round(caps.agent_time_s * 1000),
        SUITE_RUNS: caps.suite_runs_count,
    }
    return {kind: cap for kind, cap in written.items() if cap is not None}


def expected_of(rates: Rates | None, tier: Tier | None, kind: str) -> int | None:
    """Give the median of the latest runs of a profile: those of the tier, where there were any; None: none is known."""
    known = _alike(rates, tier, kind)
    return round(median(known)) if known else None


def dearest(rates: Rates | None, tier: Tier | None, kind: str) -> int:
    """Give the most that one of those runs has cost; 0 where none is known."""
    return max(_alike(rates, tier, kind), default=0)


def _alike(rates: Rates | None, tier: Tier | None, kind: str) -> list[int]:
    known = [run for run in (() if rates is None else rates.recent) if kind in run.amounts]
    of_tier = [run for run in known if run.tier is tier]
    return [run.amounts[kind] for run in of_tier or known]


def spent_by(state: State, batch: Batch) -> dict[str, int]:
    """Add up what the ended runs of a batch have cost."""
    return summed_amounts((batch.usage, *(member.usage for member in state.members_of(batch))))


def suite_refusal(situation: Situation, batch: Batch, count: int = 1) -> str | None:
    """Name the budget that keeps a batch's suite from running `count` times; None when it may."""
    budget = situation.current.budget
    state, zone = situation.state, situation.zone
    today = day_of(situation.facts.now, zone)
    caps = {"batch": budget.batch.suite_runs_count, "day": budget.day.suite_runs_count}
    if caps["batch"] is not None and _suite_runs(batch) + count > caps["batch"]:
        return f"{BUDGET}batch.suite_runs"
    if caps["day"] is not None:
        at_work = sum(is_suite_run(situation, job) for job in state.jobs.values())
        ended = sum(_suite_runs(other, today, situation) for other in state.batches.values())
        if ended + at_work + count > caps["day"]:
            return f"{BUDGET}day.suite_runs"
    return None


def is_suite_run(situation: Situation, job: Job) -> bool:
    """Say whether a job runs the whole suite: by itself, or as a step of a search that cannot name tests."""
    if job.kind is JobKind.SUITE:
        return True
    batch = situation.state.batches.get(job.batch)
    return batch is not None and job.kind in SEARCH_JOBS and has_whole_steps(batch, situation.settings_of(batch))


def has_whole_steps(batch: Batch, settings: Settings) -> bool:
    """Say whether each step of a batch's search is a run of its whole suite: nothing names or runs single tests."""
    return not settings.suite.rerun or not batch.failing


def _suite_runs(batch: Batch, day: str | None = None, situation: Situation | None = None) -> int:
    ended = [*(run.at for run in batch.suite if not run.cached), *batch.whole_steps]
    if day is None or situation is None:
        return len(ended)
    return sum(bool(at) and day_of(at, situation.zone) == day for at in ended)


def closes_with_the_day(reason: str) -> bool:
    """Say whether a refusal is over by itself when the next day begins."""
    return reason.startswith((f"{BUDGET}day.", f"{BUDGET}profile."))


def is_for_good(wait: str) -> bool:
    """Say whether what is waited for is a budget that no new day brings back."""
    return wait.startswith(BUDGET) and not closes_with_the_day(wait)


def unmeasured(budget: BudgetSettings, profiles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name each cap that an agent's output never tells anything for, with the profile; `profiles` are their readers."""
    for name, usage in sorted(profiles.items()):
        told = MEASURED.get(usage, frozenset())
        scopes = {
            "run": budget.run,
            "member": budget.member,
            "batch": budget.batch,
            "day": budget.day,
            f"profile.{name}": budget.profile.get(name, _NO_CAPS),
        }
        for word, caps in scopes.items():
            for kind in amounts_of(caps):
                if kind in REPORTED and kind not in told:
                    yield f"budget.{word}.{WORDS[kind]}", name
