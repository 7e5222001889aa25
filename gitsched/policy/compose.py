"""Compose: which batch issues become members of, and in what order.

1. A single issue, and every issue of a call that says so, stands alone: its solo batch is made when it is dispatched.
2. Several issues form one new batch; a named batch is joined, or made where there is none.
3. A member stands after the members it depends on; beyond that the order is the one that was given.
4. Groups that share a member are one group.

See docs/reference/states.md, "Member".
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from gitsched.domain.ids import marked
from gitsched.domain.records import Batch, Member
from gitsched.domain.state import State
from gitsched.domain.words import LEFT_MEMBERS


class Alone(Struct, frozen=True):
    """Each issue is an entry of its own."""


class NewBatch(Struct, frozen=True):
    """They are the first members of a batch that is made for them."""

    batch: str


class Join(Struct, frozen=True):
    """They are appended to a batch that is there."""

    batch: str


Placement = Alone | NewBatch | Join


def placement(state: State, batch: str | None, *, together: bool, mark: str = "") -> Placement:
    """Say where issues go; `together` when they are meant to share a batch that nobody has named."""
    if batch is not None:
        return Join(batch) if batch in state.batches else NewBatch(batch)
    return NewBatch(batch_id(next_number(state, mark), mark)) if together else Alone()


def next_number(state: State, mark: str = "") -> int:
    """Find the number of the next batch that is named by itself; one that a person has taken is passed over."""
    number = state.control.next_batch
    while batch_id(number, mark) in state.batches:
        number += 1
    return number


def batch_id(number: int, mark: str = "") -> str:
    """Name the batch of a number; `mark` is that of a clone that works apart from others."""
    return marked(f"b{number}", mark)


def member_order(issues: Sequence[int], deps: Mapping[int, Iterable[int]]) -> tuple[int, ...]:
    """Order issues so that each stands after those it depends on, and else as given. There must be no cycle."""
    ordered: list[int] = []
    inside = set(issues)

    def place(issue: int) -> None:
        if issue in ordered:
            return
        for dep in sorted(inside.intersection(deps.get(issue, ())), key=issues.index):
            place(dep)
        ordered.append(issue)

    for issue in issues:
        place(issue)
    return tuple(ordered)


def merged_groups(groups: Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    """Join groups that share a member; each group and the list of them in rising order."""
    merged: list[set[int]] = []
    for group in groups:
        touching = [known for known in merged if known.intersection(group)]
        merged = [known for known in merged if known not in touching]
        merged.append(set(group).union(*touching))
    return tuple(sorted(tuple(sorted(group)) for group in merged))


def group_with(groups: Iterable[tuple[int, ...]], issue: int) -> tuple[int, ...]:
    """Give the group that an issue is in; empty when it is in none."""
    return next((group for group in groups if issue in group), ())


def present(state: State, batch: Batch) -> tuple[Member, ...]:
    """List the members of a batch that have not left it."""
    return tuple(member for member in state.members_of(batch) if member.status not in LEFT_MEMBERS)


def stated_target(state: State, batch: Batch) -> str | None:
    """Give the target that somebody named for a batch; None when it has the configured one by default."""
    rows = (state.entries.get(member.issue) for member in present(state, batch))
    return next((row.target for row in rows if row is not None and row.target is not None), None)
