from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.junit import read_report
from gitsched.config import checking
from gitsched.domain.verdicts import (
    CheckEnd,
    CheckKind,
    Empty,
    EvidenceSource,
    Judgement,
    Malformed,
    Markers,
    Missing,
    NotDeclared,
    Readable,
    ReportRead,
    Verdict,
)
from gitsched.policy.judge import judge_check, reusable, settle_rerun
from tests.policy.checks import (
    ERROR_PRINTED,
    FAILING,
    FAILURE_PRINTED,
    NO_TESTS_PRINTED,
    PASSING,
    SKIPPED,
    a_report,
    judged,
    verdict_of,
)

TEST, BUILD, CHECK = CheckKind.TEST, CheckKind.BUILD, CheckKind.CHECK
EXIT, REPORT = EvidenceSource.EXIT, EvidenceSource.REPORT


def test_a_green_exit_with_a_green_report_passes() -> None:
    assert judged(CheckEnd(exit_code=0, report=a_report(PASSING, SKIPPED))) == Judgement(
        verdict=Verdict.PASSED, why="exit 0"
    )


def test_a_failing_case_is_the_failure_and_its_evidence() -> None:
    """L-01: exit 1 and one failing case `test_total` is an evidenced failure, and the case is kept."""
    judgement = judged(CheckEnd(exit_code=1, report=a_report(PASSING, FAILING)))
    assert judgement.verdict is Verdict.FAILED
    assert judgement.failing == (FAILING,)
    assert judgement.why == "exit 1, and in its report 1 of 2 cases fail"


def test_a_bare_exit_proves_nothing() -> None:
    """L-02: exit 1 with words that no tool prints is `unevidenced`."""
    why = "exit 1 without evidence of a failure"
    assert judged(CheckEnd(exit_code=1)) == Judgement(verdict=Verdict.UNEVIDENCED, why=why)


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (CheckEnd(exit_code=127), "its command was not found or not executable (exit 127)"),
        (CheckEnd(exit_code=126), "its command was not found or not executable (exit 126)"),
        (CheckEnd(signal=9), "it was killed by signal 9"),
        (CheckEnd(spawn_error="no such file"), "it could not be started: no such file"),
        (CheckEnd(), "nobody saw how it ended"),
    ],
    ids=["127", "126", "killed", "spawn", "unseen"],
)
def test_a_check_that_could_not_run_is_broken(end: CheckEnd, why: str) -> None:
    """L-03: a missing command, exit 126 and a kill are `broken`, neither a pass nor a failure."""
    assert judged(end) == Judgement(verdict=Verdict.BROKEN, why=why)
    assert verdict_of(end, evidence=EXIT) is Verdict.BROKEN


@pytest.mark.parametrize("exit_code", [0, 1, 5])
@pytest.mark.parametrize("report", [a_report(), a_report(SKIPPED)], ids=["no-case", "all-skipped"])
def test_a_report_in_which_nothing_ran_is_empty(exit_code: int, report: Readable) -> None:
    """L-04: zero cases, or only skipped ones, are `empty` whatever the exit."""
    assert verdict_of(CheckEnd(exit_code=exit_code, report=report)) is Verdict.EMPTY


@pytest.mark.parametrize("report", [Missing(), Empty(), Malformed("cut")], ids=["missing", "empty", "cut"])
@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize("evidence", EvidenceSource)
def test_a_lost_report_is_unreadable(report: ReportRead, exit_code: int, evidence: EvidenceSource) -> None:
    """L-05, V-02: a declared report that is missing, empty or cut decides, not the exit."""
    end = CheckEnd(exit_code=exit_code, report=report, markers=FAILURE_PRINTED)
    assert verdict_of(end, evidence=evidence) is Verdict.UNREADABLE


def test_a_declared_report_that_nobody_read_is_missing() -> None:
    judgement = judge_check(TEST, REPORT, CheckEnd(exit_code=0), report_declared=True)
    assert judgement == Judgement(verdict=Verdict.UNREADABLE, why="exit 0, and its report is missing")


def test_what_nothing_else_explains_is_told_with_the_last_line_that_was_printed() -> None:
    end = CheckEnd(exit_code=1, report=Missing(), markers=FAILURE_PRINTED, last_line="Bye")
    assert judge_check(TEST, REPORT, end, report_declared=True).why.endswith("; it printed last: Bye")
    assert "Bye" not in judge_check(TEST, REPORT, end, report_declared=False).why


def test_a_report_that_is_not_declared_is_not_looked_at() -> None:
    end = CheckEnd(exit_code=0, report=a_report(FAILING))
    assert judge_check(TEST, REPORT, end, report_declared=False).verdict is Verdict.PASSED


def test_a_crash_before_the_report_is_broken_or_unreadable_never_green() -> None:
    """Without a report of this run there is none; an older one is no part of the end."""
    assert verdict_of(CheckEnd(signal=11, report=Missing())) is Verdict.BROKEN
    assert verdict_of(CheckEnd(exit_code=3, report=Missing())) is Verdict.UNREADABLE


def test_a_check_that_changes_its_tree_is_stale() -> None:
    """L-10: exit 0 over a changed tracked file is `stale`, never `passed`."""
    end = CheckEnd(exit_code=0, tracked_changed=True, report=a_report(PASSING))
    assert verdict_of(end) is Verdict.STALE


@pytest.mark.parametrize(
    ("exit_code", "evidence", "verdict"),
    [
        (0, REPORT, Verdict.PASSED),
        (1, REPORT, Verdict.FAILED),
        (2, REPORT, Verdict.BROKEN),
        (2, EXIT, Verdict.FAILED),
        (127, EXIT, Verdict.BROKEN),
    ],
)
def test_exit_1_of_a_linter_is_evidence(exit_code: int, evidence: EvidenceSource, verdict: Verdict) -> None:
    """L-42: exit 1 of kind `check` is `failed`, any other non-zero exit `broken`."""
    assert verdict_of(CheckEnd(exit_code=exit_code), CHECK, evidence) is verdict


def test_a_linter_with_nothing_to_report_is_green() -> None:
    assert verdict_of(CheckEnd(exit_code=0, report=a_report()), CHECK) is Verdict.PASSED
    assert verdict_of(CheckEnd(exit_code=1, report=a_report()), CHECK) is Verdict.FAILED


@pytest.mark.parametrize(
    ("end", "verdict"),
    [
        (CheckEnd(exit_code=127), Verdict.BROKEN),
        (CheckEnd(exit_code=0, report=a_report()), Verdict.EMPTY),
        (CheckEnd(timed_out=True, signal=15), Verdict.TIMED_OUT),
        (CheckEnd(exit_code=1), Verdict.UNEVIDENCED),
    ],
    ids=["missing-command", "zero-cases", "past-its-timeout", "no-evidence"],
)
def test_four_suites_that_say_nothing_about_the_work(end: CheckEnd, verdict: Verdict) -> None:
    """V-03: each of the four has a verdict of its own."""
    assert verdict_of(end) is verdict


def test_printed_words_never_decide_over_exit_and_report() -> None:
    """V-07: exit 0 that prints failures passes; failing cases fail, whatever is printed."""
    assert verdict_of(CheckEnd(exit_code=0, markers=FAILURE_PRINTED)) is Verdict.PASSED
    red = CheckEnd(exit_code=1, report=a_report(FAILING, FAILING, FAILING))
    assert verdict_of(red) is Verdict.FAILED
    assert verdict_of(CheckEnd(exit_code=0, report=a_report(FAILING))) is Verdict.FAILED


def test_a_green_report_makes_printed_failures_no_evidence() -> None:
    end = CheckEnd(exit_code=1, report=a_report(PASSING), markers=FAILURE_PRINTED)
    assert verdict_of(end) is Verdict.UNEVIDENCED
    assert verdict_of(end, BUILD) is Verdict.UNEVIDENCED
    assert verdict_of(end, evidence=EXIT) is Verdict.FAILED


@pytest.mark.parametrize(
    ("kind", "markers", "verdict"),
    [
        (TEST, FAILURE_PRINTED, Verdict.FAILED),
        (TEST, ERROR_PRINTED, Verdict.UNEVIDENCED),
        (BUILD, ERROR_PRINTED, Verdict.FAILED),
        (BUILD, FAILURE_PRINTED, Verdict.UNEVIDENCED),
    ],
    ids=["tests-failed", "tests-do-not-compile", "build-does-not-compile", "build-that-runs-tests"],
)
def test_without_a_report_the_markers_of_its_kind_are_evidence(
    kind: CheckKind, markers: Markers, verdict: Verdict
) -> None:
    assert verdict_of(CheckEnd(exit_code=2, markers=markers), kind) is verdict


@pytest.mark.parametrize("kind", CheckKind)
def test_zero_tests_without_a_report_are_known_by_exit_5_or_a_marker(kind: CheckKind) -> None:
    by_marker = verdict_of(CheckEnd(exit_code=0, markers=NO_TESTS_PRINTED), kind)
    by_exit = verdict_of(CheckEnd(exit_code=5), kind)
    assert by_marker is (Verdict.EMPTY if kind is TEST else Verdict.PASSED)
    assert by_exit is {TEST: Verdict.EMPTY, BUILD: Verdict.UNEVIDENCED, CHECK: Verdict.BROKEN}[kind]


def test_exit_5_with_cases_that_ran_is_not_empty() -> None:
    assert verdict_of(CheckEnd(exit_code=5, report=a_report(FAILING))) is Verdict.FAILED


def test_a_failure_that_does_not_come_again_is_flaky() -> None:
    """L-44: failed, then passed on the same tree: `flaky`, and the failing cases stay known."""
    first = judged(CheckEnd(exit_code=1, report=a_report(FAILING)))
    again = judged(CheckEnd(exit_code=0, report=a_report(PASSING)))
    settled = settle_rerun(first, again)
    assert (settled.verdict, settled.failing) == (Verdict.FLAKY, (FAILING,))
    assert settled.why == "exit 1, and in its report 1 of 1 cases fail, then it passed on the same tree"


@pytest.mark.parametrize("again", [verdict for verdict in Verdict if verdict is not Verdict.PASSED])
def test_any_other_second_run_stands_as_it_is(again: Verdict) -> None:
    first = Judgement(verdict=Verdict.FAILED, why="exit 1")
    second = Judgement(verdict=again, why="second")
    assert settle_rerun(first, second) is second


def test_only_a_failure_is_run_again() -> None:
    passed = Judgement(verdict=Verdict.PASSED, why="exit 0")
    with pytest.raises(AssertionError, match="evidenced failure"):
        settle_rerun(passed, passed)


def test_settings_spell_kinds_and_evidence_as_the_rules_do() -> None:
    assert set(get_args(checking.CheckKind)) == set(CheckKind)
    assert set(get_args(checking.Evidence)) == set(EvidenceSource)


def test_only_a_pass_and_an_evidenced_failure_are_reused() -> None:
    """What is reused for the same tree and fingerprint; a flake never is."""
    assert {verdict for verdict in Verdict if reusable(verdict)} == {Verdict.PASSED, Verdict.FAILED}


CASES = st.lists(st.sampled_from([PASSING, FAILING, SKIPPED]), max_size=3)
REPORTS: st.SearchStrategy[ReportRead] = st.one_of(
    st.sampled_from([NotDeclared(), Missing(), Empty(), Malformed("cut")]),
    CASES.map(lambda cases: a_report(*cases)),
)
ENDS = st.builds(
    CheckEnd,
    exit_code=st.none() | st.sampled_from([0, 1, 2, 3, 5, 126, 127, 137, 255]),
    signal=st.none() | st.sampled_from([9, 11, 15]),
    timed_out=st.booleans(),
    spawn_error=st.none() | st.just("no such file"),
    tracked_changed=st.booleans(),
    report=REPORTS,
    markers=st.sampled_from([Markers(), FAILURE_PRINTED, ERROR_PRINTED, NO_TESTS_PRINTED]),
)
KINDS, SOURCES = st.sampled_from(list(CheckKind)), st.sampled_from(list(EvidenceSource))


@given(ENDS, KINDS, SOURCES, st.booleans())
def test_every_end_has_a_verdict_and_green_has_no_doubt(
    end: CheckEnd, kind: CheckKind, evidence: EvidenceSource, declared: bool
) -> None:
    judgement = judge_check(kind, evidence, end, report_declared=declared)
    assert judgement.why
    if judgement.verdict is Verdict.PASSED:
        assert end.exit_code == 0
        assert not any((end.timed_out, end.tracked_changed, end.signal, end.spawn_error))
        assert not judgement.failing
        if declared:
            assert isinstance(end.report, Readable)
    if judgement.verdict is Verdict.FAILED and evidence is REPORT and kind is TEST:
        assert judgement.failing or (end.exit_code and not declared and end.markers.failures)


@given(ENDS, KINDS, SOURCES, st.booleans())
def test_the_order_of_the_verdicts_is_that_of_the_specification(
    end: CheckEnd, kind: CheckKind, evidence: EvidenceSource, declared: bool
) -> None:
    verdict = judge_check(kind, evidence, end, report_declared=declared).verdict
    lost = declared and not isinstance(end.report, Readable)
    if end.timed_out:
        assert verdict is Verdict.TIMED_OUT
    elif end.spawn_error or end.signal or end.exit_code in (None, 126, 127):
        assert verdict is Verdict.BROKEN
    elif end.tracked_changed:
        assert verdict in (Verdict.STALE, Verdict.BROKEN)
    elif lost:
        assert verdict in (Verdict.UNREADABLE, Verdict.BROKEN)
    else:
        assert verdict not in (Verdict.TIMED_OUT, Verdict.STALE, Verdict.UNREADABLE)


GREEN = (
    b'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="0" '
    b'skipped="0" tests="2"><testcase classname="tests.test_a" name="test_a" time="0.1"/>'
    b'<testcase classname="tests.test_a" name="test_b"><system-out>a &lt;b&gt; \xc3\xa9</system-out></testcase>'
    b"</testsuite></testsuites>"
)


def test_a_report_cut_anywhere_never_passes() -> None:
    """L-05: exit 0 with every possible beginning of a green report, and with the whole of it."""
    verdicts = [verdict_of(CheckEnd(exit_code=0, report=read_report(GREEN[:length]))) for length in range(len(GREEN))]
    assert set(verdicts) == {Verdict.UNREADABLE}
    assert verdict_of(CheckEnd(exit_code=0, report=read_report(GREEN))) is Verdict.PASSED


@given(st.binary(max_size=200))
def test_no_bytes_that_are_not_a_report_pass(data: bytes) -> None:
    assert verdict_of(CheckEnd(exit_code=0, report=read_report(data))) is Verdict.UNREADABLE
