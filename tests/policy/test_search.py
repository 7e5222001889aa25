"""The search for a culprit over played batches: what it asks for, and whom it names."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from gitsched.domain.words import Method
from gitsched.policy.inquiry import Blame, Suspicion
from gitsched.policy.search import CannotDiscriminate, Culprits, Dropped, Found, Next, OnlyFlaky, Question, search
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


def test_one_slot_takes_three_steps_to_one_of_eight() -> None:
    """V-17: no evidence, one free slot, culprit 5."""
    story = searched(a_world(t=breaks(5)))
    assert isinstance(story.answer, Culprits)
    assert story.answer.blames == (Blame(test="t", issue=5, method=Method.BISECT),)
    assert len(story.trees(Purpose.PROBE)) == 3
    assert story.trees(Purpose.ORIGIN) == [(), story.rounds[1][0].members]


def test_three_slots_try_three_prefixes_at_once() -> None:
    """V-18: batch run, two rounds of probes and verifying run are four rounds."""
    world = a_world(t=breaks(5))
    story = searched(world, slots=3)
    first = next(steps for steps in story.rounds if steps[0].purpose is Purpose.PROBE)
    assert [step.prefix_count for step in first] == [2, 4, 6]
    assert story.probing_rounds_count == 2
    assert story.blames == {"t": 5}


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_rounds_are_bounded_by_the_logarithm(size: int, slots: int) -> None:
    bound = 0
    while (slots + 1) ** bound < size:
        bound += 1
    for culprit in range(1, size + 1):
        story = searched(a_world(size, t=breaks(culprit)), slots=slots)
        assert story.blames == {"t": culprit}
        assert story.probing_rounds_count <= bound


def test_what_evidence_points_at_is_confirmed_and_nothing_is_searched() -> None:
    """V-12, V-47: base and tip, `confirm` times with the member and without it, and no search step."""
    world = a_world(t=breaks(3))
    story = searched(world, asked(world, {"t": 3}))
    assert isinstance(story.answer, Culprits)
    assert story.answer.blames == (Blame(test="t", issue=3, method=Method.PATHS),)
    assert story.trees(Purpose.ORIGIN) == [(), world.tip]
    assert story.trees(Purpose.PROBE) == []
    confirmed = story.trees(Purpose.CONFIRM)
    assert confirmed.count(without(world, 3)) == 3
    assert sorted(tree for tree in confirmed if 3 in tree) == [world.tip, world.tip, (3,)]
    assert len(confirmed) == 6


def test_a_member_whose_test_merely_shows_the_fault_is_let_go() -> None:
    """V-46: 8 changed a test file, 6 broke what all tests use: the suspicion is dropped and told, 6 is named."""
    world = a_world(a=breaks(6), b=breaks(6), c=breaks(6))
    story = searched(world, asked(world, {"c": 8}), slots=2)
    assert story.blames == {"a": 6, "b": 6, "c": 6}
    assert isinstance(story.answer, Culprits)
    assert story.answer.issues == {6}
    assert story.answer.dropped == (Dropped("c", 8),)


def test_a_dropped_suspicion_is_told_while_the_search_goes_on() -> None:
    world = a_world(t=breaks(6))
    question = asked(world, {"t": 8})
    told = [Sighting(members=tree, outcomes={"t": seen}) for tree, seen in [((), PASSES), (world.tip, FAILS)]]
    answer = search(question, [*told, Sighting(members=without(world, 8), outcomes={"t": FAILS})], 1)
    assert isinstance(answer, Next)
    assert answer.dropped == (Dropped("t", 8),)
    assert answer.steps[0].purpose is Purpose.PROBE


def test_a_new_test_that_shows_the_fault_of_another_blames_that_one() -> None:
    """8 brought `new`, which 6 breaks with others: without 8 it is gone, which proves nothing."""
    world = World(causes={"old": breaks(6), "new": breaks(6)}, brought_by={"new": 8})
    story = searched(world, asked(world, {"new": 8}), slots=3)
    assert story.blames == {"old": 6, "new": 6}


def test_a_new_test_that_nothing_else_explains_is_a_pair() -> None:
    world = World(causes={"new": breaks(6)}, brought_by={"new": 8})
    story = searched(world, asked(world, {"new": 8}))
    assert isinstance(story.answer, Culprits)
    assert story.answer.blames == (Blame(test="new", issue=8, method=Method.PAIR, partner=6),)


def test_a_test_that_the_culprit_brought_and_that_fails_with_it_alone() -> None:
    world = World(causes={"new": breaks(4)}, brought_by={"new": 4})
    assert searched(world, asked(world, {"new": 4})).trees(Purpose.PROBE) == []
    assert searched(world).blames == {"new": 4}


def test_a_suspect_that_cannot_be_run_alone_and_brought_the_test_is_searched_for() -> None:
    world = World(causes={"new": breaks(4)}, brought_by={"new": 4}, broken=frozenset({(4,)}))
    story = searched(world, asked(world, {"new": 4}))
    assert story.trees(Purpose.PROBE) != []
    assert story.blames == {"new": 4}


def test_a_pair_is_named_and_the_later_one_is_to_leave() -> None:
    """V-21: the test fails only when 2 and 6 have both landed."""
    for suspects in ({}, {"t": 2}, {"t": 6}):
        world = a_world(t=breaks((2, 6)))
        story = searched(world, asked(world, suspects))
        assert isinstance(story.answer, Culprits)
        assert story.answer.blames == (Blame(test="t", issue=6, method=Method.PAIR, partner=2),)
        assert story.answer.issues == {6}


def test_of_three_that_fail_only_together_the_last_is_named() -> None:
    story = searched(a_world(t=breaks((2, 4, 7))))
    assert isinstance(story.answer, Culprits)
    assert story.answer.blames == (Blame(test="t", issue=7, method=Method.BISECT),)


def test_a_partner_that_cannot_be_told_apart_is_not_named() -> None:
    world = World(causes={"t": breaks((2, 6))}, broken=frozenset({(1, 6), (1, 2, 6)}))
    story = searched(world)
    assert isinstance(story.answer, Culprits)
    assert story.answer.blames == (Blame(test="t", issue=6, method=Method.BISECT),)


def test_two_culprits_with_a_test_each_are_found_in_one_search() -> None:
    """V-22: runs serve both, each is confirmed by itself."""
    world = a_world(a=breaks(2), b=breaks(7))
    story = searched(world, slots=2)
    assert story.blames == {"a": 2, "b": 7}
    shared = [step for step in story.steps if step.purpose is Purpose.PROBE and step.tests == ("a", "b")]
    assert shared
    confirmed = story.trees(Purpose.CONFIRM)
    assert confirmed.count(without(world, 2)) == confirmed.count(without(world, 7)) == 3


def test_two_culprits_of_one_test_are_found_one_behind_the_other() -> None:
    for suspects in ({}, {"t": 2}, {"t": 7}):
        world = a_world(t=breaks(2, 7))
        story = searched(world, asked(world, suspects))
        assert isinstance(story.answer, Culprits)
        assert story.answer.issues == {2, 7}
        assert story.answer.dropped == ()


def test_a_member_is_confirmed_as_often_as_was_asked() -> None:
    """V-23: twice with 4 and twice without it, where `confirm` is 2."""
    world = a_world(t=breaks(4))
    story = searched(world, asked(world, {"t": 4}, confirm_count=2))
    confirmed = story.trees(Purpose.CONFIRM)
    assert confirmed.count(without(world, 4)) == 2
    assert len([tree for tree in confirmed if 4 in tree]) == 2
    assert story.blames == {"t": 4}


def test_one_that_fails_without_the_suspect_as_well_does_not_blame_it() -> None:
    """V-23: the tree without 4 fails too."""
    world = a_world(t=breaks(1))
    assert searched(world, asked(world, {"t": 4}, confirm_count=2)).blames == {"t": 1}


@pytest.mark.parametrize("cut", range(6))
def test_a_search_that_was_cut_off_goes_on(cut: int) -> None:
    """V-25: what is known is the whole state, in any order; no step is asked for twice."""
    world = a_world(t=breaks(5))
    whole = searched(world)
    told = list(reversed(whole.told[:cut]))
    answer = search(asked(world), told, 1)
    assert isinstance(answer, Next)
    assert answer.steps == whole.rounds[cut]
    assert len({(step.members, step.attempt) for step in whole.steps}) == len(whole.steps)


def test_what_is_known_is_not_asked_again() -> None:
    """V-24: recorded verdicts of prefixes answer; only what they leave open is run."""
    world = a_world(t=breaks(5))
    known = [Sighting(members=world.tip[:size], outcomes={"t": FAILS if size > 4 else PASSES}) for size in range(9)]
    answer = search(asked(world), known, 8)
    assert isinstance(answer, Next)
    assert {step.purpose for step in answer.steps} == {Purpose.CONFIRM}
    assert {step.attempt for step in answer.steps if step.members == world.tip} == {2, 3}


def test_a_base_that_neither_passes_nor_fails_decides_nothing() -> None:
    """V-20: the command is broken at the base."""
    world = World(causes={"t": breaks(5)}, broken=frozenset({()}))
    answer = searched(world, asked(world, {"t": 5})).answer
    assert isinstance(answer, CannotDiscriminate)
    assert [(one.test, one.why) for one in answer.undecided] == [("t", "at the base it neither passes nor fails")]


def test_a_test_that_the_base_does_not_have_counts_as_not_failing_there() -> None:
    """V-20: the second half."""
    world = World(causes={"t": breaks(5)}, brought_by={"t": 3})
    assert searched(world).blames == {"t": 5}


def test_a_test_that_fails_at_the_base_blames_nobody_and_the_others_are_searched() -> None:
    """V-09: B is found through 2, A blames nobody."""
    story = searched(a_world(a=breaks(()), b=breaks(2)))
    assert story.blames == {"b": 2}
    assert isinstance(story.answer, Culprits)
    assert [one.test for one in story.answer.undecided] == ["a"]


@pytest.mark.parametrize("outcome", [BROKEN, ABSENT])
def test_a_tip_that_does_not_fail_decides_nothing(outcome: Outcome) -> None:
    world = a_world(t=breaks(5))
    told = [Sighting(members=tree, outcomes={"t": seen}) for tree, seen in [((), PASSES), (world.tip, outcome)]]
    assert isinstance(search(asked(world), told, 1), CannotDiscriminate)


def test_a_test_that_passes_at_the_tip_by_itself_is_flaky() -> None:
    """V-10: red in the suite, green when it is run again."""
    assert searched(a_world(t=())).answer == OnlyFlaky(flaky=("t",))


def test_a_test_that_contradicts_itself_leaves_the_search() -> None:
    """V-11: it fails by chance at one prefix and blames nobody; the true culprit is found by the other test."""
    once = World(
        causes={"f": breaks(5), "t": breaks(5)},
        chance=lambda step, test: test == "f" and step.members == (1, 2) and step.attempt == 1,
    )
    story = searched(once, slots=7)
    assert story.blames["t"] == 5
    both = {"f": FLAKY, "t": PASSES}
    answer = search(asked(once), [*story.told, Sighting(members=(), outcomes=both)], 1)
    assert isinstance(answer, Culprits)
    assert answer.flaky == ("f",)
    assert answer.issues == {5}


def test_prefixes_that_prove_nothing_are_passed_over() -> None:
    world = World(causes={"t": breaks(5)}, broken=frozenset({(1, 2), (1, 2, 3)}))
    assert searched(world).blames == {"t": 5}
    hidden = World(causes={"t": breaks(5)}, broken=frozenset({(1, 2, 3, 4)}))
    answer = searched(hidden).answer
    assert isinstance(answer, CannotDiscriminate)
    assert "tell its members apart" in answer.undecided[0].why


def test_a_member_that_others_build_on_is_confirmed_at_its_prefix() -> None:
    """The tip cannot be built without it."""
    world = World(causes={"t": breaks(5)}, broken=frozenset({(1, 2, 3, 4, 6, 7, 8), (5,)}))
    story = searched(world)
    assert story.blames == {"t": 5}
    assert story.trees(Purpose.CONFIRM).count((1, 2, 3, 4)) == 2
    assert story.trees(Purpose.CONFIRM).count((1, 2, 3, 4, 5)) == 3


def test_what_was_seen_once_and_breaks_afterwards_is_not_decided() -> None:
    world = a_world(t=breaks(8))
    story = searched(world)
    told = [*story.told, Sighting(members=world.tip[:7], outcomes={"t": BROKEN})]
    answer = search(asked(world), told, 1)
    assert isinstance(answer, CannotDiscriminate)


def test_another_culprit_that_cannot_be_told_does_not_save_the_first() -> None:
    rest = tuple(member for member in range(1, 9) if member != 2)
    world = World(causes={"t": breaks(2, 7)}, broken=frozenset({rest[:5]}))
    assert searched(world).blames == {"t": 2}


def test_a_run_that_confirms_one_test_serves_the_search_for_another() -> None:
    """The tip without 8 is the prefix of 7: it is not run twice."""
    world = a_world(a=breaks(8), b=breaks(5))
    told = [Sighting(members=world.tip[:size], outcomes={"a": PASSES}) for size in range(8)]
    ends = [Sighting(members=tree, outcomes={"b": seen}) for tree, seen in [((), PASSES), (world.tip, FAILS)]]
    answer = search(asked(world), [*told, *ends, Sighting(members=world.tip, outcomes={"a": FAILS})], 20)
    assert isinstance(answer, Next)
    first, *others = [step for step in answer.steps if step.members == world.tip[:7]]
    assert first.tests == ("a", "b")
    assert {step.tests for step in others} == {("a",)}


def test_no_slot_no_step() -> None:
    answer = search(asked(a_world(t=breaks(5))), [], 0)
    assert answer == Next(steps=(), dropped=())


CHANCES = st.randoms(use_true_random=False)


@given(
    size=st.integers(1, 12),
    slots=st.integers(1, 5),
    confirm_count=st.integers(1, 3),
    chance=CHANCES,
)
def test_every_search_ends_and_names_who_broke_it(size: int, slots: int, confirm_count: int, chance: Any) -> None:
    members = range(1, size + 1)
    causes = {
        f"t{number}": tuple(frozenset(chance.sample(members, chance.choice([1, 1, min(2, size)]))) for _ in range(1))
        for number in range(chance.randint(1, 4))
    }
    suspects = {test: chance.choice(members) for test in causes if chance.random() < 0.5}
    world = World(size=size, causes=causes)
    story = searched(world, asked(world, suspects, confirm_count=confirm_count), slots)
    assert isinstance(story.answer, Culprits)
    assert {blame.test for blame in story.answer.blames} == set(causes)
    for blame in story.answer.blames:
        (cause,) = causes[blame.test]
        assert blame.issue in cause
        assert len(cause) == 1 or blame.partner is None or {blame.issue, blame.partner} == cause
    left = tuple(member for member in world.tip if member not in story.answer.issues)
    assert not any(cause <= set(left) for (cause,) in causes.values())


@given(size=st.integers(1, 10), slots=st.integers(1, 5), flakes=st.floats(0, 1), chance=CHANCES)
def test_every_search_ends_whatever_is_seen(size: int, slots: int, flakes: float, chance: Any) -> None:
    """Any outcome may come from any run: it ends, and names nobody who is not in the batch."""
    tests = tuple("abc"[: chance.randint(1, 3)])
    wild = Question(
        members=tuple(range(1, size + 1)),
        tests=tests,
        suspicions={"a": Suspicion(issue=chance.randint(1, size), method=Method.PATHS)},
    )
    told: list[Sighting] = []
    while isinstance(answer := search(wild, told, slots), Next):
        for step in answer.steps:
            usual = FAILS if len(step.members) > size // 2 else PASSES
            outcomes = {test: chance.choice(list(Outcome)) if chance.random() < flakes / 4 else usual for test in tests}
            told.append(Sighting(members=step.members, outcomes=outcomes))
        assert len(told) <= 60 * size + 60
    if isinstance(answer, Culprits):
        assert answer.issues <= set(wild.members)
