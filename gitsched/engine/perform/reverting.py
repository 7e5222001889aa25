"""Reverting: take the commits of members that left back by commits on top, where the branch is never moved back."""

from msgspec import Struct

from gitsched.domain.batches import Segment
from gitsched.domain.landing import Conflict, Decoration, Terms
from gitsched.domain.records import Batch, Member
from gitsched.engine.desk import Desk
from gitsched.engine.perform.landing import Stopped


class TakenBack(Struct, frozen=True, kw_only=True):
    """The branch with commits on top that undo others."""

    head: str
    beside: tuple[Segment, ...]


def take_back(desk: Desk, batch: Batch, leaving: tuple[Member, ...], wanted: str) -> TakenBack | Stopped:
    """Undo the commits of these members, newest first; `wanted` is a commit with the tree that must come of it.

    Nothing moves, and where a revert conflicts nothing of it counts.
    """
    head, beside = batch.integration.head or "", list[Segment]()
    for member in reversed(leaving):
        onto, landed = member.landed_from or "", member.landed or ""
        commits = desk.around.lander.commits(onto, landed)[::-1]
        trailers = (("Gitsched-Batch", batch.id), ("Gitsched-Reverts", str(member.issue)))
        terms = Terms(
            committer=desk.committer(member.updated_at or batch.created_at),
            decoration=Decoration(member.issue, trailers),
        )
        answer = desk.around.lander.revert(commits, head, terms)
        if isinstance(answer, Conflict):
            return Stopped("evict-conflict", f"reverting issue {member.issue} conflicts in {', '.join(answer.paths)}")
        beside.append(Segment(issue=member.issue, kind="undone", start=onto, end=landed))
        if answer.head != head:
            beside.append(Segment(issue=member.issue, kind="revert", start=head, end=answer.head))
        head = answer.head
    if desk.around.lander.tree_of(head) != desk.around.lander.tree_of(wanted):
        return Stopped("evict-conflict", "the reverts do not give what the members that stay give by themselves")
    return TakenBack(head=head, beside=tuple(beside))
