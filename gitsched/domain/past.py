"""A history as members of batches, and the bill of having worked through it."""

from msgspec import Struct


class PastMember(Struct, frozen=True, kw_only=True):
    """One landed change of the history."""

    number: int
    """Its place, from 1 on: by it members are in order."""
    commit: str
    title: str
    reverts: tuple[int, ...] = ()
    """Numbers of those that it takes back."""


class Bill(Struct, frozen=True, kw_only=True):
    """What it took."""

    suite_count: int = 0
    """Runs of the whole suite."""
    step_count: int = 0
    """Runs of failing tests alone."""
    rounds_count: int = 0
    """Of runs that go side by side."""
    caught: frozenset[int] = frozenset()
    false: frozenset[int] = frozenset()
    """Members sent back that broke nothing."""

    def plus(self, other: "Bill") -> "Bill":
        """Add another batch's."""
        return Bill(
            suite_count=self.suite_count + other.suite_count,
            step_count=self.step_count + other.step_count,
            rounds_count=self.rounds_count + other.rounds_count,
            caught=self.caught | other.caught,
            false=self.false | other.false,
        )
