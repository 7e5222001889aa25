"""Hearing: which failing tests a step of a search runs, and what each of them came to.

1. A test whose file is not in a tree is absent there, without a run.
2. Tests are asked for together. Where one that is asked for is missing from the report, the others may not have run
   either (pytest runs nothing when one name is unknown): from then on that tree is asked file by file.
3. Each test is judged by its own case in the report. One that the report does not hold is absent, unless a module could
   not be loaded: then it proves nothing.
4. Where no report names tests, the whole suite is one test, judged by its verdict.

See docs/explanation/gating.md, "The search".
"""

from collections.abc import Container, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.checking import SuiteSettings
from gitsched.config.relations import TESTS
from gitsched.domain.records import StoredVerdict
from gitsched.domain.verdicts import Case, CaseOutcome, Judgement, Readable, ReportRead, Verdict
from gitsched.policy.evictions import FAILING_KEPT
from gitsched.policy.identify import file_of, rerun_ids
from gitsched.policy.inquest import WHOLE
from gitsched.policy.sightings import Outcome

_PROVES_NOTHING = frozenset({Verdict.TIMED_OUT, Verdict.BROKEN, Verdict.STALE})


class Asked(Struct, frozen=True, kw_only=True):
    """What one run of a step is to be asked."""

    argv: tuple[str, ...]
    """Empty: nothing is left to be run."""
    tests: tuple[int, ...]
    """Those that it runs."""
    absent: tuple[int, ...]
    """Those that the tree does not have."""
    is_whole: bool = False
    """It is the whole suite."""


class Heard(Struct, frozen=True, kw_only=True):
    """What a run came to."""

    outcomes: Mapping[int, Outcome]
    splits: bool = False
    """Some could not be told, and are asked for file by file."""


class Trees(Struct, frozen=True, kw_only=True):
    """Paths of the tip, from which tests have their names, and of the tree that is run."""

    tip: Container[str]
    run: Container[str]


def asked(
    cases: Sequence[Case], tests: tuple[int, ...], suite: SuiteSettings, trees: Trees, *, is_split: bool
) -> Asked:
    """Say how these tests are run on a tree; `cases` are all failing ones of the batch."""
    whole = Asked(argv=suite.run or (), tests=tests, absent=(), is_whole=True)
    if not suite.rerun or WHOLE in cases:
        return whole
    files = {test: file_of(cases[test], trees.tip) for test in tests}
    absent = tuple(test for test, file in files.items() if file is not None and file not in trees.run)
    present = tuple(test for test in tests if test not in absent)
    if not present:
        return Asked(argv=(), tests=(), absent=absent)
    chosen, by_file = _of_one_file(present, files, suite) if is_split else (present, None)
    arguments = (by_file,) if by_file is not None else rerun_ids([cases[test] for test in chosen], suite.ids, trees.tip)
    if not arguments:
        return whole
    argv = tuple(word for part in suite.rerun for word in (arguments if part == TESTS else (part,)))
    return Asked(argv=argv, tests=chosen, absent=absent)


def _of_one_file(
    present: tuple[int, ...], files: Mapping[int, str | None], suite: SuiteSettings
) -> tuple[tuple[int, ...], str | None]:
    """Choose the tests of the first one's file, with the file where it can be named; else that first one alone."""
    file = files[present[0]]
    if file is None or suite.ids != "pytest":
        return present[:1], None
    return tuple(test for test in present if files[test] == file), file


def heard(cases: Mapping[int, Case], judgement: Judgement, report: ReportRead, *, may_split: bool) -> Heard:
    """Say what a run came to; `cases` are those that it was asked for, by their places."""
    if WHOLE in cases.values():
        return Heard(outcomes=dict.fromkeys(cases, _whole(judgement.verdict)))
    if judgement.verdict in _PROVES_NOTHING or not isinstance(report, Readable):
        return Heard(outcomes=dict.fromkeys(cases, Outcome.BROKEN))
    found = {test: _case(case, report.report.cases) for test, case in cases.items()}
    missing = [test for test, outcome in found.items() if outcome is None]
    if missing and may_split and len(cases) > 1:
        return Heard(outcomes={test: seen for test, seen in found.items() if seen is not None}, splits=True)
    # A module that could not be loaded stands in the report as a failing case without a class.
    is_torn = any(not case.classname for case in report.report.failing)
    unseen = Outcome.BROKEN if is_torn else Outcome.ABSENT
    return Heard(outcomes={test: unseen if seen is None else seen for test, seen in found.items()})


def _whole(verdict: Verdict) -> Outcome:
    match verdict:
        case Verdict.PASSED:
            return Outcome.PASSES
        case Verdict.FAILED:
            return Outcome.FAILS
        case Verdict.EMPTY:
            return Outcome.ABSENT
        case _:
            return Outcome.BROKEN


def _case(case: Case, cases: Sequence[Case]) -> Outcome | None:
    """Find what a test came to; None where the report does not hold it."""
    seen = {other.outcome for other in cases if other.identity == case.identity}
    if CaseOutcome.FAILED in seen:
        return Outcome.FAILS
    if CaseOutcome.PASSED in seen:
        return Outcome.PASSES
    return Outcome.ABSENT if seen else None


def told(stored: StoredVerdict, cases: Mapping[int, Case]) -> Mapping[int, Outcome]:
    """Say what a record tells of these tests; nothing of one that it may have left out."""
    if WHOLE in cases.values():
        return dict.fromkeys(cases, _whole(Verdict(stored.verdict)))
    found: dict[int, Outcome] = {}
    names_nobody = stored.verdict != Verdict.PASSED and not stored.failing
    is_complete = not stored.passing and not names_nobody and len(stored.failing) < FAILING_KEPT
    for test, case in cases.items():
        if case.title in stored.failing:
            found[test] = Outcome.FAILS
        elif case.title in stored.passing or is_complete:
            found[test] = Outcome.PASSES
    return found


def merged(before: StoredVerdict | None, now: StoredVerdict) -> StoredVerdict:
    """Join what a tree's runs of chosen tests came to; what contradicts itself is in neither list."""
    if before is None:
        return now
    failed, passed = {*before.failing, *now.failing}, {*before.passing, *now.passing}
    failing, passing = tuple(sorted(failed - passed)), tuple(sorted(passed - failed))
    verdict = Verdict.FAILED if failing else Verdict.PASSED
    return replace(now, verdict=str(verdict), failing=failing, passing=passing)
