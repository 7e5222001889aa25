"""What may still be spent, and what the next run is expected to cost."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.batches import Fix
from gitsched.domain.costs import DayCosts, Rates, RunCost
from gitsched.domain.dispatch_effects import KeepCheck, KeepEvidence
from gitsched.domain.effects import ClaimSuite
from gitsched.domain.records import Batch, Exit, Member, Record, SuiteRun
from gitsched.domain.search import Search
from gitsched.domain.words import BatchStatus, JobKind, MemberStatus, RunStatus, Tier
from gitsched.policy.admit import admissions
from gitsched.policy.budget import Purse, Unit, expected_of, is_for_good, suite_refusal, unmeasured
from gitsched.policy.errands import errand_wait
from gitsched.policy.gaps import batches_wake, owed_steps, suite_waits
from gitsched.policy.idle import waits_for_a_person
from gitsched.policy.plan import plan
from tests.policy.situations import a_batch, a_job, a_lease, a_member, a_situation, a_state, an_entry, settings

DAY = "2026-01-01"
USD = 1_000_000
MEASURED = 'usage = "claude-stream-json"\n'


def runs_of(usd: float, count: int = 3, tier: Tier | None = None) -> Rates:
    """Build what is remembered of runs that each cost so much."""
    cost = RunCost(tier=tier, amounts={"usd_micros": round(usd * USD), "agent_ms": 60_000})
    return Rates(profile="fake", recent=(cost,) * count)


def reasons(config: Settings, *records: Record, usage: str = "claude-stream-json", issue: int = 9) -> tuple[str, ...]:
    """Name the budgets that keep a run of b1 from starting."""
    unit = Unit(batch="b1", issue=issue, profile="fake", usage=usage)
    return tuple(reason for _, reason in Purse(a_situation(a_state(*records), config)).refusals(unit))


def test_without_a_budget_nothing_is_refused() -> None:
    """And what is expected is what runs like it have cost."""
    purse = Purse(a_situation(a_state(runs_of(2)), settings(MEASURED)))
    unit = Unit(batch="b1", issue=1, profile="fake", usage="claude-stream-json")
    assert tuple(purse.refusals(unit)) == ()
    assert purse.reservation(unit) == {"usd_micros": 2 * USD, "agent_ms": 60_000, "runs": 1}


def test_a_23_a_days_runs_are_a_gap() -> None:
    """A-23: three used of three: the fourth waits with `budget:day.runs`, and it is told when that ends."""
    config = settings("[budget.day]\nruns = 3\n")
    used = DayCosts(day=DAY, profiles={"fake": {"runs": 2}, "other": {"runs": 1}})
    found = admissions(a_situation(a_state(an_entry(1), used), config))
    assert found.waits == {1: ("budget:day.runs",)}
    assert found.wakes_at == ("2026-01-02T00:00:00.000Z",)
    berlin = settings('[budget.day]\nruns = 3\n[schedule]\ntz = "Europe/Berlin"\n')
    assert admissions(a_situation(a_state(an_entry(1), used), berlin)).wakes_at == ("2026-01-01T23:00:00.000Z",)
    yesterday = DayCosts(day="2025-12-31", profiles={"fake": {"runs": 3}})
    assert admissions(a_situation(a_state(an_entry(1), yesterday), config)).waits == {}


def test_a_gap_is_told_once_a_day() -> None:
    """One effect for each budget, whoever waits for it; none when it was told."""
    config = settings("[budget.day]\nruns = 1\n")
    used = DayCosts(day=DAY, profiles={"fake": {"runs": 1}})
    state = a_state(an_entry(1), an_entry(2), used)
    (told,) = admissions(a_situation(state, config)).effects
    assert (told.key, told.issue, told.reason) == ("day.runs", 1, "budget:day.runs")  # type: ignore[union-attr]
    known = DayCosts(day=DAY, profiles=used.profiles, refused=("day.runs",))
    assert admissions(a_situation(state.put(known), config)).effects == ()


def test_a_24_what_is_in_flight_counts_as_reserved() -> None:
    """A-24: 5 USD for a batch, 3 USD a run: of two ready members one is admitted; what it did cost then counts."""
    config = settings(MEASURED + "[budget.batch]\nusd = 5\n")
    ready = (a_batch(1, 2), a_member(1), a_member(2), runs_of(3))
    found = admissions(a_situation(a_state(*ready), config))
    assert [getattr(effect, "issue", None) for effect in found.effects][:1] == [1]
    assert found.waits == {2: ("budget:batch.usd",)}
    running = a_lease(1, reserved={"usd_micros": 3 * USD, "runs": 1})
    state = a_state(a_batch(1, 2), a_member(1, MemberStatus.RUNNING), a_member(2), runs_of(3), running)
    assert admissions(a_situation(state, config)).waits == {2: ("budget:batch.usd",)}
    cheap = a_member(1, MemberStatus.VERIFIED, usage={"usd_micros": USD, "runs": 1})
    assert 2 not in admissions(a_situation(a_state(a_batch(1, 2), cheap, a_member(2), runs_of(3)), config)).waits


def test_a_first_run_of_unknown_cost_goes_alone() -> None:
    """Nothing like it has run: it may take all that is left, so the next one waits for its end."""
    config = settings(MEASURED + "[budget.day]\nusd = 10\n")
    found = admissions(a_situation(a_state(an_entry(1), an_entry(2)), config))
    assert found.waits == {2: ("budget:day.usd",)}
    capped = settings(MEASURED + "[budget.day]\nusd = 10\n[budget.run]\nusd = 4\n")
    found = admissions(a_situation(a_state(an_entry(1), an_entry(2), an_entry(3)), capped))
    assert found.waits == {3: ("budget:day.usd",)}


def test_every_scope_is_asked_and_every_refusal_named() -> None:
    """Run, member, batch, day, profile; a run that belongs to another is not in the way."""
    config = settings(
        MEASURED
        + "[budget.run]\ntokens = 0\n[budget.member]\nruns = 1\n[budget.batch]\nturns = 5\n"
        + '[budget.day]\nagent_time = "1h"\n[budget.profile.fake]\nusd = 2\n'
    )
    spent = a_member(9, MemberStatus.WAITING, usage={"runs": 1, "turns": 5})
    day = DayCosts(day=DAY, profiles={"fake": {"agent_ms": 3_600_000, "usd_micros": 2 * USD}})
    assert reasons(config, a_batch(9), spent, day) == (
        "budget:run.tokens",
        "budget:member.runs",
        "budget:batch.turns",
        "budget:day.agent_time",
        "budget:profile.usd",
    )
    other = settings(MEASURED + "[budget.profile.other]\nusd = 0\n")
    assert reasons(other, a_batch(9), a_member(9)) == ()


def test_the_own_reservation_of_a_run_is_not_in_its_way() -> None:
    """A run that starts again is asked without what is reserved for it."""
    config = settings("[budget.day]\nruns = 1\n")
    again = a_lease(9, RunStatus.RECOVERING, reserved={"runs": 1})
    assert reasons(config, a_batch(9), a_member(9, MemberStatus.PREPARING), again) == ()


def test_a_25_what_is_never_reported_blocks_only_where_that_is_asked_for() -> None:
    """A-25: `block` stops the next run for the caps that need the amount, `count-runs` does not."""
    silent = DayCosts(day=DAY, profiles={"fake": {"runs": 1, "unknown_usd_micros": 1}})
    lenient = settings("[budget.day]\nusd = 5\n")
    strict = settings('[budget]\nunknown = "block"\n[budget.day]\nusd = 5\n')
    for usage in ("none", "codex-json", "claude-stream-json"):
        assert reasons(lenient, silent, usage=usage) == ()
        assert reasons(strict, silent, usage=usage) == ("budget:day.usd",)
        assert reasons(strict, usage=usage) == ()


def test_a_25_a_limit_that_no_reader_can_measure_is_said() -> None:
    """A-25: every cap that an agent's output tells nothing for is named with its profile."""
    config = settings('[budget.day]\nusd = 5\nruns = 2\n[budget.profile.fake]\ntokens = 9\nagent_time = "1h"\n')
    assert tuple(unmeasured(config.budget, {"fake": "none"})) == (
        ("budget.day.usd", "fake"),
        ("budget.profile.fake.tokens", "fake"),
    )
    assert tuple(unmeasured(config.budget, {"fake": "codex-json"})) == (("budget.day.usd", "fake"),)
    assert tuple(unmeasured(config.budget, {"fake": "claude-stream-json"})) == ()


def test_the_estimate_is_the_median_of_runs_like_it() -> None:
    """Of the same tier where there were any, else of all; none is known of a kind that nobody reported."""
    runs = tuple(RunCost(tier=tier, amounts={"tokens": n}) for tier, n in ((Tier.MID, 10), (Tier.MID, 30), (None, 5)))
    rates = Rates(profile="fake", recent=runs)
    assert expected_of(rates, Tier.MID, "tokens") == 20
    assert expected_of(rates, Tier.STRONG, "tokens") == 10
    assert expected_of(rates, None, "usd_micros") is None
    assert expected_of(None, None, "tokens") is None


def test_suites_have_a_budget_of_their_own() -> None:
    """Of the batch, and of the day: those that ended today and those at work; cached ones cost nothing."""
    run = SuiteRun(verdict="passed", tree="t", commit="c", at="2026-01-01T08:00:00.000Z")
    cached = SuiteRun(verdict="passed", tree="t", commit="c", at="2026-01-01T08:00:00.000Z", cached=True)
    old = SuiteRun(verdict="passed", tree="t", commit="c", at="2025-12-31T08:00:00.000Z")
    batch = a_batch(1, status=BatchStatus.VALIDATING, suite=(run, cached, old))
    state = a_state(batch, a_member(1, MemberStatus.LANDED))
    assert suite_refusal(a_situation(state), batch) is None
    per_batch = settings("[budget.batch]\nsuite_runs = 2\n")
    assert suite_refusal(a_situation(state, per_batch), batch) == "budget:batch.suite_runs"
    per_day = settings("[budget.day]\nsuite_runs = 2\n")
    assert suite_refusal(a_situation(state, per_day), batch) is None
    assert suite_refusal(a_situation(state.put(a_job()), per_day), batch) == "budget:day.suite_runs"
    stepped = replace(batch, whole_steps=("2026-01-01T08:00:00.000Z",))
    assert suite_refusal(a_situation(state.put(stepped), per_day), stepped) == "budget:day.suite_runs"
    step = a_job("step-1-2-1", kind=JobKind.STEP)
    assert suite_refusal(a_situation(state.put(step), per_day), batch) == "budget:day.suite_runs"
    assert suite_refusal(a_situation(state.put(replace(step, kind=JobKind.GATE)), per_day), batch) is None
    # A cap on suites keeps no run from starting.
    assert reasons(per_day) == ()


def test_a_batch_whose_suite_must_wait_says_so_and_wakes_with_the_day() -> None:
    """No suite is claimed, the batch has its reason, and the plan names the next midnight."""
    config = settings("[budget.day]\nsuite_runs = 0\n[budget.batch]\nsuite_runs = 9\n")
    batch = a_batch(1, status=BatchStatus.VALIDATING)
    situation = a_situation(a_state(batch, a_member(1, MemberStatus.LANDED)), config)
    assert suite_waits(situation) == {"b1": ("budget:day.suite_runs",)}
    decided = plan(situation)
    assert not [effect for effect in decided.effects if isinstance(effect, ClaimSuite)]
    assert decided.wake_after_s == 12 * 3600
    assert suite_waits(a_situation(situation.state)) == {}
    searched = replace(batch, status=BatchStatus.ATTRIBUTING, search=Search(head="h", members=(1,), is_begun=True))
    assert suite_waits(a_situation(situation.state.put(searched), config)) == {"b1": ("budget:day.suite_runs",)}
    assert suite_waits(a_situation(situation.state.put(replace(searched, search=None)), config)) == {}
    assert suite_waits(a_situation(situation.state.put(a_job()), config)) == {}


def test_evidence_that_is_owed_is_asked_for_where_its_log_is() -> None:
    """On its own host, each generation by itself."""
    member = a_member(1, MemberStatus.LANDED, owed={"0": {"host": "here"}, "1": {"host": "elsewhere"}})
    assert list(owed_steps(a_situation(a_state(a_batch(1), member)))) == [KeepEvidence("b1", 1, 0)]
    assert waits_for_a_person(a_state(), KeepEvidence("b1", 1, 0))
    batch = a_batch(1, owed={"checks/a": {"host": "here"}, "checks/b": {"host": "elsewhere"}})
    assert list(owed_steps(a_situation(a_state(batch)))) == [KeepCheck("b1", "checks/a")]
    assert waits_for_a_person(a_state(), KeepCheck("b1", "checks/a"))


def _draws(seed: int) -> Iterator[int]:
    """Give numbers in no apparent order, the same ones each time."""
    while True:
        seed = (seed * 1_103_515_245 + 12_345) % 2**31
        yield seed >> 4


@pytest.mark.parametrize("lies", ["known", "unknown", "lying"])
def test_simulated_days_never_go_over_a_cap_by_more_than_one_reservation(lies: str) -> None:
    """With runs of 0.5 to 3 USD, four at once, a cap of 10 is crossed by less than one; unknown ones are counted."""
    cap, draws = 10 * USD, _draws(7)
    config = settings(MEASURED + "[budget.day]\nusd = 10\nruns = 12\n")
    worst, rates = 0, Rates(profile="fake")
    for day in range(1, 29):
        name = f"2026-01-{day:02d}"
        spent: dict[str, int] = {"runs": 0}
        flying: list[tuple[int, Mapping[str, int]]] = []
        for step in range(60):
            leases = [a_lease(n, reserved=dict(amounts), batch=f"i{n}") for n, amounts in flying]
            members = [a_member(n, MemberStatus.RUNNING, batch=f"i{n}") for n, _ in flying]
            batches = [a_batch(n, id=f"i{n}") for n, _ in flying]
            costs = DayCosts(day=name, profiles={"fake": spent})
            state = a_state(costs, rates, *batches, *members, *leases)
            purse = Purse(a_situation(state, config, now=f"{name}T12:00:00.000Z"))
            unit = Unit(batch=f"i{100 + step}", issue=100 + step, profile="fake", usage="claude-stream-json")
            if len(flying) < 4 and not list(purse.refusals(unit)):
                flying.append((unit.issue, purse.reservation(unit)))
            elif flying:
                flying.pop(next(draws) % len(flying))
                actual = USD // 2 + next(draws) % (5 * USD // 2)
                told = {"known": actual, "unknown": None, "lying": actual // 4}[lies]
                spent = {**spent, "runs": spent["runs"] + 1}
                if told is None:
                    spent["unknown_usd_micros"] = spent.get("unknown_usd_micros", 0) + 1
                    continue
                spent["usd_micros"] = spent.get("usd_micros", 0) + told
                rates = Rates(profile="fake", recent=(*rates.recent, RunCost(amounts={"usd_micros": told}))[-31:])
        worst = max(worst, spent.get("usd_micros", 0) - cap)
        assert spent["runs"] <= 12
        assert spent.get("usd_micros", 0) <= cap + 3 * USD
        if lies == "unknown":
            assert spent["unknown_usd_micros"] == spent["runs"]
    sys.stdout.write(f"{lies}: at most {max(0, worst) / USD:.2f} USD beyond a cap of 10 over 28 days\n")


FIXING = f'{MEASURED}[agents.mender]\ncommand = ["mend"]\n{MEASURED}[fix]\nagent = "mender"\n'


def a_fixing_batch(**fields: Any) -> tuple[Batch, Member]:
    """Build a batch that is about to mend what its member 1 broke."""
    leaving = Exit(batch="b1", issue=1, kind="evicted", reason="suite-failed")
    batch = a_batch(1, status=BatchStatus.FIXING, fix=Fix(exit=leaving, cases=()), **fields)
    return batch, a_member(1, MemberStatus.LANDED, landed="l", landed_from="base")


def test_a_fix_is_a_run_that_budgets_count() -> None:
    """One that is at work holds what it may cost, and one that is due is refused where nothing is left."""
    config = settings(f"{FIXING}[budget.day]\nruns = 1\nusd = 5\n")
    at_work = a_job("fix", kind=JobKind.FIX, issue=1, check="mender", reserved={"usd_micros": 5 * USD, "runs": 1})
    batch, member = a_fixing_batch()
    assert reasons(config, batch, member, at_work) == ("budget:day.usd", "budget:day.runs")
    used = DayCosts(day=DAY, profiles={"fake": {"runs": 1}})
    assert errand_wait(a_situation(a_state(batch, member, used), config), batch) == "budget:day.runs"
    assert errand_wait(a_situation(a_state(batch, member), config), batch) is None
    assert errand_wait(a_situation(a_state(a_batch(1)), config), a_batch(1)) is None
    gone = a_job("fix", kind=JobKind.FIX, issue=1, check="nobody", reserved={"runs": 1})
    assert reasons(config, gone) == ("budget:day.runs",)


def test_a_fix_that_waits_for_a_day_is_planned_again_then() -> None:
    config = settings(f"{FIXING}[budget.day]\nruns = 1\n")
    batch, member = a_fixing_batch(reason="budget:day.runs")
    used = DayCosts(day=DAY, profiles={"fake": {"runs": 1}})
    assert list(batches_wake(a_situation(a_state(batch, member, used), config))) == ["2026-01-02T00:00:00.000Z"]
    assert list(batches_wake(a_situation(a_state(*a_fixing_batch()), config))) == []
    assert is_for_good("budget:batch.runs")
    assert not is_for_good("budget:day.runs")
    assert not is_for_good("capacity")
