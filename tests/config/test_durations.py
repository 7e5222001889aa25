import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.config.durations import (
    LARGEST_BYTES,
    LONGEST_S,
    Malformed,
    parse_duration_s,
    parse_size_bytes,
    render_duration,
    render_size,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30.0), ("15m", 900.0), ("2h", 7200.0), ("30d", 2_592_000.0), ("0s", 0.0)],
)
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("64MiB", 64 * 2**20), ("1GiB", 2**30), ("2TiB", 2**41), ("512KiB", 2**19), ("7B", 7), ("0B", 0)],
)
def test_a_size_is_a_number_and_a_binary_unit(text: str, size_bytes: int) -> None:
    assert parse_size_bytes(text) == size_bytes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("30", "has no unit"),
        (" 30 ", "has no unit"),
        ("5parsecs", "has the unknown unit 'parsecs'"),
        ("5 parsecs", "is not a whole number and a unit like 30s"),
        ("30S", "has the unknown unit 'S'"),
        ("-5m", "is not a whole number and a unit like 30s"),
        ("1.5h", "is not a whole number and a unit like 30s"),
        ("1h30m", "is not a whole number and a unit like 30s"),
        (" 5m", "is not a whole number and a unit like 30s"),
        ("5m\n", "is not a whole number and a unit like 30s"),
        ("٣s", "is not a whole number and a unit like 30s"),
        ("", "is not a whole number and a unit like 30s"),
        ("3651d", "is longer than 3650d"),
    ],
)
def test_what_is_no_duration_says_why(text: str, reason: str) -> None:
    assert parse_duration_s(text) == Malformed(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("64", "has no unit"),
        ("64MB", "has the unknown unit 'MB'"),
        ("1048577TiB", "is larger than 1048576TiB"),
        ("64 MiB", "is not a whole number and a unit like 64MiB"),
    ],
)
def test_what_is_no_size_says_why(text: str, reason: str) -> None:
    assert parse_size_bytes(text) == Malformed(reason)


def test_the_bounds_themselves_are_taken() -> None:
    assert parse_duration_s("3650d") == LONGEST_S
    assert parse_size_bytes("1048576TiB") == LARGEST_BYTES


@given(st.integers(0, 3650 * 86_400_000))
def test_a_written_duration_reads_back(milliseconds: int) -> None:
    assert parse_duration_s(render_duration(milliseconds / 1000)) == milliseconds / 1000


@given(st.integers(0, LARGEST_BYTES))
def test_a_written_size_reads_back(size_bytes: int) -> None:
    assert parse_size_bytes(render_size(size_bytes)) == size_bytes


def test_the_largest_unit_that_keeps_it_whole_is_written() -> None:
    assert [render_duration(s) for s in (0, 0.5, 150, 5400, 86_400)] == ["0s", "500ms", "150s", "90m", "1d"]
    assert [render_size(b) for b in (0, 7, 2**31)] == ["0B", "7B", "2GiB"]
