"""What waits for what, and what can never come."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.domain.forge import Issue
from gitsched.domain.words import Dispatch, EntryStatus, MemberStatus
from gitsched.policy.depend import blocked_by, dispatch_of, failed_below, find_cycle, levels, needs_head
from tests.policy.situations import a_batch, a_member, a_state, an_entry


def test_a_dependency_that_is_nowhere_blocks_until_it_is_known() -> None:
    """R-05: in no queue and open, unknown, or closed as not planned: `dep-missing`; completed: satisfied."""
    entry = an_entry(9, deps=(404,))
    state = a_state(entry)
    assert blocked_by(state, entry, {}) == "dep-missing:404"
    assert blocked_by(state, entry, {404: Issue(number=404, title="x")}) == "dep-missing:404"
    closed = Issue(number=404, title="x", is_open=False, as_not_planned=True)
    assert blocked_by(state, entry, {404: closed}) == "dep-missing:404"
    assert blocked_by(state, entry, {404: Issue(number=404, title="x", is_open=False)}) is None
    assert blocked_by(state.put(an_entry(404)), entry, {}) is None


@pytest.mark.parametrize("status", [EntryStatus.FAILED, EntryStatus.STOPPED])
def test_a_failed_dependency_blocks_through_others(status: EntryStatus) -> None:
    """R-52: 6 depends on 5 depends on 4, which failed."""
    five, six = an_entry(5, deps=(4,)), an_entry(6, deps=(5,))
    state = a_state(an_entry(4, status), five, six)
    assert blocked_by(state, five, {}) == "dep-failed:4"
    assert blocked_by(state, six, {}) == "dep-failed:4"
    healed = state.put(an_entry(4, EntryStatus.SHIPPED))
    assert blocked_by(healed, six, {}) is None


def test_hopelessness_ends_at_what_is_met_and_does_not_run_in_circles() -> None:
    """A met dependency hides what it had depended on; a circle by itself is not hopeless."""
    state = a_state(
        an_entry(1, EntryStatus.FAILED),
        an_entry(2, EntryStatus.DONE, deps=(1,)),
        an_entry(3, deps=(2,)),
        an_entry(4, deps=(5,)),
        an_entry(5, deps=(4,)),
    )
    assert not failed_below(state, state.entries[3])
    assert not failed_below(state, state.entries[4])


def test_a_cycle_is_named_whole() -> None:
    """5 → 6 → 7 → 5."""
    assert find_cycle({5: [6], 6: [7], 7: [5], 8: [5]}) == [5, 6, 7, 5]
    assert find_cycle({1: [2, 3], 2: [3], 3: []}) is None


@given(st.dictionaries(st.integers(1, 8), st.lists(st.integers(1, 8), max_size=3), max_size=8))
def test_a_named_cycle_is_one(deps: dict[int, list[int]]) -> None:
    """Each issue of it depends on the next, and a graph without one has an order."""
    cycle = find_cycle(deps)
    if cycle is None:
        left = dict(deps)
        while left:
            free = [issue for issue, needs in left.items() if not set(needs) & set(left)]
            assert free, "no order exists, and no cycle was found"
            for issue in free:
                del left[issue]
    else:
        assert cycle[0] == cycle[-1]
        assert all(after in deps[before] for before, after in pairwise(cycle))


def test_levels_follow_dependencies_inside_the_batch() -> None:
    """Outside ones do not count, and a circle ends."""
    members = (a_member(1), a_member(2, deps=(1, 99)), a_member(3, deps=(2,)), a_member(4, deps=(4,)))
    assert levels(members) == {1: 0, 2: 1, 3: 2, 4: 0}


def test_r_12_what_makes_a_batch_serial() -> None:
    """R-12: a parallelism of one, a group, a dependency inside; one member alone never is."""
    plain = (a_member(1), a_member(2))
    assert dispatch_of(plain, a_batch(1, 2), 4) is Dispatch.PARALLEL
    assert dispatch_of(plain, a_batch(1, 2), 1) is Dispatch.SERIAL
    assert dispatch_of(plain[:1], a_batch(1), 1) is Dispatch.PARALLEL
    assert dispatch_of(plain, a_batch(1, 2, groups=((1, 2),)), 4) is Dispatch.SERIAL
    assert dispatch_of((a_member(1), a_member(2, deps=(1,))), a_batch(1, 2), 4) is Dispatch.SERIAL
    assert dispatch_of((a_member(1), a_member(2, deps=(9,))), a_batch(1, 2), 4) is Dispatch.PARALLEL


def test_r_13_who_is_cut_from_the_head() -> None:
    """R-13, A-33: serial ones, those that depend, overlap with an earlier one, or conflicted before."""
    one, two = a_member(1, files=("a/**",)), a_member(2, MemberStatus.WAITING, files=("b",))
    parallel = a_batch(1, 2)
    assert not needs_head(parallel, two, (one, two))
    assert needs_head(a_batch(1, 2, dispatch=Dispatch.SERIAL), two, (one, two))
    assert needs_head(parallel, a_member(2, deps=(1,)), (one, two))
    assert needs_head(parallel, a_member(2, files=("a/x",)), (one, two))
    assert not needs_head(parallel, one, (one, a_member(2, files=("a/x",))))
    assert needs_head(parallel, a_member(2, retries={"conflict": 1}), (one, two))
