"""When dispatch as a whole is sick, and how that ends."""

from msgspec.structs import replace

from gitsched.domain.dispatch_effects import EndPause
from gitsched.domain.records import Control
from gitsched.domain.words import MemberStatus, RunStatus
from gitsched.policy.health import (
    after_early_exit,
    after_ending,
    after_provider_error,
    ending,
    endings_at,
    healthy,
    is_limited,
    is_paused_by_operator,
    stops_everything,
)
from gitsched.policy.plan import plan
from gitsched.policy.settle import ProviderTrouble
from tests.policy.situations import NOW, a_batch, a_lease, a_member, a_situation, a_state, an_entry, at

WELL = Control()
OVERLOADED = ProviderTrouble(status="529", resets_at=None, is_usage_limit=False)
LIMIT = ProviderTrouble(status="429", resets_at=at(90), is_usage_limit=True)
UNSTATED = ProviderTrouble(status="429", resets_at=None, is_usage_limit=True)


def test_r_48_two_issues_in_a_row_pause() -> None:
    """R-48: one issue alone never does; nor does an exit long after its spawn; a verified completion resets."""
    first, none = after_early_exit(WELL, 4, at(59), NOW)
    assert none == ()
    again, none = after_early_exit(first, 4, at(59), NOW)
    third, none = after_early_exit(again, 4, at(59), NOW)
    assert (none, third.paused) == ((), False)
    sick, names = after_early_exit(third, 5, at(59), NOW)
    assert (names, sick.paused, sick.pause_reason, sick.paused_by) == ((4, 5), True, "dispatch-unhealthy", "engine")
    assert after_early_exit(first, 5, at(58), NOW) == (first, ())
    well_again = replace(first, **healthy())
    assert after_early_exit(well_again, 5, at(59), NOW)[1] == ()
    paused = replace(first, paused=True, paused_by="operator")
    assert after_early_exit(paused, 5, at(59), NOW)[1] == ()


def test_r_45_a_usage_limit_stops_its_own_profile() -> None:
    """R-45: at once; the second error in a row pauses with the reset, and still only that profile starts nothing."""
    first = after_provider_error(WELL, "fake", LIMIT, NOW)
    assert (first.paused, first.limited) == (False, {"fake": at(90)})
    second = after_provider_error(first, "fake", LIMIT, NOW)
    assert (second.paused, second.pause_reason, second.resets_at) == (True, "dispatch-unhealthy", at(90))
    assert not stops_everything(second)
    assert is_limited(second, "fake", NOW)
    assert not is_limited(second, "other", NOW)
    assert not is_limited(second, "fake", at(90))
    assert ending(second, NOW) is None
    assert endings_at(second) == (at(90),)
    over = ending(second, at(90))
    assert over == EndPause(("fake",), False)
    assert after_ending(second, over) == WELL


def test_a_pause_that_another_profile_needs_stays() -> None:
    """Two profiles are limited; the first reset lets one of them go."""
    both = replace(after_provider_error(after_provider_error(WELL, "a", LIMIT, NOW), "b", LIMIT, NOW))
    later = replace(both, limited={"a": at(70), "b": at(90)})
    over = ending(later, at(70))
    assert over is not None
    left = after_ending(later, over)
    assert (left.limited, left.paused) == ({"b": at(90)}, True)


def test_trouble_without_a_reset_is_tried_again() -> None:
    """Two errors in a row stop everything for half an hour; then the next one alone pauses again."""
    first = after_provider_error(WELL, "fake", OVERLOADED, NOW)
    assert (first.paused, first.provider_errors, first.probe_at) == (False, 1, None)
    second = after_provider_error(first, "other", OVERLOADED, NOW)
    assert stops_everything(second)
    assert (second.probe_at, second.resets_at, second.limited) == (at(90), None, {})
    assert not is_paused_by_operator(second)
    probe = ending(second, at(90))
    assert probe == EndPause((), True)
    tried = after_ending(second, probe)
    assert (tried.paused, tried.provider_errors, tried.probe_at) == (False, 1, None)
    assert after_provider_error(tried, "fake", OVERLOADED, at(90)).paused


def test_a_limit_whose_end_nobody_stated_is_tried_again_too() -> None:
    """It binds its profile until then, without any pause at first."""
    first = after_provider_error(WELL, "fake", UNSTATED, NOW)
    assert (first.limited, first.probe_at, first.paused) == ({"fake": None}, at(90), False)
    assert is_limited(first, "fake", at(200))
    probe = ending(first, at(90))
    assert probe is not None
    assert after_ending(first, probe).limited == {}
    paused = after_provider_error(first, "fake", UNSTATED, NOW)
    assert (paused.paused_by, paused.resets_at) == ("provider", None)
    assert not after_ending(paused, probe).paused


def test_an_operator_s_pause_is_nobody_else_s_to_end() -> None:
    """Errors are counted meanwhile; limits end."""
    paused = Control(paused=True, paused_by="operator", pause_reason="lunch", provider_errors=1)
    counted = after_provider_error(paused, "fake", LIMIT, NOW)
    assert (counted.pause_reason, counted.provider_errors, counted.limited) == ("lunch", 2, {"fake": at(90)})
    assert is_paused_by_operator(counted)
    assert after_ending(counted, EndPause(("fake",), True)).paused
    assert endings_at(paused) == ()


def test_a_driver_waits_for_the_end_of_a_pause_that_somebody_needs() -> None:
    """The plan ends what is over, and wakes for what will be; a pause that holds nobody is not waited for."""
    limited = {"limited": {"fake": at(90)}}
    assert plan(a_situation(a_state(an_entry(1), **limited))).wake_after_s == 1800
    assert plan(a_situation(a_state(**limited))).wake_after_s is None
    paused = {"paused": True, "paused_by": "engine", "probe_at": at(70)}
    assert plan(a_situation(a_state(an_entry(1), **paused))).wake_after_s == 600
    over = plan(a_situation(a_state(an_entry(1), **paused), now=at(70))).effects
    assert over[0] == EndPause((), True)
    held = a_member(1, MemberStatus.PREPARING, gen=1)
    lease = a_lease(1, RunStatus.RECOVERING, gen=1, not_before_at=at(61))
    waiting = plan(a_situation(a_state(a_batch(1), held, lease, **paused)))
    assert (waiting.effects, waiting.wake_after_s) == ((), 60)
    due = plan(a_situation(a_state(a_batch(1), held, replace(lease, not_before_at=at(10)), **paused)))
    assert (due.effects, due.wake_after_s) == ((), 600)
    stopped = plan(a_situation(a_state(a_batch(1), held, replace(lease, not_before_at=None), **limited)))
    assert stopped.effects == ()
