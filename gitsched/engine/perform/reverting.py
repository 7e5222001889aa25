"""Reverting: take the commits of members that left back by commits on top, where the branch is never moved back."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.batches import Segment
from gitsched.domain.landing import Conflict, Decoration, Terms
from gitsched.domain.records import Batch, Member
from gitsched.engine.computing import Stopped
from gitsched.engine.desk import Desk


class TakenBack(Struct, frozen=True, kw_only=True):
    """The branch with commits on top that undo others."""

    head: str
    beside: tuple[Segment, ...]


def take_back(desk: Desk, batch: Batch, leaving: tuple[Member, ...], wanted: str) -> TakenBack | Stopped:
    """Undo the commits of these members, newest first; `wanted` is a commit with the tree that must come of it.

    Nothing moves, and where a revert conflicts nothing of it counts.
    """
    gone = {member.issue: member for member in leaving}
    kept = tuple(one for one in batch.beside if not (one.kind == "fix" and one.issue in gone))
    fixes = [replace(one, kind="undone") for one in batch.beside if one not in kept]
    members = [
        Segment(issue=member.issue, kind="undone", start=member.landed_from or "", end=member.landed or "")
        for member in leaving
    ]
    head, reverts = batch.integration.head or "", list[Segment]()
    for piece in (*fixes[::-1], *members[::-1]):
        commits = desk.around.lander.commits(piece.start, piece.end)[::-1]
        answer = desk.around.lander.revert(commits, head, _terms(desk, batch, gone[piece.issue]))
        if isinstance(answer, Conflict):
            return Stopped("evict-conflict", f"reverting issue {piece.issue} conflicts in {', '.join(answer.paths)}")
        if answer.head != head:
            reverts.append(Segment(issue=piece.issue, kind="revert", start=head, end=answer.head))
        head = answer.head
    if desk.around.lander.tree_of(head) != desk.around.lander.tree_of(wanted):
        return Stopped("evict-conflict", "the reverts do not give what the members that stay give by themselves")
    return TakenBack(head=head, beside=(*kept, *members, *fixes, *reverts))


def _terms(desk: Desk, batch: Batch, member: Member) -> Terms:
    trailers = (("Gitsched-Batch", batch.id), ("Gitsched-Reverts", str(member.issue)))
    committer = desk.committer(member.updated_at or batch.created_at)
    return Terms(committer=committer, decoration=Decoration(member.issue, trailers))
