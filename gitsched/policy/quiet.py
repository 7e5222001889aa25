"""Quiet: a lasting condition is told at ticks 1, 21, 41 … of its streak, and once more when it is over."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from gitsched.domain.instants import Instant
from gitsched.domain.streaks import Streak

TOLD_EVERY = 20


class Heard(Struct, frozen=True):
    """What one tick means for the conditions that last."""

    streaks: Mapping[str, Streak]
    """Those that go on."""
    told: tuple[str, ...]
    """Of them, those to tell of now."""
    over: Mapping[str, Streak]
    """Those that have ended."""


def listen(before: Mapping[str, Streak], present: Iterable[str], now: Instant) -> Heard:
    """Count one more tick of the conditions that are present."""
    going = {name: before.get(name, Streak(now, 0)) for name in present}
    counted = {name: Streak(streak.since, streak.ticks + 1) for name, streak in going.items()}
    told = tuple(name for name, streak in counted.items() if streak.ticks % TOLD_EVERY == 1)
    return Heard(counted, told, {name: streak for name, streak in before.items() if name not in counted})
