"""What a gate or suite can come to, and the facts from which that is told.

`CheckEnd` is what was seen, `Judgement` what it means, `Attribution` whom it points at. Reports and output
are read into values by `gitsched.codec`; what follows from a verdict stands in `gitsched.policy`.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from gitsched.domain.words import Method


class Verdict(StrEnum):
    """What a gate or suite came to. Closed: whatever is not `passed` has a name of its own."""

    PASSED = "passed"
    FAILED = "failed"
    """Always with evidence; a bare non-zero exit is `unevidenced`."""
    UNEVIDENCED = "unevidenced"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    BROKEN = "broken"
    TIMED_OUT = "timed-out"
    UNAVAILABLE = "unavailable"
    STALE = "stale"
    FLAKY = "flaky"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class CheckKind(StrEnum):
    """What a check looks at. A gate or suite that declares none is a `test`."""

    TEST = "test"
    BUILD = "build"
    CHECK = "check"
    """A linter, type checker or formatter: its exit 1 is evidence by itself."""


class EvidenceSource(StrEnum):
    """What proves a failure: the report (or, without one, recognised markers), or the exit alone."""

    REPORT = "report"
    EXIT = "exit"


class CaseOutcome(StrEnum):
    """How one test case of a report ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Case(Struct, frozen=True, kw_only=True):
    """One test case as its report tells it."""

    name: str
    classname: str = ""
    file: str | None = None
    """As the report writes it: relative, absolute or missing (see `gitsched.policy.identify.file_of`)."""
    outcome: CaseOutcome = CaseOutcome.PASSED
    message: str = ""

    @property
    def identity(self) -> tuple[str, str, str]:
        """Tell this test apart from others of the same tool, whatever it came to and in whichever tree."""
        file = self.file or ""
        # An absolute path holds the place of the tree, which differs from run to run.
        return (file.rpartition("/")[2] if file.startswith("/") else file, self.classname, self.name)

    @property
    def title(self) -> str:
        """Name the test for people."""
        return f"{self.classname}.{self.name}" if self.classname else self.name


class Report(Struct, frozen=True):
    """A report that was read to its end."""

    cases: tuple[Case, ...]
    """In the report's order."""

    @property
    def failing(self) -> tuple[Case, ...]:
        """List the failing cases."""
        return tuple(case for case in self.cases if case.outcome is CaseOutcome.FAILED)

    @property
    def ran_count(self) -> int:
        """Count the cases that ran; skipped ones did not."""
        return sum(case.outcome is not CaseOutcome.SKIPPED for case in self.cases)


class NotDeclared(Struct, frozen=True):
    """The check declares no report."""


class Missing(Struct, frozen=True):
    """The declared report was not written by this run."""


class Empty(Struct, frozen=True):
    """The declared report holds nothing at all."""


class Malformed(Struct, frozen=True):
    """The declared report cannot be trusted."""

    why: str


class Readable(Struct, frozen=True):
    """The declared report was read."""

    report: Report


ReportRead: TypeAlias = NotDeclared | Missing | Empty | Malformed | Readable
"""What reading a check's report came to."""


class Markers(Struct, frozen=True, kw_only=True):
    """What the printed output shows of well-known tools; it counts only where no report is declared."""

    failures: tuple[str, ...] = ()
    """Lines by which a test runner says that a test failed."""
    compile_errors: tuple[str, ...] = ()
    """Lines by which a compiler says that the code is wrong."""
    no_tests: bool = False
    """A test runner says that it ran none, and nothing says that any ran."""


class CheckEnd(Struct, frozen=True, kw_only=True):
    """How a check's process ended, and what it left behind."""

    exit_code: int | None = None
    """None when it did not end by itself."""
    signal: int | None = None
    timed_out: bool = False
    spawn_error: str | None = None
    tracked_changed: bool = False
    """Tracked files of the judged tree differ from what they were before."""
    report: ReportRead = NotDeclared()
    markers: Markers = Markers()
    last_line: str = ""
    """What it printed last; it says to people what went wrong, and decides nothing."""


class Judgement(Struct, frozen=True, kw_only=True):
    """What a check came to, and why."""

    verdict: Verdict
    failing: tuple[Case, ...] = ()
    """Failing cases of a readable report, in its order; also of a `flaky` one."""
    why: str
    """One sentence without a full stop, for people."""


class Named(Struct, frozen=True, kw_only=True):
    """Evidence leaves exactly one member: a suspect, not yet a verdict."""

    issue: int
    method: Method
    evidence: tuple[str, ...]
    """One sentence for each failing test that points at the member."""
    cases: tuple[Case, ...]
    """The failing tests that point at it: without the member these must pass."""


class Ambiguous(Struct, frozen=True):
    """Evidence leaves several members."""

    issues: tuple[int, ...]
    """In member order."""


class Unattributed(Struct, frozen=True):
    """Evidence points at nobody."""


Attribution: TypeAlias = Named | Ambiguous | Unattributed
"""Whom the failing tests point at."""


class Conclusion(StrEnum):
    """What the forge says of a check: GitHub's conclusions of check runs and states of commit statuses.

    Every word for "has not ended" is `pending`; a word that is not listed is `unknown`.
    Source: GitHub REST "checks" (`conclusion`) and "commits/statuses" (`state`), GraphQL `StatusState`.
    """

    SUCCESS = "success"
    NEUTRAL = "neutral"
    FAILURE = "failure"
    ERROR = "error"
    TIMED_OUT = "timed_out"
    STARTUP_FAILURE = "startup_failure"
    CANCELLED = "cancelled"
    STALE = "stale"
    ACTION_REQUIRED = "action_required"
    SKIPPED = "skipped"
    PENDING = "pending"
    UNKNOWN = "unknown"
