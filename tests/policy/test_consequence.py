from itertools import permutations

import pytest

from gitsched.domain.verdicts import Conclusion, Verdict
from gitsched.policy.consequence import (
    CONCLUSIONS,
    GATE_AGAIN,
    GATE_FIRST,
    SUITE,
    CheckAction,
    GateConsequence,
    GatesFold,
    GateVerdict,
    SuiteConsequence,
    conclusion_of,
    fold_gates,
    gate_consequence,
    gate_reason,
    suite_consequence,
    suite_reason,
)

INCONCLUSIVE, SKIP, ON = GateConsequence.INCONCLUSIVE, GateConsequence.SKIP, GateConsequence.ON


def a_gate(name: str, verdict: Verdict, *, again: bool = False) -> GateVerdict:
    return GateVerdict(name=name, verdict=verdict, again=again)


def test_every_table_is_total() -> None:
    assert set(GATE_FIRST) == set(GATE_AGAIN) == set(SUITE) == set(Verdict)
    assert set(CONCLUSIONS) == set(Conclusion)


@pytest.mark.parametrize(
    ("consequence", "verdicts"),
    [
        (ON, "passed flaky"),
        (SKIP, "timed-out unavailable"),
        (GateConsequence.RETRY_ONCE, "failed"),
        (INCONCLUSIVE, "unevidenced unreadable empty broken stale cancelled skipped"),
        (GateConsequence.EVICT, ""),
    ],
    ids=lambda value: value if isinstance(value, GateConsequence) else "",
)
def test_what_a_gate_does_after_its_first_run(consequence: GateConsequence, verdicts: str) -> None:
    """L-02, L-03, L-44: doubt is inconclusive, a deadline is skipped, a flake lets the member on."""
    assert {word for word in Verdict if gate_consequence(word) is consequence} == set(verdicts.split())


def test_a_gate_that_failed_twice_evicts() -> None:
    """L-01: the first failure is run again, the second evicts as `gate-failed:unit`."""
    first = fold_gates([a_gate("unit", Verdict.FAILED)], suite_runs=True)
    again = fold_gates([a_gate("unit", Verdict.FAILED, again=True)], suite_runs=True)
    assert first == GatesFold(consequence=GateConsequence.RETRY_ONCE, deciding="unit")
    assert again == GatesFold(consequence=GateConsequence.EVICT, deciding="unit", reason="gate-failed:unit")


def test_only_a_second_failure_evicts() -> None:
    evicting = {verdict for verdict in Verdict if GATE_AGAIN[verdict] is GateConsequence.EVICT}
    assert evicting == {Verdict.FAILED}
    assert gate_consequence(Verdict.FLAKY, again=True) is ON


def test_a_deadline_after_an_evidenced_failure_is_not_skipped() -> None:
    assert gate_consequence(Verdict.TIMED_OUT, again=True) is INCONCLUSIVE


def test_without_gates_a_member_goes_on() -> None:
    """No gate declared is no obstacle, and no gate is said to have decided."""
    assert fold_gates([], suite_runs=True) == GatesFold(consequence=ON)
    assert fold_gates([], suite_runs=False) == GatesFold(consequence=ON)


def test_of_a_timed_out_and_a_broken_gate_the_broken_one_decides() -> None:
    """L-09: `gate-inconclusive:unit`; with an evidenced failure of a third that one decides."""
    types, unit = a_gate("types", Verdict.TIMED_OUT), a_gate("unit", Verdict.BROKEN)
    lint = a_gate("lint", Verdict.FAILED, again=True)
    for gates in permutations([types, unit]):
        assert fold_gates(gates, suite_runs=True).reason == "gate-inconclusive:unit"
    for gates in permutations([types, unit, lint]):
        fold = fold_gates(gates, suite_runs=True)
        assert (fold.consequence, fold.reason) == (GateConsequence.EVICT, "gate-failed:lint")


@pytest.mark.parametrize("other", Verdict)
def test_a_gate_that_runs_again_is_waited_for_unless_another_evicts(other: Verdict) -> None:
    fold = fold_gates([a_gate("a", other), a_gate("b", Verdict.FAILED)], suite_runs=True)
    assert fold.consequence is GateConsequence.RETRY_ONCE
    assert fold.reason is None


def test_among_equals_the_first_declared_decides() -> None:
    gates = [a_gate("b", Verdict.EMPTY), a_gate("a", Verdict.BROKEN)]
    assert fold_gates(gates, suite_runs=True).reason == "gate-inconclusive:b"


def test_a_skipped_gate_is_covered_by_the_suite_and_is_no_pass() -> None:
    """Timed out, the member goes on and the fold says `skip`, not `on`."""
    assert fold_gates([a_gate("unit", Verdict.TIMED_OUT)], suite_runs=True) == GatesFold(consequence=SKIP)
    both = [a_gate("unit", Verdict.TIMED_OUT), a_gate("types", Verdict.PASSED)]
    assert fold_gates(both, suite_runs=True) == GatesFold(consequence=ON)


def test_without_a_suite_a_timed_out_gate_is_inconclusive() -> None:
    """L-43: with `suite.run = "none"` nothing ships on a skipped gate alone."""
    both = [a_gate("types", Verdict.PASSED), a_gate("unit", Verdict.TIMED_OUT)]
    assert fold_gates(both, suite_runs=False).reason == "gate-inconclusive:unit"
    absent = a_gate("absent", Verdict.UNAVAILABLE)
    assert fold_gates([absent], suite_runs=False).reason == "gate-inconclusive:absent"
    assert fold_gates([absent, a_gate("types", Verdict.PASSED)], suite_runs=False).consequence is ON


@pytest.mark.parametrize("consequence", [ON, SKIP, GateConsequence.RETRY_ONCE])
def test_a_gate_that_stops_nobody_has_no_reason(consequence: GateConsequence) -> None:
    assert gate_reason(consequence, "unit") is None


@pytest.mark.parametrize("verdict", Verdict)
def test_what_a_suite_does(verdict: Verdict) -> None:
    """V-02, V-03: only a failure is attributed; every other non-pass blocks and blames nobody."""
    expected = {
        Verdict.PASSED: SuiteConsequence.REVIEW,
        Verdict.FLAKY: SuiteConsequence.REVIEW,
        Verdict.FAILED: SuiteConsequence.ATTRIBUTE,
    }
    assert suite_consequence(verdict) is expected.get(verdict, SuiteConsequence.BLOCK)


def test_a_flaky_suite_blocks_where_settings_say_so() -> None:
    """`suite.flaky` decides between review and block, never an eviction."""
    assert suite_consequence(Verdict.FLAKY, flaky_blocks=True) is SuiteConsequence.BLOCK
    assert suite_consequence(Verdict.PASSED, flaky_blocks=True) is SuiteConsequence.REVIEW


@pytest.mark.parametrize("word", ["broken", "empty", "timed-out", "unevidenced", "unreadable", "stale", "flaky"])
def test_the_reason_of_a_blocking_suite_is_its_verdict(word: str) -> None:
    assert suite_reason(Verdict(word)) == f"suite-{word}"


@pytest.mark.parametrize(
    ("word", "action", "verdict"),
    [
        ("success", CheckAction.SETTLE, Verdict.PASSED),
        ("SUCCESS", CheckAction.SETTLE, Verdict.PASSED),
        ("neutral", CheckAction.SETTLE, Verdict.PASSED),
        ("failure", CheckAction.SETTLE, Verdict.FAILED),
        ("error", CheckAction.SETTLE, Verdict.BROKEN),
        ("timed_out", CheckAction.SETTLE, Verdict.TIMED_OUT),
        ("startup_failure", CheckAction.SETTLE, Verdict.BROKEN),
        ("cancelled", CheckAction.ASK_AGAIN, Verdict.CANCELLED),
        ("stale", CheckAction.ASK_AGAIN, Verdict.CANCELLED),
        ("action_required", CheckAction.WAIT_FOR_PERSON, None),
        ("skipped", CheckAction.SETTLE, Verdict.SKIPPED),
        ("in_progress", CheckAction.WAIT, None),
        ("EXPECTED", CheckAction.WAIT, None),
        (None, CheckAction.WAIT, None),
        ("sideways", CheckAction.WAIT_FOR_PERSON, None),
        ("", CheckAction.WAIT_FOR_PERSON, None),
    ],
    ids=str,
)
def test_every_word_of_the_forge_has_a_meaning(word: str | None, action: CheckAction, verdict: Verdict | None) -> None:
    """G-19: each word has its own named meaning, and an unknown one crashes nothing."""
    meaning = CONCLUSIONS[conclusion_of(word)]
    assert (meaning.action, meaning.verdict) == (action, verdict)


def test_none_but_success_and_neutral_counts_as_a_pass() -> None:
    """G-19: and a neutral one is told."""
    passing = {word: meaning.told for word, meaning in CONCLUSIONS.items() if meaning.verdict is Verdict.PASSED}
    assert passing == {Conclusion.SUCCESS: False, Conclusion.NEUTRAL: True}
