"""Time zones: which instants a local time stands for, and which day an instant falls on.

Names and rules are those of the IANA database, from the system or from the package `tzdata`.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from gitsched.domain.instants import Instant, instant_of, moment_of


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo | None:
    """Find a zone by its name; None where there is none."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def instants_of(local: datetime, zone: tzinfo) -> tuple[Instant, ...]:
    """List the instants at which a zone's clocks show a local time: none, one, or two, the earlier one first."""
    found = {local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    shown = sorted(moment for moment in found if moment.astimezone(zone).replace(tzinfo=None, fold=0) == local)
    return tuple(instant_of(moment) for moment in shown)


def first_instant(local: datetime, zone: tzinfo) -> Instant:
    """Name the first instant at which the clocks show a local time; one that never comes is the end of the gap."""
    found = instants_of(local, zone)
    # In a gap: clocks go forward by whole minutes, so its end is found by them.
    while not found:
        local += timedelta(minutes=1)
        found = instants_of(local, zone)
    return found[0]


def local_of(at: Instant, zone: tzinfo) -> datetime:
    """Tell what the clocks of a zone show at an instant, without the zone."""
    return moment_of(at).astimezone(zone).replace(tzinfo=None, fold=0)


def day_of(at: Instant, zone: tzinfo) -> str:
    """Name the day of an instant in a zone, as `2026-11-30`."""
    return local_of(at, zone).date().isoformat()


def next_day_at(at: Instant, zone: tzinfo) -> Instant:
    """Name the instant at which the next day of a zone begins."""
    today = local_of(at, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return first_instant(today + timedelta(days=1), zone)
