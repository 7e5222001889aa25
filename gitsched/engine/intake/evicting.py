"""`evict`: an operator takes a member out of its batch; the batch goes on without it."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.records import Batch, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import TERMINAL_BATCHES, BatchStatus, MemberStatus
from gitsched.engine.ending import evict
from gitsched.engine.intake.names import entry_named
from gitsched.engine.intake.pausing import OPERATOR
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy.compose import present
from gitsched.policy.evictions import exit_of
from gitsched.ports.store import Store

_BOUND = frozenset(
    {
        *(BatchStatus.FIXING, BatchStatus.SHIPPING, BatchStatus.REBASING, BatchStatus.REVALIDATING),
        *(BatchStatus.MERGED, BatchStatus.DEPLOYED, BatchStatus.REPORTED, BatchStatus.DISSOLVING),
        *TERMINAL_BATCHES,
    }
)
"""Here a batch's branch is being worked on, or is on its way: nothing can be taken off it."""


class EvictRequest(Struct, frozen=True):
    """Which issue."""

    issue: str


class EvictAnswer(Struct, frozen=True, kw_only=True):
    """Who left which batch."""

    batch: str
    issues: tuple[int, ...]


def evict_member(store: Store, request: EvictRequest, actor: str) -> EvictAnswer:
    """Take a member out of its batch, its group with it, parked on its branch; the engine ends its agent.

    It does not count towards a dissolve: an operator's word is no evidence against a batch. Raises RefusedError for
    an issue in no batch, and for one whose batch cannot do without it at the moment.
    """

    def build(draft: Draft) -> EvictAnswer:
        entry = entry_named(draft.state, request.issue)
        asked = f"Issue {entry.issue} was to leave its batch."
        member = draft.state.member_of_issue(entry.issue)
        if member is None:
            against = f"It is in no batch: it is {entry.status}."
            raise RefusedError(asked, against, f"`gitsched why {entry.issue}` tells where it is.")
        batch = draft.state.batches[member.batch]
        before = {other.issue for other in present(draft.state, batch)}
        _refuse_bound(asked, batch, member)
        evict(draft, (replace(exit_of(member, kind="evicted", reason=OPERATOR), counts=False),))
        after = {other.issue for other in present(draft.state, draft.state.batches[batch.id])}
        return EvictAnswer(batch=batch.id, issues=tuple(sorted(before - after)))

    return transact(store, actor, build)


def _refuse_bound(asked: str, batch: Batch, member: Member) -> None:
    if batch.status in _BOUND or member.status is MemberStatus.SHIPPED:
        against = f"{batch.id} is {batch.status}: nothing can be taken off its branch."
        raise RefusedError(asked, against, f"`gitsched why {batch.id}` tells what is next.")
