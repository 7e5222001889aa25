"""Instants as RFC 3339 text in UTC with milliseconds, so that text order is time order."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

Instant = str
"""For example `2026-11-30T15:50:45.123Z`."""


def instant_of(moment: datetime) -> Instant:
    """Write a moment down; it must carry a time zone."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def moment_of(instant: Instant) -> datetime:
    """Read an instant back. Raises ValueError on anything else."""
    return datetime.fromisoformat(instant)


def seconds_between(earlier: Instant, later: Instant) -> float:
    """Count the seconds from `earlier` to `later`; negative when they are the other way round."""
    return (moment_of(later) - moment_of(earlier)).total_seconds()


def after(instant: Instant, seconds: float) -> Instant:
    """Name the instant that many seconds later."""
    return instant_of(moment_of(instant) + timedelta(seconds=seconds))


@lru_cache(maxsize=4)
def epoch_seconds(instant: Instant) -> int:
    """Count whole seconds since 1970, as git writes them."""
    return int(moment_of(instant).timestamp())
