"""`requeue`: send a parked issue back to work, continuing from its kept branch."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake import values
from gitsched.engine.intake.holding import resume_batch
from gitsched.engine.intake.joining import Stated, join_batch
from gitsched.engine.intake.names import batch_named, entry_named
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy import refuse
from gitsched.policy.evictions import exit_of, parked
from gitsched.ports.store import Store


class RequeueRequest(Struct, frozen=True, kw_only=True):
    """Which issue, into which forming batch, and which hazards are let through."""

    issue: str
    into: str | None = None
    allow: tuple[str, ...] = ()
    """Each as `hazard:<kind>`."""


class RequeueAnswer(Struct, frozen=True, kw_only=True):
    """How the issue stands."""

    issue: int
    batch: str | None
    """The batch it joined; None: it gets a solo batch when it is dispatched."""
    branch: str | None
    """The branch it continues from; None where it had no work yet."""


def requeue(store: Store, settings: Settings, request: RequeueRequest, actor: str) -> RequeueAnswer:
    """Queue a parked issue again, or make it a member of a forming batch; branch and evidence stay.

    A held member that has not landed leaves its batch for it and is done again on its own. Raises RefusedError for
    everything else, UsageError for a hazard that is none.
    """
    for hazard in request.allow:
        values.checked_hazard(hazard)

    def build(draft: Draft) -> RequeueAnswer:
        entry = entry_named(draft.state, request.issue)
        member = draft.state.member_of_issue(entry.issue)
        if member is not None and member.hold is not None:
            _withdraw(draft, member)
        elif entry.status is not EntryStatus.PARKED:
            raise RefusedError(f"Issue {entry.issue} was to be requeued.", *_why_not(entry, member))
        return _requeue(draft, draft.state.entries[entry.issue], request, settings)

    return transact(store, actor, build)


def _why_not(entry: Entry, member: Member | None) -> tuple[str, str]:
    if member is not None and member.status is MemberStatus.LANDED:
        return f"It has landed in {member.batch}.", f"`gitsched status {member.batch}` shows how far that is."
    if entry.status in (EntryStatus.DONE, EntryStatus.FAILED, EntryStatus.STOPPED):
        return f"It is {entry.status}, not parked.", f"`gitsched enqueue {entry.issue}` begins it anew."
    where = f" in {entry.batch}" if entry.batch else ""
    return f"It is {entry.status}{where}, not parked.", f"`gitsched why {entry.issue}` tells what it waits for."


def _requeue(draft: Draft, entry: Entry, request: RequeueRequest, settings: Settings) -> RequeueAnswer:
    home = None if request.into is None else _open_batch(draft, entry, request.into, settings)
    again = replace(
        entry,
        status=EntryStatus.QUEUED,
        reason=None,
        hold=None,
        group=(),
        allow=tuple(dict.fromkeys((*entry.allow, *request.allow))),
        updated_at=draft.at,
    )
    sentence = f"Send issue {entry.issue} back to work"
    draft.note(
        EventName.MEMBER_REQUEUED,
        sentence,
        again,
        batch=request.into,
        issue=entry.issue,
        reason=entry.reason,
        branch=entry.branch,
        allow=list(again.allow),
    )
    if home is not None:
        join_batch(draft, home.id, [entry.issue], Stated())
    return RequeueAnswer(issue=entry.issue, batch=None if home is None else home.id, branch=entry.branch)


def _open_batch(draft: Draft, entry: Entry, name: str, settings: Settings) -> Batch:
    batch = batch_named(draft.state, name)
    if batch.status is not BatchStatus.FORMING:
        against = f"{batch.id} is {batch.status}, not forming."
        remedy = f"`gitsched requeue {entry.issue}` continues it in a batch of its own."
        raise RefusedError(f"Issue {entry.issue} was to be requeued into {batch.id}.", against, remedy)
    rows = [entry]
    faults = [
        *refuse.join_faults(draft.state, batch, rows),
        *refuse.value_faults(draft.state, batch, entry.target, entry.profile),
        *refuse.dependency_faults(draft.state, rows, batch.id),
        *refuse.limit_faults(draft.state, batch.id, rows, settings),
    ]
    for fault in faults:
        raise fault
    return batch


def _withdraw(draft: Draft, member: Member) -> None:
    """Take a held member out of its batch without blame, and park its entry on its branch."""
    batch, entry = draft.state.batches[member.batch], draft.state.entries[member.issue]
    if member.group:
        against = f"It is held in {batch.id} and belongs to the group {'+'.join(str(i) for i in member.group)}."
        remedy = f"`gitsched resume {member.issue}` accepts it as it is."
        raise RefusedError(f"Issue {member.issue} was to be requeued.", against, remedy)
    exit_ = replace(exit_of(member, kind="withdrawn", reason=f"held:{member.hold}"), at=draft.at)
    if member.head is not None:
        draft.keeps.append(member.head)
    left = replace(member, status=MemberStatus.WITHDRAWN, reason=exit_.reason, hold=None, updated_at=draft.at)
    draft.note(
        EventName.MEMBER_WITHDRAWN,
        f"Take issue {member.issue} out of {batch.id} to do it again",
        left,
        parked(entry, exit_, draft.at),
        batch=batch.id,
        issue=member.issue,
        reason=exit_.reason,
    )
    if batch.status is BatchStatus.BLOCKED and (batch.reason or "").startswith("held:"):
        resume_batch(draft, batch, BatchStatus.EXECUTING)
