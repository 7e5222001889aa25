import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.markers import MAX_LAST_CHARS, MAX_LINE_CHARS, MAX_LINES, last_line, read_markers
from gitsched.domain.verdicts import Markers

FAILURES = {
    "pytest": "=================== 1 failed, 2 passed in 0.12s ===================",
    "pytest quiet": "2 failed, 1 passed, 1 skipped, 1 error in 0.66s",
    "pytest long": "= 3 failed, 8 warnings in 75.20s (0:01:15) =",
    "pytest error": "1 error in 0.62s",
    "pytest summary": "FAILED tests/test_a.py::TestX::test_bad[a b] - assert 0",
    "pytest collection": "ERROR tests/test_broken.py",
    "unittest": "FAILED (failures=1, errors=3)",
    "unittest skipped": "FAILED (errors=3, skipped=2)",
    "jest": "Tests:       1 failed, 2 passed, 3 total",
    "jest suite": "Test Suites: 1 failed, 1 total",
    "vitest": "      Tests  1 failed | 2 passed (3)",
    "vitest file": " Test Files  1 failed (1)",
    "go": "--- FAIL: TestTotal (0.00s)",
    "go subtest": "    --- FAIL: TestTotal/empty_cart (0.00s)",
    "go package": "FAIL\texample.com/shop/cart\t0.003s",
    "go build": "FAIL\texample.com/shop/cart [build failed]",
    "TAP": "not ok 2 - b",
    "TAP nested": "    not ok 1 - inner",
    "cargo": "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s",
    "cargo test": "test tests::bad ... FAILED",
}
COMPILE_ERRORS = {
    "gcc": "a.c:1:13: error: ‘x’ undeclared (first use in this function)",
    "gcc fatal": "src/a.c:1:10: fatal error: nosuch.h: No such file or directory",
    "clang": "lib/a.cpp:10:5: error: no member named 'y' in 'X'",
    "javac": "src/Foo.java:3: error: ';' expected",
    "ghc": "src/A.hs:3:5: error: [GHC-88464]",
    "rustc": "error[E0308]: mismatched types",
    "cargo": "error: could not compile `c` (lib) due to 1 previous error",
    "tsc": "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    "tsc pretty": "src/a.ts:3:5 - error TS2322: Type 'string' is not assignable to type 'number'.",
    "msbuild": "Program.cs(5,9): error CS0103: The name 'x' does not exist [app.csproj]",
    "go": "./main.go:5:2: undefined: x",
    "kotlinc": "e: file:///src/A.kt:1:1 Unresolved reference: x",
    "python": "SyntaxError: invalid syntax",
}
NO_TESTS = {
    "pytest": "==================== no tests ran in 0.01s ====================",
    "pytest deselected": "5 deselected in 0.63s",
    "pytest skipped": "=========== 1 skipped, 4 deselected, 1 warning in 0.54s ===========",
    "unittest": "Ran 0 tests in 0.000s",
    "unittest 3.12": "NO TESTS RAN",
    "unittest all skipped": "Ran 3 tests in 0.000s\n\nOK (skipped=3)",
    "jest": "No tests found, exiting with code 1",
    "jest skipped": "Tests:       2 skipped, 2 total",
    "vitest": "No test files found, exiting with code 1",
    "vitest skipped": "      Tests  2 skipped (2)",
    "go": "?   \texample.com/shop\t[no test files]",
    "go run": "ok  \texample.com/shop\t0.003s [no tests to run]",
    "TAP": "1..0 # skipped",
    "cargo": "test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
}
RAN = {
    "pytest": "=== 2 passed, 1 skipped in 0.12s ===",
    "pytest xfailed": "1 xfailed in 0.01s",
    "unittest": "Ran 3 tests in 0.002s\n\nOK (skipped=1)",
    "jest": "Tests:       2 passed, 2 total",
    "vitest": "      Tests  2 passed (2)",
    "go": "ok  \texample.com/shop/cart\t0.003s",
    "go cached": "ok  \texample.com/shop/cart\t(cached)\tcoverage: 80.0% of statements",
    "TAP": "ok 1 - a",
    "cargo": "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
}
JUST_WORDS = (
    "tee: write error: broken pipe",
    "All tests passed",
    "3 failed attempts, retrying in 5 seconds",
    "this test FAILED (for a reason)",
    "ERROR: could not reach the registry",
    "npm error code 1",
    "not ok 3 - later # TODO not written yet",
    "not ok 4 - elsewhere # SKIP no network",
    "E   assert 'error: could not compile `x`'",
    "FAILED to open the door",
    "0 failed in all",
    "Tests:       0 failed, 3 passed, 3 total",
    "curl: (6) error: could not resolve host",
    "Traceback (most recent call last):",
)


@pytest.mark.parametrize("line", FAILURES.values(), ids=FAILURES)
def test_a_failing_test_of_a_known_runner_is_recognised(line: str) -> None:
    assert read_markers(f"before\n{line}\nafter\n".encode()) == Markers(failures=(line.strip(),))


@pytest.mark.parametrize("line", COMPILE_ERRORS.values(), ids=COMPILE_ERRORS)
def test_an_error_of_a_known_compiler_is_recognised(line: str) -> None:
    assert read_markers(f"before\n{line}\nafter\n".encode()) == Markers(compile_errors=(line.strip(),))


@pytest.mark.parametrize("text", NO_TESTS.values(), ids=NO_TESTS)
def test_a_runner_that_ran_nothing_is_recognised(text: str) -> None:
    assert read_markers(f"before\n{text}\nafter\n".encode()) == Markers(no_tests=True)


@pytest.mark.parametrize("ran", RAN.values(), ids=RAN)
@pytest.mark.parametrize("nothing", NO_TESTS.values(), ids=NO_TESTS)
def test_one_test_that_ran_anywhere_is_enough(ran: str, nothing: str) -> None:
    """Cargo runs no documentation test and Go has packages without tests: the others count."""
    assert read_markers(ran.encode()) == Markers()
    assert read_markers(f"{nothing}\n{ran}\n{nothing}\n".encode()) == Markers()


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failing_test_did_run(failure: str) -> None:
    assert not read_markers(f"Ran 0 tests in 0.000s\n{failure}".encode()).no_tests


def test_free_text_is_no_marker() -> None:
    """L-02: words that no tool prints in that form prove nothing."""
    for line in JUST_WORDS:
        assert read_markers(line.encode()) == Markers(), line


def test_colours_line_ends_and_foreign_bytes_do_not_hide_a_marker() -> None:
    coloured = b"\xff\xfe\n\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m\x1b[31m in 0.12s\x1b[0m\r\n"
    assert read_markers(coloured).failures == ("1 failed, 2 passed in 0.12s",)
    assert read_markers(b"progress 50%\rnot ok 1 - a\r").failures == ("not ok 1 - a",)


def test_at_most_so_many_lines_of_a_kind_are_kept() -> None:
    output = b"".join(b"not ok %d - a\na.c:%d:1: error: b\n" % (n, n) for n in range(1, 200))
    markers = read_markers(output)
    assert len(markers.failures) == len(markers.compile_errors) == MAX_LINES


@given(st.binary(max_size=300))
def test_reading_never_raises(output: bytes) -> None:
    read_markers(output)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["1 failed, ", "a:1", "=", "Ran 1 tests in \n", "Tests: ", " ", "1 a, ", "\x1b["])
def test_hostile_output_is_read_in_little_time(piece: str) -> None:
    read_markers(piece.encode() * 100_000)


def test_only_the_start_of_a_long_line_is_looked_at() -> None:
    long = b"FAILED tests/test_a.py::test_a - " + b"x" * 5_000
    assert read_markers(long).failures == (long[:MAX_LINE_CHARS].decode(),)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (b"", ""),
        (b"\n \n", ""),
        (b"one\n\x1b[31mtwo\x1b[0m  \r\n\n", "two"),
        (b"x" * 500, "x" * MAX_LAST_CHARS),
    ],
)
def test_the_last_line_that_holds_anything(output: bytes, told: str) -> None:
    assert last_line(output) == told
