"""Follow-ups: which failures a draft of an issue is opened about, where that is asked for.

1. What left for a failure of its own and now waits for a person. Neither what an operator took out, nor what left
   along with another one, nor a hand-back, which is an answer.
2. Once for each such failure.
"""

from collections.abc import Iterator

from gitsched.domain.queue_effects import OpenFollowUp
from gitsched.domain.records import Entry, Exit
from gitsched.domain.words import EntryStatus
from gitsched.policy.situation import Situation

_NOT_ITS_OWN = frozenset({"operator", "group-of", "depends-on-evicted"})


def follow_up_steps(situation: Situation) -> Iterator[OpenFollowUp]:
    """Ask for the drafts that are missing, by issue."""
    if not situation.current.follow_up.enabled:
        return
    for issue in sorted(situation.state.entries):
        if failure_of(situation.state.entries[issue]) is not None:
            yield OpenFollowUp(issue)


def failure_of(entry: Entry) -> Exit | None:
    """Give the failure for which an issue waits for a person and that no draft was opened about."""
    if entry.status not in (EntryStatus.PARKED, EntryStatus.FAILED) or not entry.evidence:
        return None
    last = entry.evidence[-1]
    is_told = last.follow_up is not None or last.reason.partition(":")[0] in _NOT_ITS_OWN
    return None if is_told or last.kind != "evicted" else last
