"""Causes: what a red check is about, in one line: the tests that it names, else what it came to in words."""

from collections.abc import Sequence

from gitsched.domain.records import Batch, Exit, SuiteRun
from gitsched.domain.verdicts import Verdict
from gitsched.domain.words import TERMINAL_BATCHES
from gitsched.view.clean import one_line

_NAMED = 3
_NAME_CHARS = 100
_FINE = (Verdict.PASSED, Verdict.FLAKY)


def red_tests(failing: Sequence[str], count: int = 0) -> str:
    """Name the first failing tests, and how many more there are; `count` is of all, where not all are listed."""
    more = max(count, len(failing)) - _NAMED
    named = ", ".join(one_line(name, _NAME_CHARS) for name in failing[:_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def red_run(run: SuiteRun, count: int = 0) -> str:
    """Say what a run of the suite that proved nothing, or the wrong thing, is about; empty where it was fine."""
    if run.verdict in _FINE:
        return ""
    return red_tests(run.failing, count) or one_line(run.detail or "", 2 * _NAME_CHARS)


def red_suite(batch: Batch) -> str:
    """Say what a batch's suite is red of, or why it decides nothing; empty where that is over or was fine.

    What was red of who has left since is over: the rest is another generation.
    """
    if not batch.suite or batch.status in TERMINAL_BATCHES or batch.suite[-1].generation != batch.generation:
        return ""
    return red_run(batch.suite[-1], batch.failing_count)


def red_exit(exit_: Exit) -> str:
    """Name the tests that a member left for; empty where none is named."""
    return red_tests(exit_.failing)
