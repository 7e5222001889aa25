"""Entries: what the forge and the dependencies do to queued and blocked rows.

1. A blocking label, a closed issue and a hopeless or unknown dependency block; each clears when its cause is gone.
2. An issue that was closed as completed elsewhere ends its row, once nothing of ours is running for it.
3. A forge that cannot be read changes nothing.

Source: spec 01, "Entry"; scenarios A-06, A-07, R-05.
"""

from collections.abc import Iterator, Mapping

from gitsched.domain.effects import AdvanceEntry, BlockEntry, ClearEntry, Effect
from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.records import Entry
from gitsched.domain.words import EntryStatus
from gitsched.policy.depend import blocked_by
from gitsched.policy.situation import Situation

_CLEARED_BY = {
    "label": EventName.LABEL_CLEARED,
    "dep-failed": EventName.DEPENDENCY_CLEARED,
    "dep-missing": EventName.DEPENDENCY_CLEARED,
    "closed": EventName.REOPENED_ON_FORGE,
}


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
        label = next((name for name in issue.labels if name in situation.current.labels.block), None)
        if label is not None:
            return EventName.LABEL_BLOCKED, f"label:{label}"
        if not issue.is_open:
            return EventName.CLOSED_ON_FORGE, "closed"
    reason = blocked_by(situation.state, entry, issues)
    return None if reason is None else (EventName.DEPENDENCY_BLOCKED, reason)


def _clearing(entry: Entry) -> Effect | None:
    if entry.status is not EntryStatus.BLOCKED or entry.reason is None:
        return None
    event = _CLEARED_BY.get(entry.reason.partition(":")[0])
    return None if event is None else ClearEntry(entry.issue, event)
