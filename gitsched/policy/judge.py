"""Judge: what a finished check came to.

1. The first rule that holds decides, in this order: timed-out, broken, stale, unreadable, empty, failed,
   unevidenced, passed.
2. Exit and report decide. Printed words count only where no report is declared, and then only to prove a
   failure that the exit already told, or that no test ran at all.
3. A failing case in the report fails the check whatever its exit.
4. Nothing is green by absence: zero tests, a missing command and a lost report are verdicts of their own.

See docs/explanation/gating.md, "Green only for the right reason".
"""

from collections.abc import Callable
from typing import assert_never

from msgspec import Struct

from gitsched.domain.verdicts import (
    Case,
    CheckEnd,
    CheckKind,
    Empty,
    EvidenceSource,
    Judgement,
    Malformed,
    Missing,
    NotDeclared,
    Readable,
    ReportRead,
    Verdict,
)

NOT_EXECUTABLE = 126
"""POSIX, "Shell Command Language", 2.8.2: found but not executable."""
NOT_FOUND = 127
"""The same: not found."""
NO_TESTS_COLLECTED = 5
"""pytest's `ExitCode.NO_TESTS_COLLECTED`; unittest uses the same since Python 3.12."""

REUSABLE = frozenset({Verdict.PASSED, Verdict.FAILED})


class _Seen(Struct, frozen=True, kw_only=True):
    """One check's end as the rules look at it."""

    kind: CheckKind
    by_exit: bool
    report: ReportRead
    end: CheckEnd

    @property
    def cases(self) -> tuple[Case, ...]:
        return self.report.report.cases if isinstance(self.report, Readable) else ()

    @property
    def failing(self) -> tuple[Case, ...]:
        return self.report.report.failing if isinstance(self.report, Readable) else ()


def judge_check(kind: CheckKind, evidence: EvidenceSource, end: CheckEnd, *, report_declared: bool) -> Judgement:
    """Say what a check came to, with its failing cases and the reason in a sentence.

    `report_declared` is what the settings say: a report that they do not declare is not looked at, and a
    declared one that nobody read counts as missing. Total: every end has a verdict.
    """
    report = _declared(end.report) if report_declared else NotDeclared()
    seen = _Seen(kind=kind, by_exit=evidence is EvidenceSource.EXIT, report=report, end=end)
    for verdict, rule in _PRECEDENCE:
        why = rule(seen)
        if why is not None:
            return Judgement(verdict=verdict, failing=seen.failing, why=why + _last_words(seen, verdict))
    return Judgement(verdict=Verdict.PASSED, why="exit 0")


def settle_rerun(first: Judgement, again: Judgement) -> Judgement:
    """Say what two runs of one check on the same tree came to; the first one failed.

    A pass the second time makes it `flaky`, with the failing cases of the first; else the second run stands.
    """
    assert first.verdict is Verdict.FAILED, "only an evidenced failure is run again"
    if again.verdict is not Verdict.PASSED:
        return again
    return Judgement(verdict=Verdict.FLAKY, failing=first.failing, why=f"{first.why}, then it passed on the same tree")


def reusable(verdict: Verdict) -> bool:
    """Say whether a stored verdict stands for the same tree and fingerprint.

    Only a pass and an evidenced failure do. A flake is told again by running again, so it can never come
    back as a failure.
    """
    return verdict in REUSABLE


def _declared(report: ReportRead) -> ReportRead:
    return Missing() if isinstance(report, NotDeclared) else report


def _timed_out(seen: _Seen) -> str | None:
    return "it ran past its deadline" if seen.end.timed_out else None


def _broken(seen: _Seen) -> str | None:
    end = seen.end
    if end.spawn_error is not None:
        return f"it could not be started: {end.spawn_error}"
    if end.signal is not None:
        return f"it was killed by signal {end.signal}"
    if end.exit_code is None:
        return "nobody saw how it ended"
    if end.exit_code in (NOT_EXECUTABLE, NOT_FOUND):
        return f"its command was not found or not executable (exit {end.exit_code})"
    if seen.kind is CheckKind.CHECK and end.exit_code not in (0, 1) and not seen.by_exit:
        return f"exit {end.exit_code}, where only exit 1 says that something was found"
    return None


def _stale(seen: _Seen) -> str | None:
    return "it changed tracked files of the tree it judged" if seen.end.tracked_changed else None


def _unreadable(seen: _Seen) -> str | None:
    match seen.report:
        case Missing():
            return f"exit {seen.end.exit_code}, and its report is missing"
        case Empty():
            return f"exit {seen.end.exit_code}, and its report is empty"
        case Malformed(why):
            return f"exit {seen.end.exit_code}, and its report cannot be read: {why}"
        case NotDeclared() | Readable():
            return None
        case _:
            assert_never(seen.report)


def _empty(seen: _Seen) -> str | None:
    if seen.kind is not CheckKind.TEST:
        return None
    if isinstance(seen.report, Readable):
        return None if seen.report.report.ran_count else f"no case of {len(seen.cases)} in its report ran"
    if seen.end.exit_code == NO_TESTS_COLLECTED or seen.end.markers.no_tests:
        return f"exit {seen.end.exit_code}, and no test ran"
    return None


def _failed(seen: _Seen) -> str | None:
    code = seen.end.exit_code
    if seen.failing:
        return f"exit {code}, and in its report {len(seen.failing)} of {len(seen.cases)} cases fail"
    if not code:
        return None
    if seen.by_exit:
        return f"exit {code}, which counts as evidence here"
    if seen.kind is CheckKind.CHECK:
        return "exit 1, by which a check says that it found something"
    lines = _failure_lines(seen)
    return f"exit {code}, and it printed: {lines[0]}" if lines else None


def _last_words(seen: _Seen, verdict: Verdict) -> str:
    """Quote what was printed last, where nothing better says what went wrong."""
    is_named = bool(seen.failing) or (verdict is Verdict.FAILED and bool(_failure_lines(seen)))
    return "" if is_named or not seen.end.last_line else f"; it printed last: {seen.end.last_line}"


def _failure_lines(seen: _Seen) -> tuple[str, ...]:
    if isinstance(seen.report, Readable):
        return ()
    markers = seen.end.markers
    return markers.compile_errors if seen.kind is CheckKind.BUILD else markers.failures


def _unevidenced(seen: _Seen) -> str | None:
    return f"exit {seen.end.exit_code} without evidence of a failure" if seen.end.exit_code else None


_PRECEDENCE: tuple[tuple[Verdict, Callable[[_Seen], str | None]], ...] = (
    (Verdict.TIMED_OUT, _timed_out),
    (Verdict.BROKEN, _broken),
    (Verdict.STALE, _stale),
    (Verdict.UNREADABLE, _unreadable),
    (Verdict.EMPTY, _empty),
    (Verdict.FAILED, _failed),
    (Verdict.UNEVIDENCED, _unevidenced),
)
"""Each rule answers why it holds, or None."""
