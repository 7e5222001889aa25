"""Idle: whether anything can still move without a person.

A run ends when nothing of it is live and whatever is left waits for a person: an open pull request, something parked,
held, blocked or failed. An engine's pause with a stated reset is waited for.
"""

from collections.abc import Collection

from gitsched.domain.dispatch_effects import KeepCheck, KeepEvidence
from gitsched.domain.effects import AcceptMerge, Effect, Merge
from gitsched.domain.queue_effects import OpenFollowUp
from gitsched.domain.records import Batch, Entry, Lease
from gitsched.domain.state import State
from gitsched.domain.words import TERMINAL_BATCHES, TERMINAL_ENTRIES, BatchStatus, EntryStatus, RunStatus
from gitsched.policy.health import is_paused_by_operator

_FOR_A_PERSON = (BatchStatus.FORMING, BatchStatus.BLOCKED, BatchStatus.AWAITING_MERGE)
_BAD_ENTRIES = (EntryStatus.PARKED, EntryStatus.BLOCKED, EntryStatus.FAILED, EntryStatus.STOPPED)


RECONCILE_ERROR = "reconcile-error"
"""Why a batch is blocked on which gitsched itself failed: nothing of it is touched before a person has looked."""


def is_untouchable(state: State, batch: str) -> bool:
    """Say whether gitsched itself failed on a batch and leaves it, its runs and its jobs alone."""
    found = state.batches.get(batch)
    return found is not None and found.status is BatchStatus.BLOCKED and found.reason == RECONCILE_ERROR


def is_live(state: State, host: str | None = None) -> bool:
    """Say whether any run or job is going on that a driver has to wait for: anywhere, or on one host.

    A run that an operator's pause keeps from starting is none, nor is one on whose batch gitsched itself failed, nor
    work that a person does by hand.
    """
    waits = (RunStatus.ASSIGNED, RunStatus.RECOVERING) if is_paused_by_operator(state.control) else ()
    at_work = (lease for lease in state.leases.values() if lease.status not in waits and not _is_by_hand(lease))
    jobs = ((job.batch, job.owner.host) for job in state.jobs.values())
    units = (*jobs, *((lease.batch, lease.holder.host) for lease in at_work))
    return any(host in (None, where) and not is_untouchable(state, batch) for batch, where in units)


def _is_by_hand(lease: Lease) -> bool:
    return lease.worked_by is not None and lease.status is RunStatus.RUNNING


def waits_for_a_person(state: State, effect: Effect) -> bool:
    """Say whether an effect that changed nothing waits for a person, and not for the world to be ready."""
    if isinstance(effect, KeepEvidence | KeepCheck | OpenFollowUp):
        return True
    if not isinstance(effect, Merge | AcceptMerge):
        return False
    batch = state.batches[effect.batch]
    return batch.status in (BatchStatus.AWAITING_MERGE, BatchStatus.BLOCKED) and batch.reason is not None


def is_settled(
    state: State, issues: Collection[int] | None = None, tried_again: Collection[Effect] = frozenset()
) -> bool:
    """Say whether those issues (None: all) are over, or wait for a person alone.

    A batch that an effect is `tried_again` for, which the world was not ready for, waits for nobody.
    """
    going_on = {getattr(effect, "batch", None) for effect in tried_again}
    for issue, entry in state.entries.items():
        if (issues is not None and issue not in issues) or entry.status in TERMINAL_ENTRIES:
            continue
        if entry.status in (EntryStatus.PARKED, EntryStatus.BLOCKED) or entry.hold is not None:
            continue
        if entry.batch is not None and _is_claimed(state, entry.batch, issue):
            continue
        batch = state.batches.get(entry.batch) if entry.batch is not None else None
        if batch is None or batch.id in going_on or batch.status not in _FOR_A_PERSON:
            return False
    return True


def _is_claimed(state: State, batch: str, issue: int) -> bool:
    lease = state.leases.get((batch, issue))
    return lease is not None and _is_by_hand(lease)


def _is_bad(state: State, entry: Entry) -> bool:
    if entry.status in _BAD_ENTRIES or entry.hold is not None:
        return True
    if entry.status is not EntryStatus.ASSIGNED:
        return False
    batch, member = state.batches.get(entry.batch or ""), state.member_of_issue(entry.issue)
    is_blocked = batch is not None and batch.status is BatchStatus.BLOCKED
    return is_blocked or (member is not None and member.hold is not None)


def went_wrong(state: State, issues: Collection[int] | None, before: State) -> bool:
    """Say whether something became evicted, parked, held, blocked or failed since `before`.

    What is named has to have shipped, whenever it went wrong: a call that goes on after a kill ends as the first would.
    """
    entries = [entry for issue, entry in state.entries.items() if issues is None or issue in issues]
    if issues is not None and any(_is_bad(state, entry) for entry in entries):
        return True
    if any(_has_fallen(entry, before.entries.get(entry.issue)) for entry in entries):
        return True
    return any(_has_suffered(batch, before.batches.get(batch.id)) for batch in state.batches.values())


def _has_fallen(entry: Entry, then: Entry | None) -> bool:
    """Say whether an entry has become bad, or held."""
    if entry.status in _BAD_ENTRIES and (then is None or then.status is not entry.status):
        return True
    return entry.hold is not None and (then is None or then.hold is None)


def _has_suffered(batch: Batch, then: Batch | None) -> bool:
    """Say whether a batch has become blocked, or has ended with more evictions."""
    if batch.status is BatchStatus.BLOCKED and (then is None or then.status is not BatchStatus.BLOCKED):
        return True
    return then is not None and batch.status in TERMINAL_BATCHES and len(batch.evictions) > len(then.evictions)
