"""Entries: what the forge and the dependencies do to queued and blocked rows.

1. A blocking label, a closed issue and a hopeless or unknown dependency block; each clears when its cause is gone.
2. An issue that was closed as completed elsewhere ends its row, once nothing of ours is running for it.
   A member that waits in a batch leaves it when its issue is closed, either way.
3. A forge that cannot be read changes nothing.

See docs/reference/states.md, "Entry".
"""

from collections.abc import Iterator, Mapping

from gitsched.config.settings import Settings
from gitsched.domain.effects import Effect
from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.queue_effects import AdvanceEntry, BlockEntry, ClearEntry, Withdraw
from gitsched.domain.records import Entry, Member
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.depend import blocked_by
from gitsched.policy.situation import Situation

_CLEARED_BY = {
    "label": EventName.LABEL_CLEARED,
    "dep-failed": EventName.DEPENDENCY_CLEARED,
    "dep-missing": EventName.DEPENDENCY_CLEARED,
    "closed": EventName.REOPENED_ON_FORGE,
    "gone": EventName.REOPENED_ON_FORGE,
}


CLOSED = "closed"
GONE = "gone"
"""Before a colon and why: the forge has the issue no more."""
EXTERNAL_ADVANCE = "external-advance"
"""Why a row is over: its issue was completed by other means."""


def forge_reasons(issue: Issue, settings: Settings) -> Iterator[str]:
    """Name what the forge says against working on an issue: its blocking labels, and that it is closed."""
    yield from (f"label:{label}" for label in issue.labels if label in settings.labels.block)
    if not issue.is_open:
        yield CLOSED if issue.gone is None else f"{GONE}:{issue.gone}"


def entry_steps(situation: Situation) -> Iterator[Effect]:
    """Name the queued and blocked rows that must change, by issue."""
    issues = situation.facts.issues
    if not isinstance(issues, Mapping):
        return
    waiting = (EntryStatus.QUEUED, EntryStatus.BLOCKED)
    for issue in sorted(key for key, entry in situation.state.entries.items() if entry.status in waiting):
        entry = situation.state.entries[issue]
        step = _entry_step(situation, entry, issues)
        if step is not None:
            yield step
    yield from _withdrawals(situation, issues)


def _withdrawals(situation: Situation, issues: Mapping[int, Issue]) -> Iterator[Effect]:
    for key in sorted(situation.state.members):
        member, issue = situation.state.members[key], issues.get(key[1])
        if issue is not None and not issue.is_open and is_waiting(situation.state, member):
            yield Withdraw(member.batch, member.issue, is_done=not issue.as_not_planned)


def is_waiting(state: State, member: Member) -> bool:
    """Say whether a member waits for a slot, and its batch for its members."""
    batch = state.batches.get(member.batch)
    if batch is None or batch.status not in (BatchStatus.READY, BatchStatus.EXECUTING):
        return False
    return member.status is MemberStatus.WAITING and (member.batch, member.issue) not in state.leases


def _entry_step(situation: Situation, entry: Entry, issues: Mapping[int, Issue]) -> Effect | None:
    issue = issues.get(entry.issue)
    if issue is not None and not issue.is_open and not issue.as_not_planned:
        return AdvanceEntry(entry.issue)
    found = _blocking(situation, entry, issues)
    if found is None:
        return _clearing(entry)
    event, reason = found
    if entry.status is EntryStatus.BLOCKED and entry.reason == reason:
        return None
    return BlockEntry(entry.issue, event, reason)


def _blocking(situation: Situation, entry: Entry, issues: Mapping[int, Issue]) -> tuple[EventName, str] | None:
    issue = issues.get(entry.issue)
    if issue is not None:
        against = next(forge_reasons(issue, situation.current), None)
        if against is not None:
            is_label = against.startswith("label:")
            return EventName.LABEL_BLOCKED if is_label else EventName.CLOSED_ON_FORGE, against
    reason = blocked_by(situation.state, entry, issues)
    return None if reason is None else (EventName.DEPENDENCY_BLOCKED, reason)


def _clearing(entry: Entry) -> Effect | None:
    if entry.status is not EntryStatus.BLOCKED or entry.reason is None:
        return None
    event = _CLEARED_BY.get(entry.reason.partition(":")[0])
    return None if event is None else ClearEntry(entry.issue, event)
