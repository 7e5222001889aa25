"""`gitsched pr merge`."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.cli.verbs.pr_show import request_named
from gitsched.errors import RefusedError, TemporaryError

if TYPE_CHECKING:
    from gitsched.domain.forge import PullRequestView
    from gitsched.domain.records import Batch
    from gitsched.domain.state import State
    from gitsched.engine.desk import Desk


@verb(name="merge", example="gitsched pr merge 7")
@click.argument("number", metavar="N")
def merge(call: Call, number: str) -> int:
    """Merge a pull request into its target.

    By fast-forward, on the very tree that the suite judged. Where the target has moved, the batch is rebased and
    judged again by the next pass of a driver.
    """
    return merge_now(call, request_named(call, number))


def merge_now(call: Call, request: "PullRequestView") -> int:
    """Merge a batch's pull request, and say what came of it. Raises RefusedError where it is not merged."""
    from gitsched.domain.effects import Merge
    from gitsched.domain.words import PullRequestState
    from gitsched.engine.perform.table import perform
    from gitsched.wiring.operator import desk_of

    if request.state is PullRequestState.MERGED:
        call.tell(f"Pull request {request.number} is merged already.")
        return 0
    batch = _batch_of(call.store.read(), request)
    with desk_of(call.clone) as desk:
        perform(Merge(batch.id), desk)
        _record(batch.id, desk)
    call.clone.wake_all()
    seen = request_named(call, str(request.number))
    if seen.state is not PullRequestState.MERGED:
        raise _not_merged(call.store.read().batches[batch.id], seen)
    tip = (seen.merge_commit or "")[:12]
    call.tell(f"Pull request {seen.number} is merged: {seen.target} is at {tip}. `gitsched tick` reports it.")
    return 0


def _record(batch: str, desk: "Desk") -> None:
    """Take the merge for true where it is proven by now; what cannot be looked at is left to the next tick."""
    from gitsched.domain.effects import AcceptMerge
    from gitsched.engine.perform.table import perform

    with suppress(TemporaryError):
        perform(AcceptMerge(batch), desk)


def _batch_of(state: "State", request: "PullRequestView") -> "Batch":
    from gitsched.domain.words import BatchStatus

    asked = f"Pull request {request.number} was to be merged."
    owners = [b for b in state.batches.values() if b.pr is not None and b.pr.number == request.number]
    if not owners:
        raise RefusedError(asked, "It belongs to no batch.", f"`gitsched pr show {request.number}` shows it.")
    batch = owners[0]
    if batch.status is not BatchStatus.AWAITING_MERGE:
        raise RefusedError(
            asked,
            f"Its batch {batch.id} is {batch.status}, not {BatchStatus.AWAITING_MERGE}.",
            f"`gitsched why {batch.id}` tells what it waits for.",
        )
    return batch


def _not_merged(batch: "Batch", request: "PullRequestView") -> RefusedError:
    from gitsched.domain.words import BatchStatus

    asked = f"Pull request {request.number} was to be merged."
    if batch.status is BatchStatus.REBASING:
        return RefusedError(
            asked,
            f"{batch.target} has moved since the suite ran.",
            "`gitsched run --until-idle` rebases and judges it.",
        )
    if batch.reason == "target-checked-out":
        against = f"{batch.target} is checked out where git will not move it: it has changes of its own."
        return RefusedError(asked, against, "Commit or stash them there, then ask again; `git status` shows them.")
    against = f"{batch.id} is {batch.status}: {batch.reason or 'no reason given'}."
    return RefusedError(asked, against, f"`gitsched why {batch.id}` tells more.")
