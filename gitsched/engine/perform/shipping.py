"""Shipping: check that commits and members agree, open the pull request, merge it, and prove that it merged."""

from typing import assert_never

from msgspec.structs import replace

from gitsched.domain.effects import AcceptMerge, CloseRequest, Merge, OpenRequest, Review
from gitsched.domain.events import EventName
from gitsched.domain.forge import (
    Merged,
    MergeRefused,
    PublishRefused,
    PullRequestView,
    TargetCheckedOut,
    TargetMoved,
    Waiting,
)
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, PullRequest
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus, PullRequestState
from gitsched.engine.accepting import accept_work
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.perform.reviewing import claim_review, disagreement, is_reviewed
from gitsched.engine.perform.watching import await_forge, meet_target
from gitsched.engine.proving import proof_of_merge
from gitsched.engine.standing import known_heads, target_of
from gitsched.engine.story import batch_story
from gitsched.errors import BusyError
from gitsched.policy.dissolve import is_passed
from gitsched.policy.ship import UNTIMED, begins_as_draft, shipping_fault
from gitsched.policy.situation import landed
from gitsched.view.comments import request_marker
from gitsched.view.pull_request import render_body, render_title


def review(effect: Review, desk: Desk) -> None:
    """Check that the integration branch holds the landed members' commits and nobody else's; then have it reviewed."""
    batch = desk.state.batches[effect.batch]
    members, wrong = landed(desk.state.members_of(batch)), disagreement(desk, batch)
    if wrong is None and batch.status is BatchStatus.REVIEWING and not is_reviewed(desk, batch):
        claim_review(desk, batch, effect.wait)
        return
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
        passed = replace(now, status=BatchStatus.SHIPPING, reason=None, updated_at=draft.at)
        sentence = f"Commits and members of {now.id} agree"
        draft.note(EventName.REVIEW_PASSED, sentence, passed, batch=now.id, head=now.integration.head)

    desk.record(intent)


def open_request(effect: OpenRequest, desk: Desk) -> None:
    """Open the pull request, or update the one that is there, and record it."""
    batch = desk.state.batches[effect.batch]
    head = batch.integration.head
    if batch.status is not BatchStatus.SHIPPING or head is None:
        return
    is_draft = _cleared(desk, batch, head)
    if is_draft is None:
        return
    wanted = _wanted(desk, batch, head, PullRequestState.DRAFT if is_draft else PullRequestState.OPEN)
    opened = desk.around.forge.open_pull_request(wanted, request_marker(batch.id))

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.SHIPPING or now.integration.head != head:
            return
        request = PullRequest(number=opened.number, state=opened.state, head=head, url=opened.url)
        waiting = replace(now, status=BatchStatus.AWAITING_MERGE, pr=request, updated_at=draft.at)
        sentence = f"Open pull request {opened.number} for {now.id}"
        draft.note(EventName.PR_OPENED, sentence, waiting, batch=now.id, pr=opened.number, head=head)

    desk.record(intent)


def _cleared(desk: Desk, batch: Batch, head: str) -> bool | None:
    """Ask the target's rules and publish the branch; say whether a draft is due, None where the batch was blocked.

    Raises BusyError where the forge gives no answer.
    """
    forge, ship = desk.around.forge, desk.settings_of(batch).ship
    rules = forge.rules(batch.target)
    if isinstance(rules, Unreachable):
        raise BusyError(f"{batch.id} was to be shipped.", f"{rules.what}: {rules.detail}")
    if target_of(desk, batch) is None:
        desk.record(lambda draft: block(draft, batch.id, "target-missing", f"there is no branch {batch.target}"))
        return None
    fault = shipping_fault(ship, len(landed(desk.state.members_of(batch))), rules)
    if fault is not None:
        desk.record(lambda draft: block(draft, batch.id, fault.reason, fault.detail))
        return None
    moved = forge.publish(batch.integration.branch, head, known_heads(desk, batch))
    if isinstance(moved, Unreachable):
        raise BusyError(f"{batch.integration.branch} was to be published.", f"{moved.what}: {moved.detail}")
    if isinstance(moved, PublishRefused):
        words = moved.detail
        desk.record(lambda draft: block(draft, batch.id, f"landing-refused:{words}", words))
        return None
    if moved is not None:
        detail = f"the published branch is at {moved.found or 'nothing'}, and {head} was to be there"
        desk.record(lambda draft: block(draft, batch.id, "pr-head-moved", detail))
        return None
    return begins_as_draft(ship, rules)


def _wanted(desk: Desk, batch: Batch, head: str, state: PullRequestState) -> PullRequestView:
    settings = desk.settings_of(batch)
    story = batch_story(desk.around.store, desk.around.lander, batch, settings)
    return PullRequestView(
        number=0,
        title=render_title(story),
        body=render_body(story),
        state=state,
        source=batch.integration.branch,
        target=batch.target,
        head=head,
        labels=settings.ship.labels,
        author="gitsched",
    )


def merge(effect: Merge, desk: Desk) -> None:
    """Merge the pull request on the proven tree; a target that moved sends the batch through rebasing.

    Raises BusyError where it can only be tried again.
    """
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.AWAITING_MERGE or batch.pr is None:
        return
    target = target_of(desk, batch)
    if target is not None and _was_taken_back(desk, batch, target):
        desk.record(lambda draft: meet_target(draft, batch.id, target))
        return
    answer = desk.around.forge.merge(batch.pr.number, batch.pr.head, desk.settings_of(batch).ship.method)
    match answer:
        case Merged():
            return
        case Unreachable(what=what, detail=detail):
            raise BusyError(f"{batch.id} was to be merged.", f"{what}: {detail}")
        case TargetMoved(found=found):
            desk.record(lambda draft: meet_target(draft, batch.id, found))
        case TargetCheckedOut():
            told = f"target-checked-out: {answer.command}"
            desk.record(lambda draft: await_forge(draft, batch.id, "target-checked-out", told))
        case Waiting(reason=reason, detail=detail):
            desk.record(lambda draft: await_forge(draft, batch.id, reason, detail))
        case MergeRefused(detail=detail):
            desk.record(lambda draft: block(draft, batch.id, "pr-watch-failed", detail))
        case _:
            assert_never(answer)


def _was_taken_back(desk: Desk, batch: Batch, target: str) -> bool:
    """Say whether the target has given up what the batch stands on: a merge would bring that back unasked."""
    lander = desk.around.lander
    return not lander.is_ancestor(batch.base or target, target) and not lander.is_ancestor(
        batch.integration.head or target, target
    )


def accept_merge(effect: AcceptMerge, desk: Desk) -> None:
    """Take a reported merge for true once the target is seen to hold the batch."""
    batch = desk.state.batches[effect.batch]
    if batch.pr is None:
        return
    seen = desk.around.forge.pull_request(batch.pr.number)
    if not isinstance(seen, PullRequestView) or seen.state is not PullRequestState.MERGED:
        return
    proof = proof_of_merge(desk, batch, seen)
    if isinstance(proof, Unreachable):
        raise BusyError(f"The merge of {batch.id} was to be proven.", f"{proof.what}: {proof.detail}")
    if seen.merged_at is None:
        told = f"pull request {seen.number} is reported merged, and nobody says when"
        desk.record(lambda draft: await_forge(draft, batch.id, UNTIMED, told))
        return
    if proof is None:
        detail = f"pull request {seen.number} is reported merged, and {batch.target} does not hold {batch.pr.head[:12]}"
        desk.record(lambda draft: block(draft, batch.id, "merge-unproven", detail))
        return
    desk.record(lambda draft: _ship(draft, batch, seen, proof))


def _ship(draft: Draft, batch: Batch, seen: PullRequestView, proof: str) -> None:
    now = draft.state.batches[batch.id].pr
    if now is not None:
        merged = replace(now, state=PullRequestState.MERGED, merged_at=seen.merged_at, merge_commit=seen.merge_commit)
        accept_work(draft, batch.id, now.head, merged, proof)


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
