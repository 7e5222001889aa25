"""The replay of a history: everybody who was reverted is caught, and the search costs less than the other ways."""

import pytest

from gitsched.domain.past import Bill, PastMember
from gitsched.policy.backtest import WAYS, Terms, batches_of, replayed

TERMS = Terms(slots=2, confirm_count=3)


def a_history(count: int, reverts: dict[int, int]) -> list[PastMember]:
    """Give members 1..count; `reverts` maps the one that takes back to the one that is taken back."""
    return [
        PastMember(number=n, commit=f"{n:040x}", title=f"Change {n}", reverts=(reverts[n],) if n in reverts else ())
        for n in range(1, count + 1)
    ]


HISTORY = a_history(16, {12: 3, 14: 13})
"""3 breaks something that 12 takes back, in another batch; 13 and 14 stand in one batch of 4."""


@pytest.mark.parametrize("way", WAYS)
def test_a_history_without_a_revert_is_green(way: str) -> None:
    bill = replayed(a_history(8, {}), 4, WAYS[way], TERMS)
    assert (bill.suite_count, bill.step_count) == ((8, 0) if way == "one by one" else (2, 0))
    assert not bill.caught | bill.false


def test_the_search_catches_who_was_reverted_and_nobody_else() -> None:
    """I-16: runs and false evictions per policy, by the search that really runs."""
    bills = {name: replayed(HISTORY, 4, way, TERMS) for name, way in WAYS.items()}
    assert {name: sorted(bill.caught) for name, bill in bills.items()} == {
        "gitsched": [3],
        "one by one": [3, 13],
        "halves": [3],
        "all sent back": [3],
    }
    assert {name: sorted(bill.false) for name, bill in bills.items()} == {
        "gitsched": [],
        "one by one": [],
        "halves": [],
        "all sent back": [1, 2, 4],
    }
    assert [bills[name].suite_count for name in ("gitsched", "one by one", "all sent back")] == [5, 16, 4]
    assert bills["halves"].suite_count == 8
    assert bills["gitsched"].step_count > 0


def test_the_same_history_gives_the_same_numbers() -> None:
    """I-16: twice the same."""
    assert replayed(HISTORY, 8, WAYS["gitsched"], TERMS) == replayed(HISTORY, 8, WAYS["gitsched"], TERMS)


def test_a_break_counts_from_where_it_lands_to_its_revert() -> None:
    first, _, _, last = batches_of(HISTORY, 4)
    assert (first.failing((1, 2)), first.failing((1, 3))) == ((), (3,))
    assert (last.failing((13,)), last.failing((13, 14))) == ((13,), ())
    assert Bill(suite_count=1).plus(Bill(suite_count=2, false=frozenset({1}))) == Bill(
        suite_count=3, false=frozenset({1})
    )
