"""The clock of this machine, which a file may shift for tests.

`GITSCHED_TEST_CLOCK` names a file that holds an instant: that was the time when the file was written, and
time runs on from there, the same for every process that reads it.
"""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gitsched.domain.instants import Instant, instant_of, moment_of
from gitsched.domain.zones import zone_named
from gitsched.errors import UsageError

TEST_CLOCK = "GITSCHED_TEST_CLOCK"


class SystemClock:
    """Tells the time of this machine."""

    def __init__(self, shift_file: str | None = None) -> None:
        """Shift the clock by that file; None leaves it alone."""
        self._shift_file = shift_file
        self._shift = timedelta()
        self._shift_version: tuple[int, int] | None = None
        self._last: Instant = ""

    @classmethod
    def of_environment(cls) -> "SystemClock":
        """Make the clock that this process's environment asks for."""
        return cls(os.environ.get(TEST_CLOCK))

    def now(self) -> Instant:
        """Tell the present instant; never earlier than one it told before in this process.

        Raises UsageError when the file that shifts the clock cannot be read.
        """
        # Time servers and sleep set a clock back; instants are compared, so ours waits instead.
        present = self._shifted(datetime.now(UTC))
        self._last = max(self._last, present)
        return self._last

    def dated(self, epoch_s: float) -> Instant:
        """Write a moment of the system's own clock, for instance a file's, as an instant of this clock."""
        return self._shifted(datetime.fromtimestamp(epoch_s, UTC))

    def monotonic_s(self) -> float:
        """Tell seconds on a clock that does not run while the machine sleeps."""
        return time.monotonic()

    def slept_s(self) -> float:
        """Tell how long this machine has slept since it was started, where the system counts that."""
        if not hasattr(time, "CLOCK_BOOTTIME"):
            return 0.0
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC))

    def zone_name(self) -> str:
        """Name the zone that this machine's clocks go by; UTC where it does not say."""
        asked = os.environ.get("TZ", "").removeprefix(":")
        linked = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
        return next((name for name in (asked, linked) if name and zone_named(name) is not None), "UTC")

    def _shifted(self, moment: datetime) -> Instant:
        return instant_of(moment + self._shift_by(Path(self._shift_file)) if self._shift_file else moment)

    def _shift_by(self, file: Path) -> timedelta:
        try:
            found = file.stat()
            version = (found.st_mtime_ns, found.st_size)
            if version != self._shift_version:
                written = datetime.fromtimestamp(found.st_mtime, UTC)
                self._shift = moment_of(file.read_text().strip()) - written
                self._shift_version = version
                self._last = ""
        except (OSError, ValueError, TypeError) as wrong:
            raise UsageError(
                f"{TEST_CLOCK} names '{file}'.",
                f"No instant can be read from it: {wrong}.",
                "Write one like 2026-01-02T03:04:05Z into it.",
            ) from wrong
        return self._shift
