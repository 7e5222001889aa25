"""Markers: what the printed output of well-known tools says, where no report is declared.

A marker is a whole line in the form that the tool itself prints; free text that merely holds "failed" or
"error" is none. A marker proves nothing by itself: `gitsched.policy.judge` asks the exit first.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from gitsched.domain.verdicts import Markers

MAX_LINES: Final = 50
"""Of each kind."""
MAX_LINE_CHARS: Final = 1_000
"""Looked at in a line: a marker is short, and what prints endless lines must not cost us time."""
MAX_LAST_CHARS: Final = 120

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def _union(patterns: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns.values()))


_FAILURES: Final = _union(
    {
        "pytest": r"(?:=+ )?(?:\d+ [a-z]+, )*\d+ (?:failed|errors?)\b.* in \d[\d.]*s\b.*",
        "pytest summary": r"(?:FAILED|ERROR) \S+\.py(?:::\S.*| - .*)?",
        "unittest": r"FAILED \((?:failures|errors|unexpected successes)=\d.*\)",
        "jest": r"Tests?(?: Suites)?:\s+(?:\d+ [a-z]+, )*[1-9]\d* failed, .*\d+ total",
        "vitest": r" *Test(?: File)?s +[1-9]\d* failed\b.*\(\d+\)",
        "go": r" *--- FAIL: \S+ \(\d[\d.]*s\)|FAIL\t\S+.*",
        "TAP": r"\s*not ok \d+\b(?!.*# *(?:TODO|SKIP|todo|skip)\b).*",
        "cargo": r"test result: FAILED\. \d+ passed; \d+ failed;.*|test \S.* \.\.\. FAILED",
    }
)

_COMPILE_ERRORS: Final = _union(
    {
        "gcc, clang, javac, swiftc, ghc": r"\S[^:]*(?::\d+)?:\d+(?::\d+)?: (?:fatal )?error: ?.*",
        "rustc": r"error\[E\d{4}\]: .*",
        "cargo": r"error: could not compile `.*",
        "tsc": r"\S.*(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+: .*",
        "msbuild": r" *\S.*\(\d+(?:,\d+)?\): (?:fatal )?error [A-Z]+\d+: .*",
        "go": r"(?:vet: )?\S[^:]*\.go:\d+:\d+: .*",
        "kotlinc": r"e: \S.*\.kts?:.*",
        "python": r"(?:SyntaxError|IndentationError|TabError): .*",
    }
)

_NO_TESTS: Final = _union(
    {
        "pytest": r"(?:=+ )?(?:no tests ran|(?:\d+ (?:skipped|deselected|warnings?), )*"
        r"\d+ (?:skipped|deselected|warnings?)) in \d[\d.]*s\b.*",
        "unittest": r"Ran 0 tests in .*|NO TESTS RAN.*",
        "jest": r"No tests found, exiting with code \d+|Tests: +(?:\d+ (?:skipped|todo), )*\d+ total",
        "vitest": r"No test files found, exiting with code \d+|No test suite found in file .*"
        r"| *Tests +\d+ (?:skipped|todo)(?: \| \d+ (?:skipped|todo))* \(\d+\)",
        "go": r"\?\s+\t?\S+\s+\[no test files\]|ok\s+\S+\s.*\[no tests to run\]|testing: warning: no tests to run",
        "TAP": r"1\.\.0\b.*",
        "cargo": r"test result: ok\. 0 passed; 0 failed;.*",
    }
)

_RAN: Final = _union(
    {
        "pytest": r"(?:=+ )?(?:\d+ [a-z]+, )*\d+ (?:passed|xfailed|xpassed)\b.* in \d[\d.]*s\b.*",
        "unittest": r"Ran [1-9]\d* tests? in .*",
        "jest": r"Tests: +(?:\d+ [a-z]+, )*[1-9]\d* passed, .*\d+ total",
        "vitest": r" *Tests +.*\b[1-9]\d* passed\b.*\(\d+\)",
        "go": r"ok\s+\S+\s+(?:\d[\d.]*s|\(cached\))(?!.*\[no tests to run\]).*|\s*--- PASS: \S+ .*",
        "TAP": r"\s*ok \d+\b(?!.*# *(?:SKIP|skip)\b).*",
        "cargo": r"test result: ok\. [1-9]\d* passed;.*",
    }
)

# unittest counts skipped tests as run; the line that says so follows.
_ALL_SKIPPED = re.compile(r"^Ran (\d+) tests? in [^\n]*\n+OK \(skipped=\1\)$", re.MULTILINE)


def read_markers(output: bytes) -> Markers:
    """Find the lines by which well-known tools say what happened, at most `MAX_LINES` of each kind.

    `output` may be the end of a longer one; its first line may be cut.
    """
    lines = [line[:MAX_LINE_CHARS] for line in _plain(output).split("\n")]
    failures = _matching(_FAILURES, lines)
    ran = failures or _matching(_RAN, lines)
    return Markers(
        failures=failures,
        compile_errors=_matching(_COMPILE_ERRORS, lines),
        no_tests=bool(_matching(_NO_TESTS, lines)) and not ran,
    )


def last_line(output: bytes) -> str:
    """Give the last line that holds anything, without colours; empty where nothing was printed."""
    lines = (line.strip()[:MAX_LAST_CHARS] for line in reversed(_plain(output).split("\n")))
    return next((line for line in lines if line), "")


def _plain(output: bytes) -> str:
    """Decode without colours and with one kind of line end."""
    text = _ANSI.sub("", output.decode("utf-8", "replace")).replace("\r\n", "\n").replace("\r", "\n")
    return _ALL_SKIPPED.sub("NO TESTS RAN", text)


def _matching(pattern: re.Pattern[str], lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(islice((line.strip() for line in lines if pattern.fullmatch(line)), MAX_LINES))
