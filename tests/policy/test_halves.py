"""How a batch is cut in two."""

from gitsched.domain.words import MemberStatus
from gitsched.policy.halves import halves, is_to_be_split
from tests.policy.situations import a_batch, a_member


def cut(*issues: int, groups: tuple[tuple[int, ...], ...] = (), **deps: tuple[int, ...]) -> list[list[int]] | None:
    """Cut landed members, in this order, and name the halves."""
    members = [
        a_member(issue, MemberStatus.LANDED, index=at, deps=deps.get(f"of_{issue}", ()))
        for at, issue in enumerate(issues, start=1)
    ]
    found = halves(a_batch(*issues, groups=groups), members)
    return None if found is None else [[member.issue for member in half] for half in found]


def test_members_are_cut_in_the_middle_in_their_order() -> None:
    assert cut(4, 1, 3, 2) == [[4, 1], [3, 2]]
    assert cut(1, 2, 3) == [[1, 2], [3]]
    assert cut(1, 2) == [[1], [2]]


def test_what_belongs_together_stays_together() -> None:
    """A group, and members that depend on one another; who has left is no tie, nor is a dependency outside."""
    assert cut(1, 2, 3, 4, groups=((2, 3),)) == [[1, 2, 3], [4]]
    assert cut(1, 2, 3, 4, of_4=(1,)) == [[1, 4], [2, 3]]
    assert cut(1, 2, 3, groups=((2, 9), (8, 9)), of_3=(7,)) == [[1, 2], [3]]


def test_one_piece_is_not_cut() -> None:
    assert cut(1) is None
    assert cut() is None
    assert cut(1, 2, 3, groups=((1, 2), (2, 3))) is None


def test_the_first_conflict_is_met_by_a_rebase_and_the_second_by_a_cut() -> None:
    assert not is_to_be_split(a_batch(1, conflicts_met=1))
    assert is_to_be_split(a_batch(1, conflicts_met=2))
