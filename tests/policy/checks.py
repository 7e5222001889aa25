"""Builders of checks that ended; a test changes the one field that matters."""

from gitsched.domain.verdicts import (
    Case,
    CaseOutcome,
    CheckEnd,
    CheckKind,
    EvidenceSource,
    Judgement,
    Markers,
    NotDeclared,
    Readable,
    Report,
    Verdict,
)
from gitsched.policy.judge import judge_check

FAILING = Case(name="test_total", classname="tests.test_cart", outcome=CaseOutcome.FAILED, message="1 != 2")
PASSING = Case(name="test_add", classname="tests.test_cart")
SKIPPED = Case(name="test_later", classname="tests.test_cart", outcome=CaseOutcome.SKIPPED)
FAILURE_PRINTED = Markers(failures=("3 failed in 0.12s",))
ERROR_PRINTED = Markers(compile_errors=("a.c:1:13: error: no",))
NO_TESTS_PRINTED = Markers(no_tests=True)


def a_report(*cases: Case) -> Readable:
    return Readable(Report(cases))


def judged(
    end: CheckEnd, kind: CheckKind = CheckKind.TEST, evidence: EvidenceSource = EvidenceSource.REPORT
) -> Judgement:
    """Judge an end, a report being declared where the end has one."""
    return judge_check(kind, evidence, end, report_declared=not isinstance(end.report, NotDeclared))


def verdict_of(
    end: CheckEnd, kind: CheckKind = CheckKind.TEST, evidence: EvidenceSource = EvidenceSource.REPORT
) -> Verdict:
    return judged(end, kind, evidence).verdict
