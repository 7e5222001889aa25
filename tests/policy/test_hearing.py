"""Which tests a step runs, and what each came to."""

from collections.abc import Mapping

import pytest

from gitsched.config.parse import parse_settings
from gitsched.domain.records import StoredVerdict
from gitsched.domain.verdicts import (
    Case,
    CaseOutcome,
    Judgement,
    Missing,
    NotDeclared,
    Readable,
    Report,
    ReportRead,
    Verdict,
)
from gitsched.policy.hearing import Asked, Heard, Trees, asked, heard, merged, told
from gitsched.policy.inquest import WHOLE
from gitsched.policy.sightings import Outcome

SUITE = """
[suite]
run = ["pytest", "--junitxml={report}"]
report = "junit"
"""
RERUN = 'rerun = ["pytest", "--junitxml={report}", "{tests}"]\n'
A = Case(classname="tests.test_a", name="test_x", file="tests/test_a.py")
B = Case(classname="tests.test_b", name="test_y", file="tests/test_b.py")
A2 = Case(classname="tests.test_a", name="test_z", file="tests/test_a.py")
ALL = (A, B, A2)
PATHS = frozenset({"tests/test_a.py", "tests/test_b.py"})
ODD = Case(classname="", name="--option")


def ask(
    *tests: int, cases: tuple[Case, ...] = ALL, run: frozenset[str] = PATHS, split: bool = False, more: str = RERUN
) -> Asked:
    suite = parse_settings(SUITE + more).suite
    return asked(cases, tests, suite, Trees(tip=PATHS, run=run), is_split=split)


def test_failing_tests_are_asked_for_together_by_their_names() -> None:
    found = ask(0, 1)
    assert found.argv == ("pytest", "--junitxml={report}", "tests/test_a.py::test_x", "tests/test_b.py::test_y")
    assert (found.tests, found.absent, found.is_whole) == ((0, 1), (), False)


def test_a_test_whose_file_is_not_in_the_tree_is_absent_without_a_run() -> None:
    assert ask(0, 1, run=frozenset({"tests/test_b.py"})).absent == (0,)
    assert ask(0, run=frozenset()) == Asked(argv=(), tests=(), absent=(0,))


def test_a_split_tree_is_asked_file_by_file() -> None:
    found = ask(0, 1, 2, split=True)
    assert (found.argv[-1], found.tests) == ("tests/test_a.py", (0, 2))


def test_where_files_are_no_names_a_split_tree_is_asked_one_by_one() -> None:
    found = ask(0, 2, split=True, more=RERUN + 'ids = "name"\n')
    assert (found.argv[-1], found.tests) == ("test_x", (0,))


@pytest.mark.parametrize("more", ["", RERUN + 'ids = "name"\n'])
def test_what_cannot_be_named_is_the_whole_suite(more: str) -> None:
    cases = ALL if not more else (ODD,)
    found = ask(0, cases=cases, more=more)
    assert found == Asked(argv=("pytest", "--junitxml={report}"), tests=(0,), absent=(), is_whole=True)


def a_report(*outcomes: tuple[Case, CaseOutcome]) -> Readable:
    cases = tuple(
        Case(classname=case.classname, name=case.name, file=case.file, outcome=outcome) for case, outcome in outcomes
    )
    return Readable(Report(cases))


def hear(
    cases: Mapping[int, Case], report: ReportRead, verdict: Verdict = Verdict.FAILED, *, may_split: bool = False
) -> Heard:
    return heard(cases, Judgement(verdict=verdict, why=""), report, may_split=may_split)


PASSED, FAILED, SKIPPED = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED


def test_each_test_is_judged_by_its_own_case() -> None:
    report = a_report((A, PASSED), (B, FAILED), (A2, SKIPPED))
    outcomes = hear({0: A, 1: B, 2: A2}, report).outcomes
    assert outcomes == {0: Outcome.PASSES, 1: Outcome.FAILS, 2: Outcome.ABSENT}


def test_a_test_that_stands_twice_fails_if_it_fails_once() -> None:
    assert hear({0: A}, a_report((A, PASSED), (A, FAILED))).outcomes == {0: Outcome.FAILS}


def test_what_is_missing_is_absent_or_asked_for_again() -> None:
    report = a_report((A, PASSED))
    assert hear({1: B}, report, may_split=True) == Heard(outcomes={1: Outcome.ABSENT})
    assert hear({0: A, 1: B}, report).outcomes == {0: Outcome.PASSES, 1: Outcome.ABSENT}
    assert hear({0: A, 1: B}, report, may_split=True) == Heard(outcomes={0: Outcome.PASSES}, splits=True)


def test_beside_a_module_that_could_not_be_loaded_a_missing_test_proves_nothing() -> None:
    report = a_report((Case(name="tests.test_b"), FAILED))
    assert hear({1: B}, report).outcomes == {1: Outcome.BROKEN}


@pytest.mark.parametrize("verdict", [Verdict.TIMED_OUT, Verdict.BROKEN, Verdict.STALE, Verdict.UNREADABLE])
def test_a_run_that_proves_nothing_tells_nothing(verdict: Verdict) -> None:
    report = Missing() if verdict is Verdict.UNREADABLE else a_report((A, PASSED))
    assert hear({0: A}, report, verdict).outcomes == {0: Outcome.BROKEN}


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (Verdict.PASSED, Outcome.PASSES),
        (Verdict.FAILED, Outcome.FAILS),
        (Verdict.EMPTY, Outcome.ABSENT),
        (Verdict.UNEVIDENCED, Outcome.BROKEN),
    ],
)
def test_without_names_the_suite_is_one_test(verdict: Verdict, outcome: Outcome) -> None:
    assert hear({0: WHOLE}, NotDeclared(), verdict).outcomes == {0: outcome}
    assert ask(0, cases=(WHOLE,)).is_whole


def a_record(verdict: str = "failed", failing: tuple[str, ...] = (), passing: tuple[str, ...] = ()) -> StoredVerdict:
    return StoredVerdict(check="suite", verdict=verdict, batch="b1", failing=failing, passing=passing)


def test_v_24_a_record_tells_what_it_holds_and_nothing_of_what_it_left_out() -> None:
    """V-24: a verdict of the same check on the same tree answers in the place of a run."""
    assert told(a_record("passed"), {0: A, 1: B}) == {0: Outcome.PASSES, 1: Outcome.PASSES}
    assert told(a_record(failing=(A.title,)), {0: A, 1: B}) == {0: Outcome.FAILS, 1: Outcome.PASSES}
    assert told(a_record(failing=(A.title,), passing=(B.title,)), {0: A, 1: B, 2: A2}) == {
        0: Outcome.FAILS,
        1: Outcome.PASSES,
    }
    assert told(a_record(failing=tuple(str(n) for n in range(50))), {0: A}) == {}
    assert told(a_record("failed"), {0: WHOLE}) == {0: Outcome.FAILS}
    assert told(a_record("failed"), {0: A}) == {}, "red, and nobody has told which test"


def test_records_of_one_tree_are_joined_but_for_what_contradicts_itself() -> None:
    first, second = a_record(failing=("a", "b")), a_record("passed", passing=("b", "c"))
    assert merged(None, first) == first
    joined = merged(first, second)
    assert (joined.verdict, joined.failing, joined.passing) == ("failed", ("a",), ("c",))
    assert merged(a_record(failing=("b",)), second).verdict == "passed"
