"""Leaving a batch: evictions, hand-backs and withdrawals, as parts of a draft."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Exit, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import LEFT_MEMBERS, BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.evictions import is_escalation_cap, parked, with_groups

_WORDS = {
    "evicted": (EventName.MEMBER_EVICTED, MemberStatus.EVICTED, "Evict"),
    "handed-back": (EventName.MEMBER_HANDED_BACK, MemberStatus.HANDED_BACK, "Take back"),
}


_REBUILDS_FROM = frozenset(
    {
        BatchStatus.EXECUTING,
        BatchStatus.VALIDATING,
        BatchStatus.ATTRIBUTING,
        BatchStatus.REVIEWING,
        BatchStatus.AWAITING_MERGE,
    }
)
"""From here a batch goes to be rebuilt when a landed member leaves; a blocked one when it is resumed."""


def evict(draft: Draft, exits: tuple[Exit, ...]) -> None:
    """Take members out of their batch, with their groups; one that has left already is told and changes nothing.

    All exits must be of one batch. Slots are not freed here. Where commits of any of them have landed, the batch is
    rebuilt next.
    """
    batch = draft.state.batches[exits[0].batch]
    members = {member.issue: member for member in draft.state.members_of(batch)}
    for exit_ in with_groups(batch, exits, members):
        member = members.get(exit_.issue)
        if member is None or member.status in LEFT_MEMBERS:
            sentence = f"Issue {exit_.issue} has left {batch.id} already"
            draft.note(EventName.EVICTION_DUPLICATE, sentence, batch=batch.id, issue=exit_.issue)
            continue
        _leave(draft, member, replace(exit_, at=draft.at))


def _leave(draft: Draft, member: Member, exit_: Exit) -> None:
    event, status, verb = _WORDS[exit_.kind]
    batch = draft.state.batches[member.batch]
    entry = draft.state.entries[member.issue]
    after = replace(member, status=status, reason=exit_.reason, hold=None, updated_at=draft.at)
    is_rebuilt = member.status is MemberStatus.LANDED and batch.status in _REBUILDS_FROM
    status_after = BatchStatus.EVICTING if is_rebuilt else batch.status
    listed = replace(batch, evictions=(*batch.evictions, exit_), status=status_after, updated_at=draft.at)
    sentence = f"{verb} issue {member.issue} of {member.batch}: {exit_.reason}"
    if exit_.head is not None:
        draft.keeps.append(exit_.head)
    draft.note(
        event,
        sentence,
        after,
        listed,
        parked(entry, exit_, draft.at),
        batch=member.batch,
        issue=member.issue,
        gen=member.gen,
        reason=exit_.reason,
        method=str(exit_.method),
        failing=list(exit_.failing),
        branch=exit_.branch,
    )
    if is_escalation_cap(batch, exit_):
        failed = replace(draft.state.entries[member.issue], status=EntryStatus.FAILED)
        draft.note(
            EventName.ENTRY_FAILED,
            f"Give up issue {member.issue}: {exit_.reason}",
            failed,
            batch=member.batch,
            issue=member.issue,
            reason=exit_.reason,
        )
