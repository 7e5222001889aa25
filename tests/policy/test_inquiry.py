"""Whom one failing test blames, and when it blames nobody."""

import pytest

from gitsched.domain.words import Method
from gitsched.policy.inquiry import Blame
from gitsched.policy.search import CannotDiscriminate, Culprits, Dropped, search
from gitsched.policy.sightings import Outcome, Sighting
from gitsched.policy.steps import Purpose
from tests.policy.breakage import ABSENT, BROKEN, PASSES, World, a_world, asked, breaks, searched, without


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
    assert story.trees(Purpose.CONFIRM).count((1, 2, 3, 4, 5)) == 4


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
