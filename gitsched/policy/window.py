"""Window: when a schedule's members may start, by the clocks of its zone.

1. A window `22:00-06:00` opens every day at the first time and closes at the next occurrence of the second.
2. A time that the clocks skip is taken for the end of the gap, and one that they show twice for the earlier when the
   window opens and for the later when it closes: a window only ever grows by a change of the clocks, never a run less.
3. A single moment is never guessed at: one that does not come is refused, one that comes twice must be chosen.

See docs/how-to/overnight.md, "At night".
"""

import re
from datetime import datetime, timedelta, tzinfo
from typing import Final

from msgspec import Struct

from gitsched.domain.instants import Instant, instant_of
from gitsched.domain.zones import first_instant, instants_of, local_of

_WINDOW: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(Z|[+-]\d\d:\d\d)?")


class Window(Struct, frozen=True):
    """Two times of day, in minutes since midnight."""

    opens_min: int
    closes_min: int


class Span(Struct, frozen=True):
    """One occurrence of a window."""

    opens_at: Instant
    closes_at: Instant

    def holds(self, at: Instant) -> bool:
        """Say whether it is open at an instant; at its end it is closed."""
        return self.opens_at <= at < self.closes_at


class Unclear(Struct, frozen=True):
    """A moment that cannot be taken as it is written."""

    why: str
    remedy: str


def window_of(text: str) -> Window | None:
    """Read `HH:MM-HH:MM`; None for anything else, and for one that never closes."""
    found = _WINDOW.fullmatch(text)
    if found is None:
        return None
    hours = [int(part) for part in found.groups()]
    window = Window(hours[0] * 60 + hours[1], hours[2] * 60 + hours[3])
    return window if window.opens_min != window.closes_min else None


def span_at(window: Window, zone: tzinfo, now: Instant) -> Span:
    """Give the occurrence that is open now, else the next one."""
    midnight = local_of(now, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    spans = (_span_of(window, zone, midnight + timedelta(days=days)) for days in (-1, 0, 1, 2))
    return next(span for span in spans if span.closes_at > now)


def _span_of(window: Window, zone: tzinfo, midnight: datetime) -> Span:
    lasts_until = window.closes_min + (24 * 60 if window.closes_min < window.opens_min else 0)
    closing = midnight + timedelta(minutes=lasts_until)
    closes = instants_of(closing, zone)
    opens_at = first_instant(midnight + timedelta(minutes=window.opens_min), zone)
    return Span(opens_at, closes[-1] if closes else first_instant(closing, zone))


def moment_in(text: str, zone: tzinfo, zone_name: str) -> Instant | Unclear:
    """Read `YYYY-MM-DD HH:MM` by the clocks of a zone; an offset behind it chooses between two."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        return Unclear("It has not the form YYYY-MM-DD HH:MM.", 'Write for instance --at "2026-11-30 22:00".')
    try:
        local = datetime.fromisoformat(f"{found[1]} {found[2]}")
        stated = datetime.fromisoformat(f"{found[1]} {found[2]}{found[3]}") if found[3] else None
    except ValueError:
        return Unclear("There is no such day or time.", 'Write for instance --at "2026-11-30 22:00".')
    meant = instants_of(local, zone)
    if stated is not None:
        return _chosen(instant_of(stated), meant, zone_name)
    if not meant:
        after = local_of(first_instant(local, zone), zone)
        return Unclear(
            f"The clocks of {zone_name} never show that time: they are set forward then.",
            f"The first time after it is {after:%Y-%m-%d %H:%M}.",
        )
    if len(meant) > 1:
        return Unclear(
            f"The clocks of {zone_name} show that time twice: they are set back then.",
            f"Choose one: {' or '.join(_with_offset(local, at) for at in meant)}.",
        )
    return meant[0]


def _chosen(stated: Instant, meant: tuple[Instant, ...], zone_name: str) -> Instant | Unclear:
    if stated in meant:
        return stated
    return Unclear(f"That is no time which the clocks of {zone_name} show.", "Leave the offset out, or mend it.")


def _with_offset(local: datetime, at: Instant) -> str:
    offset = local - datetime.fromisoformat(at).replace(tzinfo=None)
    minutes = round(offset.total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    return f'"{local:%Y-%m-%d %H:%M}{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"'
