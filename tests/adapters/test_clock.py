"""The clock of this machine, and the file that shifts it."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.domain.instants import instant_of, seconds_between
from gitsched.errors import UsageError


def test_now_is_now_and_never_goes_back() -> None:
    clock = SystemClock()
    told = [clock.now() for _ in range(50)]
    assert told == sorted(told)
    assert abs(seconds_between(told[0], instant_of(datetime.now(UTC)))) < 60  # noqa: TID251
    assert clock.monotonic_s() <= clock.monotonic_s()
    assert clock.slept_s() >= 0


def test_a_file_shifts_the_clock_of_every_process_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shift = tmp_path / "clock"
    shift.write_text("2030-05-06T07:08:09Z\n")
    monkeypatch.setenv("GITSCHED_TEST_CLOCK", str(shift))
    one, other = SystemClock.of_environment(), SystemClock.of_environment()
    assert one.now().startswith("2030-05-06T07:08")
    assert 0 <= seconds_between(one.now(), other.now()) < 60
    assert one.dated(shift.stat().st_mtime) == "2030-05-06T07:08:09.000Z"


def test_a_shift_may_go_either_way(tmp_path: Path) -> None:
    shift = tmp_path / "clock"
    shift.write_text("2030-05-06T07:08:09Z")
    clock = SystemClock(str(shift))
    assert clock.now().startswith("2030-05")
    shift.write_text("2020-05-06T07:08:09+02:00")
    os.utime(shift, ns=(0, shift.stat().st_mtime_ns + 1))
    assert clock.now().startswith("2020-05-06T05:08")


@pytest.mark.parametrize("text", ["soon", "", "2030-05-06T07:08:09"])
def test_a_shift_that_is_no_instant_is_told(tmp_path: Path, text: str) -> None:
    shift = tmp_path / "clock"
    shift.write_text(text)
    with pytest.raises(UsageError, match="GITSCHED_TEST_CLOCK"):
        SystemClock(str(shift)).now()
    with pytest.raises(UsageError, match="No instant can be read"):
        SystemClock(str(tmp_path / "missing")).now()
