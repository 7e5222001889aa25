"""Evictions: what leaving a batch means for a member, its entry and its group.

1. A member that leaves takes its group along.
2. Work is kept: the entry is parked on the member's branch with the evidence of the exit.
3. A solo that gave up at its last rung fails; every other exit parks.

See docs/explanation/gating.md, "Eviction".
"""

from msgspec.structs import replace

from gitsched.domain.records import Batch, Entry, Exit, Member
from gitsched.domain.words import LEFT_MEMBERS, BatchKind, EntryStatus, MemberStatus, Method
from gitsched.policy.ladder import ESCALATION_CAP

FAILING_KEPT = 50
DETAIL_CHARS = 400
_AT_WORK = frozenset({MemberStatus.RUNNING, MemberStatus.VERIFYING})


def exit_of(  # many-parameters: a record is written down field by field
    member: Member,
    *,
    kind: str,
    reason: str,
    method: Method = Method.NONE,
    failing: tuple[str, ...] = (),
    commits: tuple[str, ...] = (),
) -> Exit:
    """Write down how a member leaves its batch; the work of one that was not worked on here is what it came with."""
    kept: Member | Exit = member if member.cut is not None else member.prior or member
    return Exit(
        batch=member.batch,
        issue=member.issue,
        kind=kind,
        reason=reason[:200],
        method=method,
        failing=failing[:FAILING_KEPT],
        branch=kept.branch if kept.cut is not None else None,
        cut=kept.cut,
        head=kept.head,
        commits=commits,
        group=member.group,
    )


def with_groups(batch: Batch, exits: tuple[Exit, ...], members: dict[int, Member]) -> tuple[Exit, ...]:
    """Add the members that must leave together with those that leave, each once; not those that have left before.

    Only an agent at work hands back: the rest of its group is evicted.
    """
    leaving = {exit_.issue: exit_ for exit_ in exits}
    for exit_ in exits:
        for group in batch.groups:
            if exit_.issue not in group:
                continue
            for issue in group:
                if issue not in leaving and issue in members and members[issue].status not in LEFT_MEMBERS:
                    kind = exit_.kind if members[issue].status in _AT_WORK else "evicted"
                    along = exit_of(members[issue], kind=kind, reason=f"group-of:{exit_.issue}")
                    leaving[issue] = replace(along, group=group, counts=False)
            leaving[exit_.issue] = replace(leaving[exit_.issue], group=group)
    return tuple(leaving.values())


def is_escalation_cap(batch: Batch, exit_: Exit) -> bool:
    """Say whether this exit ends the issue for good instead of parking it."""
    return batch.kind is BatchKind.SOLO and exit_.reason == ESCALATION_CAP


def parked(entry: Entry, exit_: Exit, at: str) -> Entry:
    """Give an entry as it is once its member has left: parked on its kept branch, with the evidence."""
    return replace(
        entry,
        status=EntryStatus.PARKED,
        reason=exit_.reason,
        batch=None,
        branch=exit_.branch if exit_.cut is not None or entry.branch is None else entry.branch,
        evidence=(*entry.evidence, exit_),
        updated_at=at,
    )


def last_work(entry: Entry) -> Exit | None:
    """Find the exit that tells where an entry's kept work is; a later one may have come to none."""
    if entry.branch is None:
        return None
    return next((exit_ for exit_ in reversed(entry.evidence) if exit_.cut is not None), None)
