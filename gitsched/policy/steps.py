"""Steps: which runs are made at once for the tests that are still open.

1. Where a failure comes from goes before evidence, evidence before the search.
2. Of the search, every place that is looked at gets one slot, then confirming, then more slots for the places.
3. Slots that are left repeat the tip, which every open test needs.
4. A run serves every open test that it can tell something about.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from gitsched.policy.inquiry import Open, Urgency, Wish
from gitsched.policy.probes import cuts
from gitsched.policy.sightings import Ledger, Tree, Witness


class Purpose(StrEnum):
    """What a run is for."""

    ORIGIN = "origin"
    PROBE = "probe"
    CONFIRM = "confirm"


class Step(Struct, frozen=True, kw_only=True):
    """One run of some failing tests on one tree."""

    purpose: Purpose
    members: Tree
    prefix_count: int | None
    """So many members, the first ones, are in it; None for a trial tree, which has to be built."""
    tests: tuple[str, ...]
    """In the order of the question."""
    attempt: int
    """Which run of this tree it is; only the first may be answered by a stored verdict."""


class Need(Struct, frozen=True, kw_only=True):
    """A test that is still open, and what it asks for."""

    witness: Witness
    open: Open


def next_steps(tip: Tree, needs: Sequence[Need], ledger: Ledger, slots: int) -> tuple[Step, ...]:
    """Choose what to run at once, at most one run for each slot; `needs` is not empty and in the tests' order."""
    urgency = min(need.open.urgency for need in needs)
    pressing = [need for need in needs if need.open.urgency is urgency]
    taken: Counter[Tree] = Counter()
    steps = []
    for purpose, tree in islice(_runs(tip, pressing, slots), slots):
        steps.append(
            Step(
                purpose=purpose,
                members=tree,
                prefix_count=len(tree) if tip[: len(tree)] == tree else None,
                tests=tuple(need.witness.test for need in needs if _is_served(need, tree, tip, taken[tree])),
                attempt=ledger.run_count(tree) + taken[tree] + 1,
            )
        )
        taken[tree] += 1
    return tuple(steps)


def _runs(tip: Tree, pressing: Sequence[Need], slots: int) -> Iterator[tuple[Purpose, Tree]]:
    """List the wanted runs, the most wanted first."""
    wished = list(_wished(pressing))
    stretches = [need.open.stretch for need in pressing if need.open.stretch is not None]
    places_count = len({stretch.between for stretch in stretches})
    for tree in cuts(stretches, max(slots - len(wished), places_count)):
        if tree not in wished:
            yield Purpose.PROBE, tree
    is_origin = pressing[0].open.urgency is Urgency.ORIGIN
    for tree in wished:
        yield Purpose.ORIGIN if is_origin else Purpose.CONFIRM, tree
    most = max(_missing_count(need.witness, Wish(tip, need.witness.confirm_count)) for need in pressing)
    for _ in range(most - wished.count(tip)):
        yield Purpose.CONFIRM, tip


def _wished(pressing: Sequence[Need]) -> Iterator[Tree]:
    """List the wished trees, each as often as it is to run: first all of them once, then again."""
    missing: dict[Tree, int] = {}
    for need in pressing:
        for wish in need.open.wishes:
            missing[wish.tree] = max(missing.get(wish.tree, 0), _missing_count(need.witness, wish))
    for attempt in range(max(missing.values(), default=0)):
        yield from (tree for tree, count in missing.items() if attempt < count)


def _missing_count(witness: Witness, wish: Wish) -> int:
    return wish.run_count - witness.seen_count(wish.tree)


def _is_served(need: Need, tree: Tree, tip: Tree, earlier_count: int) -> bool:
    """Say whether a run tells something about a test, after so many others of its tree in the same round."""
    asked, witness = need.open, need.witness
    if any(wish.tree == tree and earlier_count < _missing_count(witness, wish) for wish in asked.wishes):
        return True
    if asked.stretch is not None and tree in asked.stretch.between:
        return earlier_count == 0
    # The tip, and the tip without one member who may be to blame for this test as well.
    is_telling = tree == tip or (len(tree) == len(tip) - 1 and (witness.outcome(tree) is None or witness.is_good(tree)))
    wanted = Wish(tree, witness.confirm_count)
    return is_telling and earlier_count < _missing_count(witness, wanted)
