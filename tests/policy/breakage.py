"""Played batches: what each test comes to on each tree, and a search over them to its answer."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from gitsched.domain.words import Method
from gitsched.policy.inquiry import Suspicion
from gitsched.policy.search import Culprits, Found, Next, Question, search
from gitsched.policy.sightings import Outcome, Sighting, Tree
from gitsched.policy.steps import Purpose, Step

PASSES, FAILS, ABSENT, BROKEN, FLAKY = Outcome


class World(Struct, kw_only=True):
    """What each test comes to on each tree: it fails where all members of one of its causes are in the tree."""

    size: int = 8
    causes: Mapping[str, tuple[frozenset[int], ...]]
    brought_by: Mapping[str, int] = {}
    broken: frozenset[Tree] = frozenset()
    chance: Callable[[Step, str], bool] = lambda _step, _test: False
    """Whether a test that passes turns red by chance."""

    @property
    def tip(self) -> Tree:
        return tuple(range(1, self.size + 1))

    def outcome(self, step: Step, test: str) -> Outcome:
        tree = step.members
        if tree in self.broken:
            return BROKEN
        if test in self.brought_by and self.brought_by[test] not in tree:
            return ABSENT
        is_red = any(cause <= set(tree) for cause in self.causes[test]) or self.chance(step, test)
        return FAILS if is_red else PASSES

    def run(self, step: Step) -> Sighting:
        return Sighting(members=step.members, outcomes={test: self.outcome(step, test) for test in step.tests})


class Story(Struct, kw_only=True):
    """A search from its question to its answer."""

    answer: Found
    rounds: list[tuple[Step, ...]]
    told: list[Sighting]

    @property
    def steps(self) -> list[Step]:
        return [step for steps in self.rounds for step in steps]

    def trees(self, purpose: Purpose) -> list[Tree]:
        return [step.members for step in self.steps if step.purpose is purpose]

    @property
    def blames(self) -> dict[str, int]:
        assert isinstance(self.answer, Culprits), self.answer
        return {blame.test: blame.issue for blame in self.answer.blames}

    @property
    def probing_rounds_count(self) -> int:
        return sum(any(step.purpose is Purpose.PROBE for step in steps) for steps in self.rounds)


def breaks(*causes: int | tuple[int, ...]) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(cause if isinstance(cause, tuple) else (cause,)) for cause in causes)


def a_world(size: int = 8, **causes: tuple[frozenset[int], ...]) -> World:
    return World(size=size, causes=causes)


def asked(world: World, suspects: Mapping[str, int] | None = None, *, confirm_count: int = 3) -> Question:
    suspicions = {test: Suspicion(issue=issue, method=Method.PATHS) for test, issue in (suspects or {}).items()}
    return Question(members=world.tip, tests=tuple(world.causes), suspicions=suspicions, confirm_count=confirm_count)


def searched(world: World, question: Question | None = None, slots: int = 1) -> Story:
    question = question or asked(world)
    rounds, told = [], list[Sighting]()
    while isinstance(answer := search(question, told, slots), Next):
        assert 0 < len(answer.steps) <= slots
        assert all(step.tests for step in answer.steps)
        rounds.append(answer.steps)
        told += [world.run(step) for step in answer.steps]
        assert len(told) < 200 * world.size
    return Story(answer=answer, rounds=rounds, told=told)


def without(world: World, issue: int) -> Tree:
    return tuple(member for member in world.tip if member != issue)
