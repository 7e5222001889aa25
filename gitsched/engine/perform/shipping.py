"""Shipping: check that commits and members agree, open the pull request, merge it, and prove that it merged."""

from typing import assert_never

from msgspec.structs import replace

from gitsched.domain.effects import AcceptMerge, CloseRequest, Merge, OpenRequest, Review
from gitsched.domain.events import EventName
from gitsched.domain.forge import Merged, MergeRefused, PullRequestView, TargetCheckedOut, TargetMoved
from gitsched.domain.ids import BATCH_NOTES, branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, PullRequest
from gitsched.domain.state import Draft, Note
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, PullRequestState
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.standing import branch_tip
from gitsched.engine.story import batch_story
from gitsched.errors import BusyError
from gitsched.policy.dissolve import is_passed
from gitsched.policy.ship import mismatch
from gitsched.policy.situation import landed
from gitsched.view.comments import request_marker
from gitsched.view.notes import batch_note
from gitsched.view.pull_request import render_body, render_title


def review(effect: Review, desk: Desk) -> None:
    """Check that the integration branch holds the landed members' commits and nobody else's."""
    batch = desk.state.batches[effect.batch]
    lander, members = desk.around.lander, landed(desk.state.members_of(batch))
    spans = [(m.issue, lander.commits(m.landed_from or "", m.landed or "")) for m in members]
    tip = branch_tip(desk, batch, batch.integration.head or "")
    wrong = mismatch(lander.commits(batch.base or "", tip or ""), spans)
    partial = is_passed(batch, desk.settings_of(batch))

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.REVIEWING or now.integration.head != batch.integration.head:
            return
        if wrong is not None:
            block(draft, now.id, f"members-mismatch:{wrong}")
            return
        if partial and not now.partial:
            kept = replace(now, partial=True)
            sentence = f"Keep what landed of {now.id}: {len(members)} of {len(now.members)} members"
            draft.note(EventName.BATCH_PRESERVED, sentence, kept, batch=now.id)
            now = kept
        passed = replace(now, status=BatchStatus.SHIPPING, updated_at=draft.at)
        sentence = f"Commits and members of {now.id} agree"
        draft.note(EventName.REVIEW_PASSED, sentence, passed, batch=now.id, head=now.integration.head)

    desk.record(intent)


def open_request(effect: OpenRequest, desk: Desk) -> None:
    """Open the pull request, or update the one that is there, and record it."""
    batch = desk.state.batches[effect.batch]
    head = batch.integration.head
    if batch.status is not BatchStatus.SHIPPING or head is None:
        return
    story = batch_story(desk.around.store, desk.around.lander, batch, desk.settings_of(batch))
    wanted = PullRequestView(
        number=0,
        title=render_title(story),
        body=render_body(story),
        state=PullRequestState.OPEN,
        source=batch.integration.branch,
        target=batch.target,
        head=head,
        author="gitsched",
    )
    opened = desk.around.forge.open_pull_request(wanted, request_marker(batch.id))

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.SHIPPING or now.integration.head != head:
            return
        request = PullRequest(number=opened.number, state=PullRequestState.OPEN, head=head)
        waiting = replace(now, status=BatchStatus.AWAITING_MERGE, pr=request, updated_at=draft.at)
        sentence = f"Open pull request {opened.number} for {now.id}"
        draft.note(EventName.PR_OPENED, sentence, waiting, batch=now.id, pr=opened.number, head=head)

    desk.record(intent)


def merge(effect: Merge, desk: Desk) -> None:
    """Merge the pull request on the proven tree; a target that moved sends the batch through rebasing.

    Raises BusyError where it can only be tried again.
    """
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.AWAITING_MERGE or batch.pr is None:
        return
    answer = desk.around.forge.merge(batch.pr.number, batch.pr.head)
    match answer:
        case Merged():
            return
        case Unreachable(what=what, detail=detail):
            raise BusyError(f"{batch.id} was to be merged.", f"{what}: {detail}")
        case TargetMoved(found=found):
            desk.record(lambda draft: _rebase(draft, batch, found))
        case TargetCheckedOut():
            told = f"target-checked-out: {answer.command}"
            desk.record(lambda draft: _wait(draft, batch, "target-checked-out", told))
        case MergeRefused(detail=detail):
            desk.record(lambda draft: block(draft, batch.id, "pr-watch-failed", detail))
        case _:
            assert_never(answer)


REBASES_AT_MOST = 10
"""Spec 05, "Watch": a target that moves faster than the suite runs is a person's business."""


def _rebase(draft: Draft, batch: Batch, found: str) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.AWAITING_MERGE:
        return
    if now.rebase_attempts >= REBASES_AT_MOST:
        block(draft, now.id, "rebase-cap")
        return
    moved = replace(now, status=BatchStatus.REBASING, reason=None, updated_at=draft.at)
    sentence = f"{now.target} has moved to {found[:12]} under {now.id}"
    draft.note(EventName.REBASING, sentence, moved, batch=now.id, target=found)


def _wait(draft: Draft, batch: Batch, reason: str, told: str) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.AWAITING_MERGE or now.reason == reason:
        return
    waiting = replace(now, reason=reason)
    sentence = f"Pull request of {now.id} waits: {told}"[:300]
    draft.note(EventName.PR_WATCH_WAITING, sentence, waiting, batch=now.id, reason=reason, detail=told)


def accept_merge(effect: AcceptMerge, desk: Desk) -> None:
    """Take a reported merge for true once the target is seen to hold the batch."""
    batch = desk.state.batches[effect.batch]
    if batch.pr is None:
        return
    seen = desk.around.forge.pull_request(batch.pr.number)
    if not isinstance(seen, PullRequestView) or seen.state is not PullRequestState.MERGED:
        return
    proof = _proof(desk, batch, seen)
    if seen.merged_at is None:
        told = f"pull request {seen.number} is reported merged, and nobody says when"
        desk.record(lambda draft: _wait(draft, batch, "merge-time-missing", told))
        return
    if proof is None:
        detail = f"pull request {seen.number} is reported merged, and {batch.target} does not hold {batch.pr.head[:12]}"
        desk.record(lambda draft: block(draft, batch.id, "merge-unproven", detail))
        return
    desk.record(lambda draft: _ship(draft, batch, seen, proof))


def _proof(desk: Desk, batch: Batch, seen: PullRequestView) -> str | None:
    target = desk.around.refs.resolve(branch_ref(batch.target))
    lander, head = desk.around.lander, batch.pr.head if batch.pr is not None else ""
    if target is None:
        return None
    if lander.is_ancestor(head, target):
        return "the target holds the head"
    merged = seen.merge_commit
    if merged is None or batch.base is None or not lander.is_ancestor(merged, target):
        return None
    same = lander.patch_id(merged) == lander.combined_patch_id(batch.base, head)
    return "the merge commit has the combined patch" if same else None


def _ship(draft: Draft, batch: Batch, seen: PullRequestView, proof: str) -> None:
    now = draft.state.batches[batch.id]
    if now.status not in (BatchStatus.AWAITING_MERGE, BatchStatus.BLOCKED) or now.pr is None:
        return
    request = replace(now.pr, state=PullRequestState.MERGED, merged_at=seen.merged_at, merge_commit=seen.merge_commit)
    merged = replace(now, status=BatchStatus.MERGED, reason=None, pr=request, updated_at=draft.at)
    members = landed(draft.state.members_of(now))
    shipped = [replace(m, status=MemberStatus.SHIPPED, updated_at=draft.at) for m in members]
    entries = [
        replace(entry, status=EntryStatus.SHIPPED, reason=None, updated_at=draft.at)
        for member in members
        if (entry := draft.state.entries.get(member.issue)) is not None and entry.status is not EntryStatus.SHIPPED
    ]
    draft.notes.append(Note(BATCH_NOTES, now.pr.head, batch_note(draft.state, merged)))
    draft.note(
        EventName.MERGE_ACCEPTED,
        f"{now.id} has merged into {now.target} with {len(members)} members: {proof}",
        merged,
        *shipped,
        *entries,
        batch=now.id,
        pr=seen.number,
        head=now.pr.head,
        proof=proof,
        merge_commit=seen.merge_commit,
    )


def close_request(effect: CloseRequest, desk: Desk) -> None:
    """Record that the pull request was closed without a merge: its members failed, their branches are kept."""

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.AWAITING_MERGE or now.pr is None:
            return
        for member in landed(draft.state.members_of(now)):
            entry = draft.state.entries.get(member.issue)
            if entry is None or entry.status is not EntryStatus.ASSIGNED:
                continue
            failed = replace(entry, status=EntryStatus.FAILED, reason="pr-closed-unmerged", updated_at=draft.at)
            sentence = f"Issue {member.issue} failed: its pull request {now.pr.number} was closed unmerged"
            draft.note(EventName.ENTRY_FAILED, sentence, failed, batch=now.id, issue=member.issue, reason=failed.reason)
        closed = replace(now, pr=replace(now.pr, state=PullRequestState.CLOSED))
        sentence = f"Pull request {now.pr.number} of {now.id} was closed unmerged"
        draft.note(EventName.PR_WATCH_FAILED, sentence, closed, batch=now.id, pr=now.pr.number)
        block(draft, now.id, "pr-closed-unmerged")

    desk.record(intent)
