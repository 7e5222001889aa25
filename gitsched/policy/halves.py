"""Halves: how a batch is cut in two whose pull request conflicts again.

1. Members in their order; groups, and members that depend on one another, stay together.
2. The first half takes whole pieces until it holds half of the members or more; what cannot be cut is not.

See docs/explanation/gating.md, "When too much is wrong".
"""

from collections.abc import Iterator, Sequence

from gitsched.domain.records import Batch, Member
from gitsched.policy.compose import merged_groups

CONFLICTS_AT_MOST = 1
"""So often a pull request that conflicts is rebased; then its batch is cut in two."""


def is_to_be_split(batch: Batch) -> bool:
    """Say whether the pull request has conflicted too often to be rebased once more."""
    return batch.conflicts_met > CONFLICTS_AT_MOST


def halves(batch: Batch, members: Sequence[Member]) -> tuple[tuple[Member, ...], tuple[Member, ...]] | None:
    """Cut landed members in two, each half in member order; None where they are one piece."""
    pieces = sorted(_pieces(batch, members), key=lambda piece: piece[0].index)
    first: list[Member] = []
    while len(pieces) > 1 and 2 * len(first) < len(members):
        first += pieces.pop(0)
    if not first:
        return None
    return _in_order(first), _in_order([member for piece in pieces for member in piece])


def _in_order(members: list[Member]) -> tuple[Member, ...]:
    return tuple(sorted(members, key=lambda member: member.index))


def _pieces(batch: Batch, members: Sequence[Member]) -> Iterator[list[Member]]:
    """Yield the members that stay together, each piece in member order."""
    inside = {member.issue for member in members}
    bound = [(member.issue, *(dep for dep in member.deps if dep in inside)) for member in members]
    together = [tuple(issue for issue in group if issue in inside) for group in batch.groups]
    for piece in merged_groups([*bound, *filter(None, together)]):
        yield [member for member in members if member.issue in piece]
