import msgspec
import pytest

from gitsched.domain.verdicts import Case, CaseOutcome, Report, Verdict

FAILED, SKIPPED = CaseOutcome.FAILED, CaseOutcome.SKIPPED


def test_the_verdicts_are_those_of_the_specification() -> None:
    assert {str(verdict) for verdict in Verdict} == {
        *("passed", "failed", "unevidenced", "unreadable", "empty", "broken", "timed-out"),
        *("unavailable", "stale", "flaky", "cancelled", "skipped"),
    }


def test_a_report_counts_what_ran_and_lists_what_failed() -> None:
    report = Report((Case(name="a"), Case(name="b", outcome=FAILED), Case(name="c", outcome=SKIPPED)))
    assert report.ran_count == 2
    assert [case.name for case in report.failing] == ["b"]


@pytest.mark.parametrize(
    ("case", "title"),
    [(Case(name="test_a"), "test_a"), (Case(name="test_a", classname="tests.test_x"), "tests.test_x.test_a")],
    ids=["bare", "with-class"],
)
def test_a_case_has_a_title(case: Case, title: str) -> None:
    assert case.title == title


def test_a_case_is_the_same_test_in_another_tree_and_with_another_outcome() -> None:
    here = Case(name="t", classname="c", file="/trees/one/src/a.test.js", outcome=FAILED, message="boom")
    there = Case(name="t", classname="c", file="/trees/two/src/a.test.js")
    assert here.identity == there.identity
    assert here.identity != Case(name="t", classname="c", file="/trees/one/src/b.test.js").identity
    assert Case(name="t", file="a/x.py").identity != Case(name="t", file="b/x.py").identity


def test_cases_can_be_written_down_and_read_back() -> None:
    case = Case(name="t", classname="c", file="f", outcome=FAILED, message="m")
    assert msgspec.json.decode(msgspec.json.encode(case), type=Case) == case
