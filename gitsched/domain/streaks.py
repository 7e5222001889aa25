"""Streaks: for how long a condition has lasted, counted in ticks."""

from msgspec import Struct

from gitsched.domain.instants import Instant


class Streak(Struct, frozen=True):
    """A condition that has held at every tick since it began."""

    since: Instant
    ticks: int
