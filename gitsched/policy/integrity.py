"""Integrity: whether records, refs and runs agree.

Each question names what is wrong, whom it belongs to and what to do. Where there is one right answer the finding
carries it; everything else is for a person, or for the next pass of a driver.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct

from gitsched.domain.ids import STATE_REF, branch_ref, run_ref
from gitsched.domain.integrity import Finding, ForgetRun, KeepCommit, RestoreBranch
from gitsched.domain.records import Batch, Entry, Exit, Member
from gitsched.domain.state import State, record_path
from gitsched.domain.words import (
    LANDED_MEMBERS,
    LEFT_MEMBERS,
    TERMINAL_BATCHES,
    TERMINAL_ENTRIES,
    BatchStatus,
    EntryStatus,
    RunStatus,
)
from gitsched.policy.ship import past

_BEING_REBUILT = (BatchStatus.EVICTING, BatchStatus.REBASING)
_LEFT_AS_IS = "It is left as it is; `gitsched show {0}` shows it."


class Inspection(Struct, frozen=True, kw_only=True):
    """One look at a store and at what its records name."""

    state: State
    archived: State = State()
    """Batches that `gc` has moved out of the state."""
    refs: Mapping[str, str] = {}
    """Every ref of the repository, with what it is at."""
    runs: Mapping[tuple[str, str], int] = {}
    """Run refs by batch and name, with the generation each stands at."""
    missing: frozenset[str] = frozenset()
    """Commits that records name and that the repository does not have."""
    unkept: frozenset[str] = frozenset()
    """Those that it has and that no ref holds."""


def commits_named(state: State) -> Mapping[str, str]:
    """List every commit that must stay reachable, each with the unit that names it."""
    found: dict[str | None, str] = {}
    for batch in state.batches.values():
        integration = batch.integration.head if batch.status not in TERMINAL_BATCHES else None
        found |= dict.fromkeys((batch.base, integration), batch.id)
        for exit_ in batch.evictions:
            found |= _of_exit(exit_)
    for member in state.members.values():
        found |= dict.fromkeys((member.cut, member.head), f"issue {member.issue} of {member.batch}")
    for entry in state.entries.values():
        for exit_ in entry.evidence:
            found |= _of_exit(exit_)
    return {commit: unit for commit, unit in found.items() if commit}


def _of_exit(exit_: Exit) -> dict[str | None, str]:
    return dict.fromkeys((exit_.head, *exit_.commits), f"issue {exit_.issue} of {exit_.batch}")


def integrity(look: Inspection) -> tuple[Finding, ...]:
    """Name everything that does not agree, in the order of the questions."""
    return tuple(finding for question in _QUESTIONS for finding in question(look))


def _unreadable(look: Inspection) -> Iterator[Finding]:
    for path, detail in sorted(look.state.unreadable.items()):
        yield Finding(
            code="record-unreadable",
            unit=path,
            message=f"The record {path} does not decode: {detail}.",
            fix=f"`git show {STATE_REF}:{path}` shows it; `git log {STATE_REF} -- {path}` who wrote it.",
        )


def _entries(look: Inspection) -> Iterator[Finding]:
    """Compare rows with batches: a row is assigned to one that lists it as a member that has not left."""
    for entry in look.state.entries_in_order():
        if entry.status is not EntryStatus.ASSIGNED or _unread(look, entry):
            continue
        member = look.state.members.get((entry.batch or "", entry.issue))
        if member is None or member.status in LEFT_MEMBERS:
            what = "which does not list it" if member is None else f"where it is {member.status}"
            yield _crossed(f"issue {entry.issue}", f"Its row is assigned to {entry.batch}, {what}.", entry.issue)


def _unread(look: Inspection, entry: Entry) -> bool:
    return any(path.startswith(f"batches/{entry.batch}/") for path in look.state.unreadable)


def _members(look: Inspection) -> Iterator[Finding]:
    """Compare batches with members: each lists the other, and the row of one that has not left names the batch."""
    state = look.state
    for batch in state.batches_in_order():
        for slot in batch.members:
            member = state.members.get((batch.id, slot.issue))
            path = f"batches/{batch.id}/members/{slot.index}-{slot.issue}"
            if member is None and path not in state.unreadable:
                yield _crossed(batch.id, f"It lists issue {slot.issue}, of which there is no member record.", batch.id)
            elif member is not None and not _has_row(state, batch, member):
                yield _crossed(batch.id, f"It lists issue {slot.issue}, whose row does not name it.", batch.id)
    listed = {(batch.id, slot.issue) for batch in state.batches.values() for slot in batch.members}
    lost = {path.split("/")[1] for path in state.unreadable if path.endswith("/batch")}
    for key, member in sorted(state.members.items()):
        if key not in listed and member.batch not in lost:
            yield _crossed(
                f"issue {member.issue} of {member.batch}", "No batch lists it as its member.", record_path(member)
            )


def _has_row(state: State, batch: Batch, member: Member) -> bool:
    if batch.status in TERMINAL_BATCHES or member.status in LEFT_MEMBERS:
        return True
    row = state.entries.get(member.issue)
    if row is None:
        return f"queue/{member.issue % 256:02x}/{member.issue}" in state.unreadable
    return row.batch == batch.id or row.status in TERMINAL_ENTRIES


def _crossed(unit: str, message: str, shown: str | int) -> Finding:
    return Finding(code="reference-broken", unit=unit, message=message, fix=_LEFT_AS_IS.format(shown))


def _slots(look: Inspection) -> Iterator[Finding]:
    """Compare leases with slots and members: one run a slot, and nothing that is over holds any.

    Their number may be above `slots.max` for a while: an operator may lower it at any time.
    """
    state, holders = look.state, dict[int, str]()
    for key, lease in sorted(state.leases.items()):
        unit, member = f"issue {lease.issue} of {lease.batch}", state.members.get(key)
        if lease.slot in holders:
            message = f"It holds slot {lease.slot}, as does {holders[lease.slot]}."
            yield Finding(code="slot-doubled", unit=unit, message=message, fix=_LEFT_AS_IS.format(lease.issue))
        holders[lease.slot] = unit
        if member is None and _member_path(state, key) not in state.unreadable:
            yield _crossed(unit, "It holds a slot and is no member.", lease.issue)
    over = {batch.id for batch in state.batches.values() if batch.status in TERMINAL_BATCHES}
    for batch_id, name in sorted((*((b, f"the run of issue {i}") for b, i in state.leases), *state.jobs)):
        if batch_id in over:
            message = f"It is over, and {name} is still on record."
            yield Finding(code="ended-holds", unit=batch_id, message=message, fix="`gitsched tick` ends it.")


def _member_path(state: State, key: tuple[str, int]) -> str | None:
    """Name the path at which the member's record would stand, as its batch has it; None where no batch lists it."""
    batch = state.batches.get(key[0])
    slots = batch.members if batch is not None else ()
    return next((f"batches/{key[0]}/members/{s.index}-{s.issue}" for s in slots if s.issue == key[1]), None)


def _landed(look: Inspection) -> Iterator[Finding]:
    """Compare landings with their order: each stands on the one before it, the first on the base."""
    for batch in look.state.batches_in_order():
        at, head = batch.base, batch.integration.head
        if at is None or head is None or {batch.status, batch.came_from} & {*_BEING_REBUILT}:
            continue
        for member in look.state.members_of(batch):
            if member.status in LANDED_MEMBERS:
                at = past(batch.beside, at or "", member.landed_from)
                if member.landed_from != at:
                    message = f"Issue {member.issue} landed on {member.landed_from}, not on the one before it, {at}."
                    yield Finding(
                        code="landing-order", unit=batch.id, message=message, fix=_LEFT_AS_IS.format(batch.id)
                    )
                at = member.landed


def _branches(look: Inspection) -> Iterator[Finding]:
    """Look for branches that records name; one that is gone can be made again where its head is on record."""
    for unit, branch, head in _branches_named(look.state):
        if branch_ref(branch) in look.refs:
            continue
        can = head is not None and head not in look.missing
        fix = (
            f"git branch {branch} {head}"
            if can
            else "Its head is not on record: look for it with `git fsck --lost-found`."
        )
        mend = RestoreBranch(branch_ref(branch), head) if head is not None and can else None
        yield Finding(code="branch-missing", unit=unit, message=f"Its branch {branch} is gone.", fix=fix, mend=mend)


def _branches_named(state: State) -> Iterator[tuple[str, str, str | None]]:
    for batch in state.batches_in_order():
        if batch.status in TERMINAL_BATCHES:
            continue
        if batch.integration.head is not None:
            yield batch.id, batch.integration.branch, batch.integration.head
        for member in state.members_of(batch):
            if member.cut is not None and member.branch:
                yield f"issue {member.issue} of {batch.id}", member.branch, member.head
    for entry in state.entries_in_order():
        if entry.status is EntryStatus.PARKED and entry.branch is not None:
            # One that had not begun was parked with a name for its branch and no work on it.
            heads = (exit_.head for exit_ in reversed(entry.evidence) if exit_.branch == entry.branch and exit_.head)
            yield from ((f"issue {entry.issue}", entry.branch, head) for head in islice(heads, 1))


def _runs(look: Inspection) -> Iterator[Finding]:
    """Compare runs at work with run refs: each has one of its generation, and each run ref a run."""
    state, working = look.state, {(job.batch, job.run) for job in look.state.jobs.values()}
    working |= {(member.batch, str(member.issue)) for member in state.members.values() if member.owed}
    working |= {(batch.id, owed["run"]) for batch in state.batches.values() for owed in batch.owed.values()}
    for (batch, issue), lease in sorted(state.leases.items()):
        working.add((batch, str(issue)))
        found = look.runs.get((batch, str(issue)))
        # Who works by hand has no run before the last word.
        if lease.status is RunStatus.RUNNING and found != lease.gen and lease.worked_by is None:
            ref = run_ref(batch, str(issue))
            stands = "there is none" if found is None else f"it stands at {found}"
            yield Finding(
                code="lease-without-run" if found is None else "run-disagrees",
                unit=f"issue {issue} of {batch}",
                message=f"Its run {lease.gen} is at work by the record, and of {ref} {stands}.",
                fix="`gitsched tick` settles it once its lease has ended.",
            )
    for (batch, name), gen in sorted(look.runs.items()):
        if (batch, name) not in working:
            yield Finding(
                code="run-orphan",
                unit=run_ref(batch, name),
                message="No lease and no job stands behind this run ref.",
                fix="`gitsched fsck --fix` deletes it.",
                mend=ForgetRun(batch, name, gen),
            )


def _commits(look: Inspection) -> Iterator[Finding]:
    for state in (look.state, look.archived):
        for commit, unit in commits_named(state).items():
            if commit in look.missing:
                fix = f"Fetch it from another clone: `git fetch <clone> {commit}`."
                message = f"Its commit {commit} is not in the repository."
                yield Finding(code="commit-missing", unit=unit, message=message, fix=fix)
            elif commit in look.unkept:
                message = f"Its commit {commit} is held by no ref: a garbage collection would take it."
                mend = KeepCommit(commit)
                yield Finding(
                    code="commit-unkept", unit=unit, message=message, fix="`gitsched fsck --fix` keeps it.", mend=mend
                )


_QUESTIONS = (_unreadable, _entries, _members, _slots, _landed, _branches, _runs, _commits)
