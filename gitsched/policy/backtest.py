"""Backtest: what a history would have cost under batching, and by which search its culprits would have been found.

The history says who broke something: whoever was reverted later. A member breaks one thing of its own, from where it
lands until its revert does; nothing points at it, and nothing is flaky. The search is the one that runs (`search`), and
beside it stand the ways of other queues.

Source: users' field notes 3.10; the ways of others as their documentation tells them.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from gitsched.domain.past import Bill, PastMember
from gitsched.policy.search import Culprits, Next, Question, search
from gitsched.policy.sightings import Outcome, Sighting, Tree


class Terms(Struct, frozen=True, kw_only=True):
    """Under what a batch is finished."""

    slots: int
    confirm_count: int


class PastBatch:
    """Some of the history's members as one batch."""

    def __init__(self, members: Sequence[PastMember]) -> None:
        """Say what is broken: whoever is reverted later, by any member of the history that is given."""
        self.members: Tree = tuple(member.number for member in members)
        self.menders: dict[int, frozenset[int]] = {}

    def breaks(self, culprit: int, menders: frozenset[int]) -> None:
        """Let a member break something that these take back."""
        self.menders[culprit] = menders

    def failing(self, tree: Tree) -> tuple[int, ...]:
        """Name what fails on a tree, by whoever broke it."""
        return tuple(one for one, menders in self.menders.items() if one in tree and not menders & set(tree))

    def outcomes(self, tests: Sequence[str], tree: Tree) -> Mapping[str, Outcome]:
        """Run some of the tests on a tree."""
        red = set(map(str, self.failing(tree)))
        return {test: Outcome.FAILS if test in red else Outcome.PASSES for test in tests}


def batches_of(history: Sequence[PastMember], size: int) -> list[PastBatch]:
    """Cut a history into batches of a size, in its order."""
    menders: dict[int, frozenset[int]] = {}
    for member in history:
        for reverted in member.reverts:
            menders[reverted] = menders.get(reverted, frozenset()) | {member.number}
    found = []
    for begin in range(0, len(history), size):
        batch = PastBatch(history[begin : begin + size])
        for number in batch.members:
            if number in menders:
                batch.breaks(number, menders[number])
        found.append(batch)
    return found


def ours(batch: PastBatch, terms: Terms) -> Bill:
    """Finish a batch by the search that runs: failing tests only, confirmed, evicted, run again."""
    bill, left = Bill(), batch.members
    while True:
        bill = bill.plus(Bill(suite_count=1, rounds_count=1))
        failing = batch.failing(left)
        if not failing:
            return bill
        question = Question(members=left, tests=tuple(map(str, failing)), confirm_count=terms.confirm_count)
        sightings: list[Sighting] = []
        while isinstance(answer := search(question, sightings, terms.slots), Next):
            bill = bill.plus(Bill(step_count=len(answer.steps), rounds_count=1))
            sightings += [
                Sighting(members=step.members, outcomes=batch.outcomes(step.tests, step.members))
                for step in answer.steps
            ]
        assert isinstance(answer, Culprits), "nothing is flaky here, and one member alone breaks a test"
        bill = bill.plus(_sent_back(batch, answer.issues))
        left = tuple(member for member in left if member not in answer.issues)


def one_by_one(batch: PastBatch, _terms: Terms) -> Bill:
    """Run the suite for each member on what has been kept so far."""
    bill, kept = Bill(), Tree()
    for member in batch.members:
        bill = bill.plus(Bill(suite_count=1, rounds_count=1))
        if batch.failing((*kept, member)):
            bill = bill.plus(_sent_back(batch, {member}))
        else:
            kept = (*kept, member)
    return bill


def halves(batch: PastBatch, _terms: Terms) -> Bill:
    """Run the batch; where it is red queue both halves, each on what has been kept so far (bors-ng)."""
    bill, kept, queue = Bill(), set[int](), deque([batch.members])
    while queue:
        part = queue.popleft()
        bill = bill.plus(Bill(suite_count=1, rounds_count=1))
        if not batch.failing(tuple(sorted(kept | set(part)))):
            kept |= set(part)
        elif len(part) == 1:
            bill = bill.plus(_sent_back(batch, set(part)))
        else:
            queue += [part[: len(part) // 2], part[len(part) // 2 :]]
    return bill


def whole(batch: PastBatch, _terms: Terms) -> Bill:
    """Run the batch; where it is red send all of it back (a roll-up that is dropped)."""
    red = batch.failing(batch.members)
    bill = Bill(suite_count=1, rounds_count=1)
    return bill.plus(_sent_back(batch, set(batch.members))) if red else bill


def _sent_back(batch: PastBatch, members: "frozenset[int] | set[int]") -> Bill:
    # One whose break another member mends is a culprit all the same where it stands without that one.
    return Bill(caught=frozenset(members) & batch.menders.keys(), false=frozenset(members) - batch.menders.keys())


Way = Callable[[PastBatch, Terms], Bill]
WAYS: Final[Mapping[str, Way]] = {
    "gitsched": ours,
    "one by one": one_by_one,
    "halves": halves,
    "all sent back": whole,
}
"""By the names that the table shows."""


def replayed(history: Sequence[PastMember], size: int, way: Way, terms: Terms) -> Bill:
    """Finish a whole history in batches of a size, in one way."""
    total = Bill()
    for batch in batches_of(history, size):
        total = total.plus(way(batch, terms))
    return total
