"""Which batch, and in what order."""

from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from gitsched.domain.records import Batch, Control, Integration
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind, BatchStatus
from gitsched.policy.compose import (
    Alone,
    Join,
    NewBatch,
    group_with,
    member_order,
    merged_groups,
    placement,
)


def with_batches(*names: str, next_batch: int = 1) -> State:
    batches = {
        name: Batch(
            id=name,
            kind=BatchKind.BATCH,
            status=BatchStatus.FORMING,
            target="main",
            integration=Integration(branch=f"gitsched/{name}/integration"),
        )
        for name in names
    }
    return State(control=Control(next_batch=next_batch), batches=Map(batches))


def test_where_issues_go() -> None:
    state = with_batches("b1", "b2", "night", next_batch=1)
    assert placement(state, None, together=False) == Alone()
    assert placement(state, None, together=True) == NewBatch("b3")
    assert placement(state, "night", together=False) == Join("night")
    assert placement(state, "day", together=True) == NewBatch("day")


def test_a_dependency_stands_before_its_dependent_and_the_rest_as_given() -> None:
    assert member_order([3, 1, 2], {3: [2], 2: [9]}) == (2, 3, 1)
    assert member_order([1, 2, 3], {1: [3, 2]}) == (2, 3, 1)
    assert member_order([5, 4], {}) == (5, 4)


@given(st.permutations(range(1, 8)), st.sets(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=12))
def test_the_order_keeps_every_dependency(issues: list[int], pairs: set[tuple[int, int]]) -> None:
    deps: dict[int, list[int]] = {}
    for one, other in pairs:
        if one != other:
            deps.setdefault(max(one, other), []).append(min(one, other))
    order = member_order(issues, deps)
    assert sorted(order) == sorted(issues)
    assert all(order.index(dep) < order.index(issue) for issue, found in deps.items() for dep in found)


def test_groups_that_share_a_member_are_one() -> None:
    assert merged_groups([(2, 1), (4, 5), (2, 3)]) == ((1, 2, 3), (4, 5))
    assert merged_groups([(1, 2), (3, 4), (4, 1)]) == ((1, 2, 3, 4),)
    assert group_with(((1, 2), (4, 5)), 4) == (4, 5)
    assert group_with((), 4) == ()
