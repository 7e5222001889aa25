"""Which candidate comes first."""

from msgspec.structs import replace

from gitsched.domain.records import Spawned
from gitsched.policy.order import Candidate, is_aged, rank
from tests.policy.situations import NOW, a_batch, a_member, a_state, an_entry, at, settings


def test_priority_then_age_then_number() -> None:
    """Higher priority first, then whoever has been ready longer, then the lower number."""
    low, old, young, twin = (
        Candidate(entry=an_entry(1, priority=0)),
        Candidate(entry=an_entry(2, priority=5, updated_at=at(1))),
        Candidate(entry=an_entry(3, priority=5, updated_at=at(2))),
        Candidate(entry=an_entry(4, priority=5, updated_at=at(2))),
    )
    assert rank([low, twin, young, old]) == [old, young, twin, low]


def test_a_member_has_its_batchs_priority_and_goes_by_its_index() -> None:
    """R-07: a batch's members stand before an older solo issue of lower priority, in member order."""
    first, second = a_member(2, index=1, updated_at=at(5)), a_member(1, index=2, updated_at=at(5))
    batch = a_batch(1, 2)
    members = [Candidate(entry=an_entry(m.issue), batch=batch, member=m) for m in (second, first)]
    solo = Candidate(entry=an_entry(5, updated_at=at(0)))
    assert [candidate.issue for candidate in rank([solo, *members])] == [2, 1, 5]
    assert [candidate.issue for candidate in rank([Candidate(entry=an_entry(5, priority=20)), *members])] == [5, 2, 1]


def test_an_aged_candidate_stands_before_all() -> None:
    """Whatever its priority."""
    aged = Candidate(entry=an_entry(9, priority=-5), is_aged=True)
    assert rank([Candidate(entry=an_entry(1, priority=99)), aged])[0] is aged


def test_r_09_twenty_overtakings_age() -> None:
    """R-09: 20 spawns of issues that became ready later age a candidate; 19 do not, nor do spawns of older ones."""
    config = settings()
    later = [Spawned(issue=n, ready_at=at(10), at=at(11)) for n in range(20)]
    state = a_state()
    full = state.put(replace(state.control, spawned=tuple(later)))
    assert is_aged(full, (at(5), 50), config, at(12))
    assert not is_aged(state.put(replace(state.control, spawned=tuple(later[1:]))), (at(5), 50), config, at(12))
    assert not is_aged(full, (at(20), 50), config, at(21))


def test_one_overtaking_long_ago_ages() -> None:
    """`overtaken_for` after the first overtaking."""
    state = a_state()
    once = state.put(replace(state.control, spawned=(Spawned(issue=1, ready_at=at(10), at=at(11)),)))
    assert is_aged(once, (at(5), 50), settings('[admission]\novertaken_for = "30m"\n'), NOW)
    assert not is_aged(once, (at(5), 50), settings('[admission]\novertaken_for = "2h"\n'), NOW)


def test_who_came_in_the_same_millisecond_overtakes_by_its_number() -> None:
    """A-12: two that became ready within one instant stand in the order of their issues, and so do they overtake."""
    state = a_state()
    config = settings("[admission]\novertaken = 1\n")
    beside = state.put(replace(state.control, spawned=(Spawned(issue=3, ready_at=at(5), at=at(5)),)))
    assert is_aged(beside, (at(5), 2), config, at(5))
    assert not is_aged(beside, (at(5), 3), config, at(5))
    assert not is_aged(beside, (at(5), 4), config, at(5))
    assert not is_aged(beside, (at(6), 2), config, at(6))
