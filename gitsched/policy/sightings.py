"""Sightings: what failing tests came to on the trees of a batch, and what that proves.

A tree is named by the members it holds, in member order: `()` is the base, all landed members are the tip, the
first few are a prefix (a commit of the integration branch), anything else is a trial tree.

1. A test that fails and does not fail on one and the same tree is flaky.
2. A test that a tree does not have counts as not failing there.
3. A tree on which a run proved nothing, or that cannot be built, proves nothing for that test, whatever else ran.

See docs/explanation/gating.md, "The search".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct

Tree: TypeAlias = tuple[int, ...]
"""The issues of the members in it, in member order."""


class Outcome(StrEnum):
    """What one test came to in one run."""

    PASSES = "passes"
    FAILS = "fails"
    """With evidence."""
    ABSENT = "absent"
    """The tree does not have the test."""
    BROKEN = "broken"
    """Neither a pass nor an evidenced failure; also on a tree that cannot be built."""
    FLAKY = "flaky"
    """A record says that it did both."""


GOOD: Final = frozenset({Outcome.PASSES, Outcome.ABSENT})


class Sighting(Struct, frozen=True, kw_only=True):
    """One run that ended, or a record that stands for one."""

    members: Tree
    outcomes: Mapping[str, Outcome]
    """By test: every test that the run was asked for."""


class Ledger:
    """All sightings of one search, in any order."""

    def __init__(self, sightings: Iterable[Sighting]) -> None:
        """Enter them."""
        self._runs: Counter[Tree] = Counter()
        self._seen: defaultdict[str, defaultdict[Tree, Counter[Outcome]]]
        self._seen = defaultdict(lambda: defaultdict(Counter))
        for sighting in sightings:
            self._runs[sighting.members] += 1
            for test, outcome in sighting.outcomes.items():
                self._seen[test][sighting.members][outcome] += 1

    def run_count(self, tree: Tree) -> int:
        """Count the runs that a tree has had."""
        return self._runs[tree]

    def seen(self, test: str, tree: Tree) -> Counter[Outcome]:
        """Count what a test came to on a tree."""
        return self._seen[test][tree]

    def contradictions(self, test: str) -> Mapping[Tree, Counter[Outcome]]:
        """Give the trees on which the test contradicts itself, with all that it came to there."""
        return {
            tree: seen
            for tree, seen in self._seen[test].items()
            if seen[Outcome.FLAKY] or (seen[Outcome.FAILS] and good_count(seen))
        }


def good_count(seen: Counter[Outcome]) -> int:
    """Count the runs that did not fail."""
    return sum(seen[good] for good in GOOD)


class Witness(Struct, frozen=True, kw_only=True):
    """One failing test with all that is known of it."""

    test: str
    ledger: Ledger
    confirm_count: int

    def outcome(self, tree: Tree) -> Outcome | None:
        """Tell what the test comes to on a tree; None where it never ran.

        Where it contradicts itself, that is what it came to more often.
        """
        seen = self.ledger.seen(self.test, tree)
        if seen[Outcome.BROKEN]:
            return Outcome.BROKEN
        if seen[Outcome.FAILS] > good_count(seen):
            return Outcome.FAILS
        return next((good for good in (Outcome.PASSES, Outcome.ABSENT) if seen[good]), None)

    def is_good(self, tree: Tree) -> bool:
        """Say whether the test is known not to fail on a tree."""
        return self.outcome(tree) in GOOD

    def fails(self, tree: Tree) -> bool:
        """Say whether the test is known to fail on a tree."""
        return self.outcome(tree) is Outcome.FAILS

    def seen_count(self, tree: Tree) -> int:
        """Count the runs of the test on a tree."""
        return self.ledger.seen(self.test, tree).total()
