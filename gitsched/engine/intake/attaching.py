"""`attach-pr`: a person says by which merged pull request, opened by hand, a blocked batch has shipped."""

from collections.abc import Iterator

from msgspec import Struct

from gitsched.domain.forge import PullRequestView
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, PullRequest
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, PullRequestState
from gitsched.engine.accepting import accept_work
from gitsched.engine.intake.names import batch_named
from gitsched.engine.intake.transact import transact
from gitsched.engine.intake.values import issue_number
from gitsched.errors import BusyError, RefusedError
from gitsched.policy.situation import first_unresolved
from gitsched.ports.forge import Forge
from gitsched.ports.store import Store


class AttachRequest(Struct, frozen=True):
    """Which batch, and which pull request, `7` or `#7`."""

    batch: str
    request: str


class AttachAnswer(Struct, frozen=True):
    """The batch, which goes on as merged."""

    batch: str
    number: int


def attach(store: Store, forge: Forge, request: AttachRequest, actor: str) -> AttachAnswer:
    """Record a merged pull request as the one that shipped a batch.

    Raises RefusedError where its head, base, repository, merge or time do not fit; BusyError where it cannot be read.
    """
    number = issue_number(request.request)
    seen = forge.pull_request(number)
    if isinstance(seen, Unreachable):
        raise BusyError(f"Pull request {number} was to be attached.", f"{seen.what}: {seen.detail}")

    def build(draft: Draft) -> AttachAnswer:
        batch = batch_named(draft.state, request.batch)
        asked = f"Pull request {number} was to be attached to {batch.id}."
        if batch.status is not BatchStatus.BLOCKED:
            raise RefusedError(asked, f"{batch.id} is {batch.status}, not blocked.", f"`gitsched why {batch.id}`")
        waits = first_unresolved(draft.state.members_of(batch))
        if waits is not None:
            against = f"Issue {waits.issue} of {batch.id} is {waits.status}: not all of its work can have shipped."
            raise RefusedError(asked, against, f"`gitsched stop {waits.issue}` ends it.")
        if seen is None:
            raise RefusedError(asked, "There is no such pull request.", "`gitsched pr list` names them.")
        for fault in _faults(batch, seen):
            raise RefusedError(asked, fault, f"`gitsched pr show {number}` shows it.")
        merged = PullRequest(
            number=number,
            state=PullRequestState.MERGED,
            head=seen.head,
            url=seen.url,
            merged_at=seen.merged_at,
            merge_commit=seen.merge_commit,
        )
        accept_work(draft, batch.id, seen.head, merged, f"{actor} attached pull request {number}")
        return AttachAnswer(batch.id, number)

    return transact(store, actor, build)


def _faults(batch: Batch, seen: PullRequestView) -> Iterator[str]:
    """Name what speaks against a pull request having shipped this batch."""
    if seen.state is not PullRequestState.MERGED or seen.merged_at is None:
        yield f"It is {seen.state}, not merged."
    if seen.is_from_fork:
        yield f"It comes from a fork, and {batch.id}'s branch is in this repository."
    if seen.target != batch.target:
        yield f"It merged into '{seen.target}', and {batch.id} ships to '{batch.target}'."
    if seen.head != batch.integration.head:
        yield f"Its head is {seen.head[:12]}, and {batch.id} has {(batch.integration.head or 'none')[:12]}."
    if seen.created_at < batch.created_at:
        yield f"It was opened before {batch.id} was formed."
