"""Probes: where to look next between a tree that is good and one that fails.

1. The last tree known to be good and the first failing one after it bound what is left: who turned the tip red is
   between them, whatever was broken and mended before.
2. Trees that prove nothing are passed over.
3. What is left is cut in equal parts by as many trees as there are slots, so that n trees take
   ceil(log_{k+1} n) rounds. Several tests share a cut where they look in the same place; where they do not, the
   next slot goes to the place with the longest part.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from gitsched.policy.sightings import Outcome, Tree, Witness


class Stretch(Struct, frozen=True, kw_only=True):
    """What is left between a good tree and a failing one."""

    between: tuple[Tree, ...]
    """Trees that may tell more, in order."""
    ends_at: int
    """Index of the failing tree in the row that was narrowed."""
    is_exact: bool
    """The good tree stands right before the failing one."""


def narrow(row: Sequence[Tree], witness: Witness) -> Stretch:
    """Bound the place in a row of trees where a test turns red: its first is good, its last fails."""
    good = max(place for place, tree in enumerate(row) if witness.is_good(tree))
    fails = min(place for place, tree in enumerate(row) if place > good and witness.fails(tree))
    left = tuple(tree for tree in row[good + 1 : fails] if witness.outcome(tree) is not Outcome.BROKEN)
    return Stretch(between=left, ends_at=fails, is_exact=fails - good == 1)


def cuts(stretches: Iterable[Stretch], slots: int) -> tuple[Tree, ...]:
    """Choose at most `slots` trees to run at once, each once."""
    places = {stretch.between: 0 for stretch in stretches}
    for _ in range(slots):
        open_ones = [between for between, taken in places.items() if taken < len(between)]
        if open_ones:
            places[max(open_ones, key=lambda between: (len(between) + 1) / (places[between] + 1))] += 1
    chosen = (tree for between, taken in places.items() for tree in _spread(between, taken))
    return tuple(dict.fromkeys(chosen))


def _spread(trees: Sequence[Tree], count: int) -> tuple[Tree, ...]:
    return tuple(trees[(len(trees) + 1) * part // (count + 1) - 1] for part in range(1, count + 1))
