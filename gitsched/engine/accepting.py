"""Accepting a merge: what follows for a batch, its members and their rows once the target provably holds its work."""

from msgspec.structs import replace

from gitsched.domain.counting import how_many
from gitsched.domain.events import EventName
from gitsched.domain.ids import BATCH_NOTES
from gitsched.domain.records import PullRequest
from gitsched.domain.state import Draft, Note
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.situation import landed
from gitsched.view.notes import batch_note


def accept_work(draft: Draft, batch: str, head: str, request: PullRequest | None, proof: str) -> None:
    """Record that a batch's work is in its target; one that is neither waiting for that nor blocked is left alone.

    `request` is its pull request as merged; a person may have brought the work in without any.
    """
    now = draft.state.batches[batch]
    if now.status not in (BatchStatus.AWAITING_MERGE, BatchStatus.BLOCKED):
        return
    merged = replace(now, status=BatchStatus.MERGED, reason=None, pr=request, updated_at=draft.at)
    members = landed(draft.state.members_of(now))
    shipped = [replace(m, status=MemberStatus.SHIPPED, updated_at=draft.at) for m in members]
    entries = [
        replace(entry, status=EntryStatus.SHIPPED, reason=None, updated_at=draft.at)
        for member in members
        if (entry := draft.state.entries.get(member.issue)) is not None and entry.status is not EntryStatus.SHIPPED
    ]
    draft.notes.append(Note(BATCH_NOTES, head, batch_note(draft.state, merged)))
    draft.note(
        EventName.MERGE_ACCEPTED,
        f"{now.id} has merged into {now.target} with {how_many(len(members), 'member')}: {proof}",
        merged,
        *shipped,
        *entries,
        batch=now.id,
        pr=request.number if request is not None else None,
        head=head,
        proof=proof,
        merge_commit=request.merge_commit if request is not None else None,
    )
