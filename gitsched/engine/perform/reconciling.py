"""Reconciling: work that reached the target by other means, and pull requests of batches that are over."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Batch
from gitsched.domain.ship_effects import Reconcile, RetireRequest
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, PullRequestState
from gitsched.engine.accepting import accept_work
from gitsched.engine.desk import Desk
from gitsched.view.comments import batch_marker

_OVER = (BatchStatus.DISSOLVED, BatchStatus.STOPPED)


def reconcile(effect: Reconcile, desk: Desk) -> None:
    """Take a blocked batch for merged, if its work is still what was proven to be in the target."""
    batch = desk.state.batches[effect.batch]
    head = batch.integration.head or ""

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is BatchStatus.BLOCKED and now.integration.head == head:
            accept_work(draft, now.id, head, now.pr, effect.proof)

    desk.record(intent)


def retire_request(effect: RetireRequest, desk: Desk) -> None:
    """Close the pull request of a batch that is over, say there why, and record it."""
    batch = desk.state.batches[effect.batch]
    if batch.status not in _OVER or batch.pr is None:
        return
    forge, number = desk.around.forge, batch.pr.number
    why = f"{batch.id} is {batch.status} (`{batch.reason}`): nobody watches this pull request any more."
    forge.comment(number, why, batch_marker(batch.id))
    forge.close_pull_request(number)
    desk.record(lambda draft: _retired(draft, batch, number))


def _retired(draft: Draft, batch: Batch, number: int) -> None:
    now = draft.state.batches[batch.id]
    if now.pr is None or now.pr.number != number or now.pr.state is PullRequestState.CLOSED:
        return
    closed = replace(now, pr=replace(now.pr, state=PullRequestState.CLOSED))
    sentence = f"Close pull request {number} of {now.id}: it is {now.status}, {now.reason}"
    draft.note(EventName.PR_CLOSED, sentence[:200], closed, batch=now.id, pr=number, reason=now.reason)
