"""When a usage limit ends, in the words of the tools.

`resets 3pm (Europe/Berlin)`, `resets at 05:00Z`, `try again at 3:04 PM`, `try again in 2 hours 5 minutes`,
`reset after 2h52m39s`, an epoch after a bar, or `resets_at` and `resets_in_seconds` in JSON. A time of day is
the next one of its kind; without a zone it is UTC, since the tool's host may be anywhere.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from gitsched.domain.instants import Instant, after, instant_of, moment_of

_LEAST_EPOCH_S: Final = 1_500_000_000
_MOST_EPOCH_S: Final = 10_000_000_000
_UNITS_S: Final = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_EPOCH: Final = re.compile(r"limit reached\|(\d{10})\b|\"resets_at\":\s*(\d{10})\b")
_IN_JSON: Final = re.compile(r"\"resets_in_seconds\":\s*(\d{1,8})\b")
_INSTANT: Final = re.compile(
    r"reset\w*\b[^0-9\n]{0,20}(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))"
)
_SPAN: Final = re.compile(
    r"(?:again in|resets? in|reset after) ((?:\d+ ?(?:d|h|m|s)[a-z]*[ ,]*(?:and )?)+)", re.IGNORECASE
)
_PART: Final = re.compile(r"(\d+) ?([dhms])", re.IGNORECASE)
_CLOCK: Final = re.compile(
    r"(?:resets?|again)(?: at| on)? (?:(?P<month>[A-Z][a-z]{2})[a-z]* (?P<day>\d{1,2})(?:st|nd|rd|th)?,?"
    r"(?: \d{4},?)?(?: at)? )?(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>[ap]m)?(?P<utc>Z)?"
    r"(?: \((?P<zone>[A-Za-z_]+(?:/[A-Za-z_+-]+)*)\))?",
    re.IGNORECASE,
)


def instant_of_epoch(epoch_s: int) -> Instant | None:
    """Write seconds since 1970 as an instant; None for a number that cannot be meant so."""
    if not _LEAST_EPOCH_S <= epoch_s < _MOST_EPOCH_S:
        return None
    return instant_of(datetime.fromtimestamp(epoch_s, UTC))


def reset_in(words: str, now: Instant) -> Instant | None:
    """Find the instant at which a limit ends; None when the words name none."""
    if found := _EPOCH.search(words):
        return instant_of_epoch(int(found[1] or found[2]))
    if found := _IN_JSON.search(words):
        return after(now, int(found[1]))
    if found := _INSTANT.search(words):
        return _written(found[1])
    if found := _SPAN.search(words):
        spans = _PART.findall(found[1])
        return after(
            now, min(sum(int(amount[:6]) * _UNITS_S[unit.lower()] for amount, unit in spans), _MOST_EPOCH_S // 10)
        )
    if found := _CLOCK.search(words):
        return _next_time(found, now)
    return None


def _written(text: str) -> Instant | None:
    try:
        return instant_of(moment_of(text))
    except ValueError:
        return None


def _next_time(found: re.Match[str], now: Instant) -> Instant | None:
    """Find the next moment that shows this time of day (and day of the year) in its zone."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    elif not (found["minute"] or found["utc"]):
        return None  # a bare number is no time of day
    present = moment_of(now).astimezone(_zone(found["zone"]))
    try:
        moment = present.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if found["month"]:
            month = _MONTHS.index(found["month"].lower()) + 1
            moment = moment.replace(month=month, day=int(found["day"]))
            return instant_of(moment if moment > present else moment.replace(year=moment.year + 1))
    except ValueError:
        return None
    return instant_of(moment if moment > present else moment + timedelta(days=1))


def _zone(name: str | None) -> tzinfo:
    if not name:
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
