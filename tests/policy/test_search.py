"""The search for a culprit: what it asks for, how runs are shared, and when it ends."""

from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.domain.words import Method
from gitsched.policy.inquiry import Blame, Suspicion
from gitsched.policy.search import CannotDiscriminate, Culprits, Dropped, Next, OnlyFlaky, Question, search
from gitsched.policy.sightings import Outcome, Sighting
from gitsched.policy.steps import Purpose, Step
from tests.policy.breakage import FAILS, FLAKY, PASSES, World, a_world, asked, breaks, searched, without


def test_one_slot_takes_three_steps_to_one_of_eight() -> None:
    """V-17: no evidence, one free slot, culprit 5."""
    world = a_world(t=breaks(5))
    story = searched(world)
    assert isinstance(story.answer, Culprits)
    assert story.answer.blames == (Blame(test="t", issue=5, method=Method.BISECT),)
    assert story.trees(Purpose.ORIGIN) == [(), world.tip]
    assert story.trees(Purpose.PROBE) == [(1, 2, 3, 4), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5)]


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


def test_a_dropped_suspicion_is_told_while_the_search_goes_on() -> None:
    world = a_world(t=breaks(6))
    question = asked(world, {"t": 8})
    told = [Sighting(members=tree, outcomes={"t": seen}) for tree, seen in [((), PASSES), (world.tip, FAILS)]]
    answer = search(question, [*told, Sighting(members=without(world, 8), outcomes={"t": FAILS})], 1)
    assert isinstance(answer, Next)
    assert answer.dropped == (Dropped("t", 8),)
    assert answer.steps[0].purpose is Purpose.PROBE


def test_two_culprits_with_a_test_each_are_found_in_one_search() -> None:
    """V-22: runs serve both, each is confirmed by itself."""
    world = a_world(a=breaks(2), b=breaks(7))
    story = searched(world, slots=2)
    assert story.blames == {"a": 2, "b": 7}
    shared = [step for step in story.steps if step.purpose is Purpose.PROBE and step.tests == ("a", "b")]
    assert shared
    confirmed = story.trees(Purpose.CONFIRM)
    assert confirmed.count(without(world, 2)) == confirmed.count(without(world, 7)) == 3


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


def test_a_flaky_test_that_fails_at_the_tip_every_time_is_heard_once_more() -> None:
    """One red by chance at prefix 4 leads astray; run again it is clearly good, and the search goes on to 5."""
    world = World(causes={"t": breaks(5)}, chance=lambda step, _test: len(step.members) == 4 and step.attempt == 1)
    story = searched(world)
    assert story.blames == {"t": 5}
    assert isinstance(story.answer, Culprits)
    assert story.answer.flaky == ()
    seen = [one.outcomes["t"] for one in story.told if one.members == (1, 2, 3, 4)]
    assert seen == [FAILS, PASSES, PASSES, PASSES]


def test_a_test_that_stays_in_doubt_blames_nobody() -> None:
    world = World(causes={"t": breaks(5)}, chance=lambda step, _test: len(step.members) == 4 and step.attempt % 2 == 1)
    story = searched(world)
    assert story.answer == OnlyFlaky(flaky=("t",))
    assert len([tree for tree in story.trees(Purpose.CONFIRM) if len(tree) == 4]) <= 13


def test_one_that_a_record_calls_flaky_or_that_contradicts_itself_at_an_end_is_not_heard() -> None:
    """V-10: also when it was red more often than green."""
    world = a_world(t=breaks(5))
    ends = [Sighting(members=tree, outcomes={"t": seen}) for tree, seen in [((), PASSES), (world.tip, FAILS)]]
    for tree, outcomes in (((1,), [FLAKY]), ((), [FAILS]), (world.tip, [FAILS, PASSES])):
        told = [*ends, *(Sighting(members=tree, outcomes={"t": outcome}) for outcome in outcomes)]
        assert search(asked(world), told, 1) == OnlyFlaky(flaky=("t",))


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


def one_in_twenty(batch: int) -> Callable[[Step, str], bool]:
    return lambda step, test: crc32(f"{batch}/{step.members}/{step.attempt}/{test}".encode()) % 20 == 0


def test_a_test_that_fails_by_chance_evicts_nobody() -> None:
    """V-11: 1 run in 20, no culprit among 8 members, 50 batches whose suite was red."""
    for batch in range(50):
        story = searched(World(causes={"t": ()}, chance=one_in_twenty(batch)), slots=2)
        assert isinstance(story.answer, OnlyFlaky | CannotDiscriminate)


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
