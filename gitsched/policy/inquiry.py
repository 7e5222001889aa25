"""Inquiry: where one failing test stands in the search for who broke it.

1. The test must fail at the tip and must not fail at the base; else nothing can be told by it.
2. A member at whom evidence points is confirmed first: the test fails on the base with that member alone, where it
   can be run there, and does not fail on the tip without it. Where that does not hold, the suspicion is dropped.
3. Else the prefixes are searched, and the member found is confirmed in the same way. Where the test fails without it
   as well, there may be another culprit behind it: then the prefix with it fails and the one before it does not, and
   the search goes on among the rest.
4. To confirm is to see it `confirm_count` times both ways, beside what led to the member.
5. A member with which the test passes when it is alone broke it together with an earlier one: that one is looked for
   in the same way, and the pair is named; the later of the two is to blame.
6. A flaky test that fails at the tip every time may be heard once more, when no other test names anybody: where it
   contradicts itself it runs again until that tree is clearly good.

See docs/explanation/gating.md, "The search".
"""

from enum import IntEnum
from typing import Final, TypeAlias

from msgspec import Struct

from gitsched.domain.words import Method
from gitsched.policy.probes import Stretch, narrow
from gitsched.policy.sightings import Outcome, Tree, Witness, good_count


class Suspicion(Struct, frozen=True, kw_only=True):
    """A member at whom evidence points, by `gitsched.policy.attribute`."""

    issue: int
    method: Method


class Blame(Struct, frozen=True, kw_only=True):
    """A member that broke a test, confirmed both ways."""

    test: str
    issue: int
    method: Method
    partner: int | None = None
    """The earlier member without which the later one does not break it; told, not evicted."""


class Wish(Struct, frozen=True):
    """A test is to have run on a tree so many times in all."""

    tree: Tree
    run_count: int


class Urgency(IntEnum):
    """What comes first while it is open for any test."""

    ORIGIN = 0
    EVIDENCE = 1
    SEARCH = 2


class Open(Struct, frozen=True, kw_only=True):
    """More must be known."""

    urgency: Urgency
    wishes: tuple[Wish, ...] = ()
    stretch: Stretch | None = None


class Settled(Struct, frozen=True, kw_only=True):
    """Who broke it is known."""

    blames: tuple[Blame, ...]
    is_plain: bool = True
    """The member breaks the test by itself, or the test was seen to pass without it. Else the member may merely
    have brought a test that shows another one's fault."""


class Unsettled(Struct, frozen=True):
    """It cannot be told."""

    why: str


class Unstable(Struct, frozen=True):
    """The suite saw the test fail on the tip, and by itself it passes there."""


_NOT_WITHOUT: Final = frozenset({Outcome.FAILS, Outcome.BROKEN})
"""What a test comes to on the tip without a member that does not blame that member."""

_PATIENCE: Final = 4
"""So many times `confirm_count` a flaky test runs on one tree."""

Standing: TypeAlias = Open | Settled | Unsettled | Unstable


def without(tree: Tree, issue: int) -> Tree:
    """Name the tree that lacks a member."""
    return tuple(member for member in tree if member != issue)


def standing_of(witness: Witness, members: Tree, suspicion: Suspicion | None) -> Standing:
    """Say where a test stands; `members` are all that landed, in order."""
    at_ends = _ends(witness, members)
    if at_ends is not None:
        return at_ends
    left, blames, is_plain = members, list[Blame](), True
    while True:
        found = _suspect(witness, left, suspicion) or _searched(witness, left)
        if isinstance(found, Unsettled) and blames:
            break
        if not isinstance(found, Settled):
            return found
        blames += found.blames
        is_plain = is_plain and found.is_plain
        left = without(left, found.blames[0].issue)
        if not witness.fails(left):
            break
    return Settled(blames=tuple(blames), is_plain=is_plain)


def second_hearing(witness: Witness, members: Tree, suspicion: Suspicion | None) -> Standing | None:
    """Say where a flaky test stands; None where it is too unstable to tell anything."""
    contradictions = witness.ledger.contradictions(witness.test)
    if () in contradictions or members in contradictions or not witness.fails(members):
        return None
    doubts = []
    for tree, seen in contradictions.items():
        if seen[Outcome.FLAKY] or seen.total() > _PATIENCE * witness.confirm_count:
            return None
        # By chance a test turns red far more often than green: a doubt may clear a tree, never blame it.
        if good_count(seen) < max(witness.confirm_count, 2 * seen[Outcome.FAILS]):
            doubts.append(Wish(tree, seen.total() + 1))
    if doubts:
        return Open(urgency=Urgency.SEARCH, wishes=tuple(doubts))
    return standing_of(witness, members, suspicion)


def may_explain(witness: Witness, tip: Tree, issue: int) -> bool:
    """Say whether a test may go with a member that is to blame for another test."""
    at_ends = witness.is_good(()) and witness.fails(tip)
    return at_ends and witness.outcome(without(tip, issue)) not in _NOT_WITHOUT


def missing_explanation(witness: Witness, tip: Tree, issue: int) -> Open | None:
    """Say what must still be known before such a test is settled by that member; None where nothing is missing."""
    wanted = _wanted(witness, (tip, without(tip, issue)), has_failed=witness.fails((issue,)))
    return _open(witness, Urgency.SEARCH, wanted)


def is_dropped(witness: Witness, tip: Tree, suspicion: Suspicion) -> bool:
    """Say whether a suspicion was put to the test and did not hold."""
    alone, rest = (suspicion.issue,), without(tip, suspicion.issue)
    if witness.outcome(alone) is Outcome.PASSES or witness.outcome(rest) in _NOT_WITHOUT:
        return True
    # A test that the suspect brought along is gone without it, whoever is to blame.
    return witness.outcome(rest) is Outcome.ABSENT and witness.outcome(alone) in {Outcome.ABSENT, Outcome.BROKEN}


def _ends(witness: Witness, tip: Tree) -> Standing | None:
    missing = tuple(Wish(tree, 1) for tree in ((), tip) if witness.outcome(tree) is None)
    if missing:
        return Open(urgency=Urgency.ORIGIN, wishes=missing)
    at_base, at_tip = witness.outcome(()), witness.outcome(tip)
    if at_tip is Outcome.PASSES:
        return Unstable()
    if at_tip is not Outcome.FAILS:
        return Unsettled(f"it is {at_tip} at the tip when run by itself")
    if at_base is Outcome.FAILS:
        return Unsettled("it fails at the base as well")
    if at_base is Outcome.BROKEN:
        return Unsettled("at the base it neither passes nor fails")
    return None


def _suspect(witness: Witness, tip: Tree, suspicion: Suspicion | None) -> Standing | None:
    """Follow the evidence; None where there is none or it did not hold."""
    if suspicion is None or suspicion.issue not in tip or is_dropped(witness, tip, suspicion):
        return None
    issue = suspicion.issue
    more = _unconfirmed(witness, issue, (tip, without(tip, issue)), Urgency.EVIDENCE)
    return more or Settled(blames=(Blame(test=witness.test, issue=issue, method=suspicion.method),))


def _searched(witness: Witness, tip: Tree) -> Standing:
    prefixes = tuple(tip[:count] for count in range(len(tip) + 1))
    stretch = narrow(prefixes, witness)
    if stretch.between:
        return Open(urgency=Urgency.SEARCH, stretch=stretch)
    if not stretch.is_exact:
        return Unsettled("the trees that would tell its members apart neither pass nor fail")
    found, prefix = tip[stretch.ends_at - 1], prefixes[stretch.ends_at]
    rest = without(tip, found)
    # Another one behind it may break the same test, or build on it: then its own place in the row must do.
    if witness.outcome(rest) not in _NOT_WITHOUT:
        more = _unconfirmed(witness, found, (tip, rest), Urgency.SEARCH)
    else:
        # It failed there first of all the places that were looked at, which chance may do: once more than elsewhere.
        more = _unconfirmed(witness, found, (prefix, prefix[:-1]), Urgency.SEARCH) or _open(
            witness, Urgency.SEARCH, (Wish(prefix, 2 + witness.confirm_count - witness.fails((found,))),)
        )
    return more or _with_partner(witness, prefix, rest)


def _unconfirmed(witness: Witness, issue: int, pair: tuple[Tree, Tree], urgency: Urgency) -> Open | None:
    """Say what must still be seen of a member; `pair` is a tree with it and one without it."""
    alone = (issue,)
    # On the base with the member alone is one of the runs that fail with it, where the test can be run there.
    has_failed = alone != pair[0] and witness.outcome(alone) in {None, Outcome.FAILS}
    having, lacking = _wanted(witness, pair, has_failed=has_failed)
    return _open(witness, urgency, (lacking, Wish(alone, 1), having))


def _wanted(witness: Witness, pair: tuple[Tree, Tree], *, has_failed: bool) -> tuple[Wish, Wish]:
    """Wish for `confirm_count` runs both ways, beside the failure that led here."""
    having, lacking = pair
    return Wish(having, 1 + witness.confirm_count - has_failed), Wish(lacking, witness.confirm_count)


def _open(witness: Witness, urgency: Urgency, wanted: tuple[Wish, ...]) -> Open | None:
    missing = tuple(wish for wish in wanted if witness.seen_count(wish.tree) < wish.run_count)
    return Open(urgency=urgency, wishes=missing) if missing else None


def _with_partner(witness: Witness, prefix: Tree, rest: Tree) -> Standing:
    """Name a confirmed member, and the one that it needs to break the test; `rest` is the tip without it."""
    found, alone = prefix[-1], prefix[-1:]
    blame = Blame(test=witness.test, issue=found, method=Method.BISECT)
    plain = Settled(blames=(blame,), is_plain=witness.fails(alone) or witness.outcome(rest) is not Outcome.ABSENT)
    if witness.outcome(alone) is not Outcome.PASSES:
        return plain
    row = tuple((*prefix[:count], found) for count in range(len(prefix)))
    stretch = narrow(row, witness)
    if stretch.between:
        return Open(urgency=Urgency.SEARCH, stretch=stretch)
    both = (prefix[stretch.ends_at - 1], found)
    if stretch.is_exact and witness.outcome(both) is None:
        return Open(urgency=Urgency.SEARCH, wishes=(Wish(both, 1),))
    # Where the two do not break it by themselves, more than two are needed, and only the last is named.
    partner = both[0] if stretch.is_exact and witness.fails(both) else None
    if partner is None:
        return Settled(blames=plain.blames, is_plain=False)
    pair = Blame(test=witness.test, issue=found, method=Method.PAIR, partner=partner)
    return Settled(blames=(pair,), is_plain=False)
