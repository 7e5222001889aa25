"""An empty plan holds until something is another, and no longer than it says."""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.words import MemberStatus
from gitsched.engine.planning import HOLDS_S, Planner
from gitsched.policy.situation import Situation
from tests.policy.situations import a_batch, a_lease, a_look, a_member, a_situation, a_state, an_entry

BEGUN_S = 100.0


def working(**facts: Any) -> Situation:
    """One member at work, whose run is looked at; nothing is to be done."""
    state = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1))
    return a_situation(state, runs={("b1", 1): a_look()}, **facts)


def moved(situation: Situation, **facts: Any) -> Situation:
    return replace(situation, facts=replace(situation.facts, **facts))


def test_it_is_planned_once_while_nothing_changes() -> None:
    planner, situation = Planner(), working()
    first = planner.plan(situation, BEGUN_S)
    assert not first.effects
    again = planner.plan(moved(situation, now=situation.facts.now), BEGUN_S)
    assert again.waits is first.waits


def test_what_is_left_of_a_wait_is_told() -> None:
    planner, situation = Planner(), working(silent_s={("b1", 1): 0.0})
    first = planner.plan(situation, BEGUN_S)
    assert first.wake_after_s is not None
    assert planner.plan(situation, BEGUN_S + 5).wake_after_s == first.wake_after_s - 5


def test_it_is_planned_again_for_another_look() -> None:
    planner, situation = Planner(), working()
    first = planner.plan(situation, BEGUN_S)
    other = moved(situation, runs={("b1", 1): a_look(output_at=situation.facts.now)})
    assert planner.plan(other, BEGUN_S).waits is not first.waits


def test_it_is_planned_again_for_another_state() -> None:
    planner, situation = Planner(), working()
    planner.plan(situation, BEGUN_S)
    other = replace(situation, state=situation.state.put(an_entry(7)))
    assert planner.plan(other, BEGUN_S).effects


def test_it_is_planned_again_when_time_has_passed() -> None:
    planner, situation = Planner(), working()
    first = planner.plan(situation, BEGUN_S)
    assert planner.plan(situation, BEGUN_S + HOLDS_S).waits is not first.waits


def test_a_plan_with_effects_is_not_remembered() -> None:
    planner = Planner()
    situation = a_situation(a_state(an_entry(7)))
    assert planner.plan(situation, BEGUN_S).waits is not planner.plan(situation, BEGUN_S).waits
