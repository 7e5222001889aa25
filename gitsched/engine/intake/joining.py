"""Joining: how a batch comes to be and takes members, as parts of a draft."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_folder, integration_branch, member_branch
from gitsched.domain.records import Batch, Entry, Integration, Member, Record, Slot
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus
from gitsched.engine.perform.admission import new_member
from gitsched.policy.compose import batch_id, group_with, merged_groups, next_number, present


class Stated(Struct, frozen=True, kw_only=True):
    """What a call says of the batch it fills; None and empty are left out."""

    target: str | None = None
    profile: str | None = None
    milestone: str | None = None
    groups: tuple[tuple[int, ...], ...] = ()


def form_batch(draft: Draft, batch: str, target: str, priority: int) -> None:
    """Make an empty forming batch."""
    number = next_number(draft.state, draft.mark)
    formed = Batch(
        id=batch,
        kind=BatchKind.BATCH,
        status=BatchStatus.FORMING,
        target=target,
        integration=Integration(branch=integration_branch(batch)),
        priority=priority,
        created_at=draft.at,
        updated_at=draft.at,
    )
    changes: list[Record] = [formed]
    if batch == batch_id(number, draft.mark):
        changes.append(replace(draft.state.control, next_batch=number + 1))
    draft.note(EventName.BATCH_FORMED, f"Form {batch}", *changes, batch=batch, target=target)


def join_batch(draft: Draft, batch: str, issues: Sequence[int], stated: Stated) -> None:
    """Append queued entries to a batch as its members; what the call states of the batch holds for all of them.

    A batch that is sealed already is one generation further afterwards, and executes again.
    """
    whole = _with_stated(draft.state.batches[batch], stated)
    if whole.status is not BatchStatus.FORMING:
        whole = replace(whole, generation=whole.generation + 1)
    if whole.status is BatchStatus.VALIDATING:
        whole = replace(whole, status=BatchStatus.EXECUTING)
    changes = list(_taught(draft, whole))
    for issue in issues:
        index = max((slot.index for slot in whole.members), default=0) + 1
        whole = replace(whole, members=(*whole.members, Slot(index=index, issue=issue)), updated_at=draft.at)
        assigned, member = _placed(draft, whole, draft.state.entries[issue], index)
        sentence = f"Place issue {issue} in {batch}"
        draft.note(
            EventName.MEMBER_JOINED, sentence, whole, member, assigned, *changes, batch=batch, issue=issue, index=index
        )
        changes = []


def _placed(draft: Draft, batch: Batch, entry: Entry, index: int) -> tuple[Entry, Member]:
    assigned = replace(
        entry,
        status=EntryStatus.ASSIGNED,
        reason=None,
        batch=batch.id,
        profile=entry.profile or batch.profile,
        group=group_with(batch.groups, entry.issue),
        updated_at=draft.at,
    )
    branch = member_branch(branch_folder(batch.integration.branch), index, entry.issue)
    member = new_member(batch.id, index, assigned, draft.at)
    return assigned, replace(member, branch=branch, updated_at=entry.updated_at)


def _with_stated(batch: Batch, stated: Stated) -> Batch:
    if batch.status is not BatchStatus.FORMING:
        return batch
    return replace(
        batch,
        target=stated.target or batch.target,
        profile=stated.profile or batch.profile,
        milestone=stated.milestone or batch.milestone,
        groups=merged_groups((*batch.groups, *stated.groups)),
    )


def _taught(draft: Draft, batch: Batch) -> Iterator[Record]:
    """Yield the members that are there, and their entries, as far as a value supplied later changes them."""
    for member in present(draft.state, batch):
        profile, group = member.profile or batch.profile, group_with(batch.groups, member.issue)
        if batch.status is BatchStatus.FORMING and (profile, group) != (member.profile, member.group):
            yield replace(member, profile=profile, group=group)
            yield replace(draft.state.entries[member.issue], profile=profile, group=group)
