"""Batches made by chance, and what it takes to finish them: by our policy, and by the ways others go.

No git and no processes: the attribution and the search of `gitsched.policy` decide, the runs are played. A member
breaks a test of its own, a pair breaks one together. Evidence points at a culprit for some of them, and at somebody
else for a few. By chance a test that passes turns red: one flaky test of the suite, or every test there is.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gitsched.domain.verdicts import Case, CaseOutcome, Named
from gitsched.policy.attribute import MemberChange, attribute_each
from gitsched.policy.inquiry import Suspicion
from gitsched.policy.search import Culprits, Found, Next, OnlyFlaky, Question, search
from gitsched.policy.sightings import Outcome, Sighting, Tree
from gitsched.policy.steps import Purpose, Step

WHOLE, FLAKY = "suite", "flaky"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What batches are made of."""

    size: int
    bad: float
    """Chance of each member to break something by itself."""
    pair: float = 0.0
    """Chance of the batch to hold a pair that breaks something together."""
    flake: float = 0.0
    """Chance of a run that is green to turn red."""
    all_flaky: bool = False
    """The chance is every test's own, in every run; else it is that of one test of the suite."""
    pointed: float = 0.8
    """Share of what is broken at which evidence points; a twentieth of it points at somebody else."""
    report: bool = True
    """Without one, every step is the whole suite, judged as one."""


@dataclass
class Bill:
    """What it took to finish a batch."""

    runs: Counter[str] = field(default_factory=Counter)
    """By what they were for: `suite`, and the purposes of steps."""
    step_share: float = 0.0
    """Of all failing tests of a question, run once."""
    rounds_count: int = 0
    """Of runs that go at once."""
    confirming_rounds_count: int = 0
    """Of these, rounds of base, tip and confirming alone."""
    false_count: int = 0
    """Members evicted that broke nothing."""
    is_undecided: bool = False
    missed_count: int = 0
    """Members that broke something by themselves and stayed in a batch that was told green."""


class Batch:
    """One batch, with what breaks in it."""

    def __init__(self, kind: Kind, chance: random.Random) -> None:
        self.kind, self.chance = kind, chance
        self.members: Tree = tuple(range(1, kind.size + 1))
        self.causes = {f"t{issue}": frozenset({issue}) for issue in self.members if chance.random() < kind.bad}
        if kind.size > 1 and chance.random() < kind.pair:
            self.causes["pair"] = frozenset(chance.sample(self.members, 2))
        self.shown_by = {test: self._shown_by(cause) for test, cause in self.causes.items()}

    def _shown_by(self, cause: frozenset[int]) -> int | None:
        """Name the member that alone changed what a test is named after."""
        if self.chance.random() >= self.kind.pointed:
            return None
        return max(cause) if self.chance.random() >= 0.05 else self.chance.choice(self.members)

    @property
    def culprits(self) -> frozenset[int]:
        return frozenset().union(*self.causes.values())

    def failing(self, tree: Tree) -> tuple[str, ...]:
        """Run the whole suite."""
        red = {test for test, cause in self.causes.items() if cause <= set(tree)}
        if self._turns_red():
            red.add(FLAKY)
        return tuple(sorted(red)) if self.kind.report else (WHOLE,) * bool(red)

    def outcome(self, test: str, tree: Tree) -> Outcome:
        if test == WHOLE:
            return Outcome.FAILS if self.failing(tree) else Outcome.PASSES
        is_red = test in self.causes and self.causes[test] <= set(tree)
        if not is_red and (test == FLAKY or self.kind.all_flaky):
            is_red = self._turns_red()
        return Outcome.FAILS if is_red else Outcome.PASSES

    def suspicions(self, failing: tuple[str, ...]) -> dict[str, Suspicion]:
        """Ask the attribution, as the engine does."""
        if not self.kind.report:
            return {}
        cases = [Case(name=test, file=f"tests/test_{test}.py", outcome=CaseOutcome.FAILED) for test in failing]
        changes = [
            MemberChange(
                issue=issue,
                paths=frozenset(f"shop/{test}.py" for test, member in self.shown_by.items() if member == issue),
            )
            for issue in self.members
        ]
        answers = attribute_each(cases, changes, tracked=())
        return {
            case.name: Suspicion(issue=answer.issue, method=answer.method)
            for case, answer in answers.items()
            if isinstance(answer, Named)
        }

    def _turns_red(self) -> bool:
        return self.kind.flake > 0 and self.chance.random() < self.kind.flake


def ours(batch: Batch, slots: int) -> Bill:
    """Finish a batch by gitsched's policy."""
    return _Finish(batch, slots).bill


class _Finish:
    """One batch on its way to green."""

    def __init__(self, batch: Batch, slots: int) -> None:
        self.batch, self.slots, self.bill = batch, slots, Bill()
        self.green: set[Tree] = set()
        """Trees on which the whole suite passed as a step of the search: that verdict stands."""
        left = batch.members
        while left not in self.green and (failing := self.suite(left)):
            answer = self.searched(left, failing)
            if not isinstance(answer, Culprits):
                self.bill.is_undecided = not isinstance(answer, OnlyFlaky) or bool(self.suite(left))
                break
            self.bill.false_count += len(answer.issues - batch.culprits)
            left = tuple(member for member in left if member not in answer.issues)
        if not self.bill.is_undecided:
            self.bill.missed_count = sum(cause <= set(left) for cause in batch.causes.values())

    def suite(self, left: Tree) -> tuple[str, ...]:
        self.bill.runs["suite"] += 1
        self.bill.rounds_count += 1
        return self.batch.failing(left)

    def searched(self, left: Tree, failing: tuple[str, ...]) -> Found:
        question = Question(members=left, tests=failing, suspicions=self.batch.suspicions(failing))
        sightings: list[Sighting] = []
        while isinstance(answer := search(question, sightings, self.slots), Next):
            self.bill.rounds_count += 1
            self.bill.confirming_rounds_count += all(step.purpose is not Purpose.PROBE for step in answer.steps)
            for step in answer.steps:
                sightings.append(self.played(step))
                self.bill.runs[step.purpose] += 1
                self.bill.step_share += len(step.tests) / len(failing)
        return answer

    def played(self, step: Step) -> Sighting:
        outcomes = {test: self.batch.outcome(test, step.members) for test in step.tests}
        if outcomes == {WHOLE: Outcome.PASSES}:
            self.green.add(step.members)
        return Sighting(members=step.members, outcomes=outcomes)


Way = Callable[[Batch, int], Bill]


def one_by_one(batch: Batch, _slots: int) -> Bill:
    """Run the suite for each member on what has been kept so far."""
    bill, kept = Bill(), Tree()
    for member in batch.members:
        bill.runs["suite"] += 1
        bill.rounds_count += 1
        if batch.failing((*kept, member)):
            bill.false_count += member not in batch.culprits
        else:
            kept = (*kept, member)
    return bill


def all_singly(batch: Batch, slots: int) -> Bill:
    """Run the batch, and where it is red each member alone."""
    bill = Bill(runs=Counter(suite=1), rounds_count=1)
    if batch.failing(batch.members):
        for member in batch.members:
            bill.runs["suite"] += 1
            bill.false_count += bool(batch.failing((member,))) and member not in batch.culprits
        bill.rounds_count += -(-len(batch.members) // slots)
    return bill


def halves(batch: Batch, slots: int) -> Bill:
    """Run the batch, and where it is red queue both halves, on what has been kept so far (bors-ng)."""
    bill, kept, queue = Bill(), set[int](), deque([batch.members])
    while queue:
        bill.rounds_count += 1
        now = [queue.popleft() for _ in range(min(slots, len(queue)))]
        before = frozenset(kept)
        for part in now:
            bill.runs["suite"] += 1
            if not batch.failing(tuple(sorted(before | set(part)))):
                kept |= set(part)
            elif len(part) == 1:
                bill.false_count += part[0] not in batch.culprits
            else:
                queue += [part[: len(part) // 2], part[len(part) // 2 :]]
    return bill


def prefixes(batch: Batch, slots: int) -> Bill:
    """Search the prefixes by the whole suite, evict, run what is left, and so on; nothing is confirmed."""
    bill, left, good = Bill(), batch.members, 0
    while left:
        bill.runs["suite"] += 1
        bill.rounds_count += 1
        if not batch.failing(left):
            break
        bad = len(left)
        good = min(good, bad - 1)
        while bad - good > 1:
            cut = list(_cuts(good, bad, slots))
            bill.runs["suite"] += len(cut)
            bill.rounds_count += 1
            red = [place for place in cut if batch.failing(left[:place])]
            bad = min([bad, *red])
            good = max([good, *(place for place in cut if place < bad)])
        bill.false_count += left[bad - 1] not in batch.culprits
        left = (*left[: bad - 1], *left[bad:])
    return bill


def _cuts(good: int, bad: int, slots: int) -> Iterator[int]:
    parts = min(slots, bad - good - 1) + 1
    yield from (good + (bad - good) * part // parts for part in range(1, parts))


WAYS: dict[str, Way] = {
    "one by one": one_by_one,
    "all singly": all_singly,
    "halves": halves,
    "prefix": prefixes,
}


def batches(kind: Kind, count: int, seed: int) -> Iterator[Batch]:
    """Make batches; the same seed makes the same ones."""
    for number in range(count):
        yield Batch(kind, random.Random(f"{seed}/{number}/{kind.size}/{kind.bad}/{kind.pair}"))


def finished(kind: Kind, count: int, way: Way, *, slots: int = 1, seed: int = 1) -> list[Bill]:
    """Finish batches in one way."""
    return [way(batch, slots) for batch in batches(kind, count, seed)]


def one_culprit(size: int, issue: int, slots: int, way: Way) -> Bill:
    """Finish a batch in which one member is to blame and nothing points at it."""
    batch = Batch(Kind(size=size, bad=0.0, pointed=0.0), random.Random(0))
    batch.causes[f"t{issue}"] = frozenset({issue})
    return way(batch, slots)
