"""Joining: two states of one store that grew apart become one, record by record.

1. What one side alone changed is as that side has it; what both made the same is that.
2. Counts and remembered things have an answer of their own: money is added up, numbers that were given out stay given
   out, verdicts stand side by side, a pause on either side is a pause.
3. A batch is one thing with its settings, members, leases and jobs; an issue's row is another. One that both sides
   changed stays as the remote has it, held as `record-conflict`: the other version is in the history that was joined.
4. Whoever stands in a batch that is no longer theirs is withdrawn from it, work kept: an issue has one batch.

See docs/explanation/store.md, "Many clones of one remote".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace

from gitsched.domain.costs import summed_amounts
from gitsched.domain.records import Batch, Control, DayCosts, Entry, Job, Judged, Lease, Member, Record
from gitsched.domain.state import State, record_path
from gitsched.domain.words import LEFT_MEMBERS, RESOLVED_MEMBERS, TERMINAL_ENTRIES, EntryStatus, MemberStatus

CONFLICT = "record-conflict"
_WHOLE = ("batches", "settings", "members", "leases", "jobs")
"""What a batch is made of."""
_LOOSE = ("drivers", "heard", "costs", "rates", "judged", "schedules")
_ENDED = (*TERMINAL_ENTRIES, EntryStatus.SHIPPED)
_OVER = LEFT_MEMBERS | {MemberStatus.SHIPPED}


class Joined(Struct, frozen=True, kw_only=True):
    """What the remote's state becomes by taking ours in."""

    changes: tuple[Record, ...]
    removed: tuple[Record, ...]
    """Records of the remote's that are no more."""
    issues: tuple[int, ...]
    """Issues that both sides worked."""
    batches: tuple[str, ...]
    """Batches that both sides changed."""
    keeps: tuple[str, ...]
    """Commits of ours that the joined state may not name any more."""


def join(base: State, ours: State, theirs: State) -> Joined:
    """Join our state into the remote's; `base` is the last that both had."""
    batches = frozenset(_conflicting_batches(base, ours, theirs))
    issues = frozenset(_conflicting_issues(base, ours, theirs, batches))
    state = theirs
    for field in _LOOSE:
        state = _with_rows(state, field, _rows(base, ours, theirs, field))
    for field in _WHOLE:
        state = _with_rows(state, field, _rows(base, ours, theirs, field, batches))
    state = _with_rows(state, "entries", _entries(base, ours, theirs, issues))
    state = replace(state, control=_control(base.control, ours.control, theirs.control))
    state = _held(_consistent(state), issues, batches)
    return Joined(
        changes=tuple(_changed(theirs, state)),
        removed=tuple(_gone(theirs, state)),
        issues=tuple(sorted(issues)),
        batches=tuple(sorted(batches)),
        keeps=tuple(sorted({m.head for m in ours.members.values() if m.head is not None})),
    )


def _batch_of(record: Record) -> str:
    return record.id if isinstance(record, Batch) else getattr(record, "batch", "")


def _touched(base: State, side: State) -> Mapping[str, frozenset[tuple[str, Any]]]:
    """List by batch what a side has changed of it."""
    found: dict[str, set[tuple[str, Any]]] = {}
    for field in _WHOLE:
        before, after = getattr(base, field), getattr(side, field)
        for key in {*before, *after}:
            if before.get(key) != after.get(key):
                found.setdefault(key if isinstance(key, str) else key[0], set()).add((field, key))
    return {batch: frozenset(keys) for batch, keys in found.items()}


def _conflicting_batches(base: State, ours: State, theirs: State) -> Iterator[str]:
    mine, other = _touched(base, ours), _touched(base, theirs)
    for batch in mine.keys() & other.keys():
        keys = mine[batch] | other[batch]
        if any(getattr(ours, field).get(key) != getattr(theirs, field).get(key) for field, key in keys):
            yield batch


def _conflicting_issues(base: State, ours: State, theirs: State, batches: frozenset[str]) -> Iterator[int]:
    for issue in {*ours.entries, *theirs.entries}:
        before, mine, other = base.entries.get(issue), ours.entries.get(issue), theirs.entries.get(issue)
        is_mine_alone = mine != before and other == before
        is_both = mine not in (before, other) and other != before
        if is_both or (is_mine_alone and mine is not None and mine.batch in batches):
            yield issue


def _rows(
    base: State, ours: State, theirs: State, field: str, kept: frozenset[str] = frozenset()
) -> Mapping[Any, Record | None]:
    """Say what becomes of each row that we changed; nothing of a batch that stays as the remote has it."""
    before, mine, other = (getattr(side, field) for side in (base, ours, theirs))
    found: dict[Any, Record | None] = {}
    for key in {*before, *mine}:
        old, here, there = before.get(key), mine.get(key), other.get(key)
        if here in (old, there) or _batch_of(here or old) in kept:
            continue
        found[key] = here if there == old else _settled(old, here, there)
    return found


def _settled(old: Record | None, here: Record | None, there: Record | None) -> Record | None:
    """Settle a row that both changed and that stands for nobody's work."""
    if isinstance(here, Judged) and isinstance(there, Judged):
        return replace(there, verdicts={**here.verdicts, **there.verdicts})
    if isinstance(here, DayCosts) and isinstance(there, DayCosts):
        return _spent(old, here, there)
    return there if there is not None else here


def _spent(old: Record | None, here: DayCosts, there: DayCosts) -> DayCosts:
    before = old.profiles if isinstance(old, DayCosts) else {}
    taken = {name: {kind: -amount for kind, amount in row.items()} for name, row in before.items()}
    sides = (here.profiles, there.profiles, taken)
    names = here.profiles.keys() | there.profiles.keys()
    total = {name: summed_amounts(side.get(name, {}) for side in sides) for name in sorted(names)}
    return replace(there, profiles=total, refused=tuple(dict.fromkeys((*there.refused, *here.refused))))


def _entries(base: State, ours: State, theirs: State, issues: frozenset[int]) -> Mapping[int, Record | None]:
    """Say what becomes of each row that we changed; one that only we have, of a lost batch, is queued anew."""
    found: dict[int, Record | None] = {}
    for issue in {*base.entries, *ours.entries}:
        here, there = ours.entries.get(issue), theirs.entries.get(issue)
        if issue not in issues:
            if here not in (base.entries.get(issue), there):
                found[issue] = here
        elif there is None and here is not None:
            found[issue] = _unplaced(here)
    return found


def _unplaced(entry: Entry) -> Entry:
    is_over = entry.status in _ENDED or entry.batch is None
    return entry if is_over else replace(entry, status=EntryStatus.QUEUED, reason=None, batch=None)


def _control(base: Control, ours: Control, theirs: Control) -> Control:
    mine = {f.name: getattr(ours, f.name) for f in fields(ours) if getattr(ours, f.name) != getattr(base, f.name)}
    alone = {name: value for name, value in mine.items() if getattr(theirs, name) == getattr(base, name)}
    joined = replace(theirs, **(alone | {"next_batch": max(ours.next_batch, theirs.next_batch)}))
    pause = next((side for side in (theirs, ours) if side.paused), None)
    if pause is None:
        return joined
    return replace(joined, paused=True, pause_reason=pause.pause_reason, paused_by=pause.paused_by)


def _consistent(state: State) -> State:
    """Let each issue have the one batch that its row names, and each row one that lists it."""
    for key, member in state.members.items():
        entry = state.entries.get(member.issue)
        if member.status not in _OVER and (entry is None or entry.batch != member.batch):
            state = _without(state.put(_withdrawn(member)), key)
    for entry in state.entries.values():
        if entry.batch is not None and state.member_of_issue(entry.issue) is None:
            state = state.put(_unplaced(entry))
    return state


def _withdrawn(member: Member) -> Member:
    return replace(member, status=MemberStatus.WITHDRAWN, reason=CONFLICT, hold=None)


def _without(state: State, key: tuple[str, int]) -> State:
    """End the lease and the jobs of a member that left."""
    lease = state.leases.get(key)
    gone: list[Lease | Job] = [job for job in state.jobs_of(key[0]) if job.issue == key[1]]
    for record in (*gone, *([lease] if lease is not None else [])):
        state = state.drop(record)
    return state


def _held(state: State, issues: frozenset[int], batches: frozenset[str]) -> State:
    """Hold what both sides worked until a person has looked; what is over needs nobody."""
    for batch in batches:
        found = state.batches.get(batch)
        members = state.members_of(found) if found is not None else ()
        issues |= {member.issue for member in members if member.status not in RESOLVED_MEMBERS}
    for issue in issues:
        entry = state.entries.get(issue)
        if entry is not None and entry.status not in _ENDED:
            state = state.put(replace(entry, hold=CONFLICT))
            home = state.member_of_issue(issue)
            if home is not None and home.status not in RESOLVED_MEMBERS:
                state = state.put(replace(home, hold=CONFLICT))
    return state


def _with_rows(state: State, field: str, rows: Mapping[Any, Record | None]) -> State:
    found = getattr(state, field)
    for key, record in rows.items():
        found = found.delete(key) if record is None else found.set(key, record)
    return replace(state, **{field: found})


def _all(state: State) -> dict[str, Record]:
    rows = (getattr(state, field).values() for field in ("entries", *_WHOLE, *_LOOSE))
    return {record_path(record): record for found in rows for record in found} | {"control": state.control}


def _changed(theirs: State, state: State) -> Iterator[Record]:
    before = _all(theirs)
    yield from (record for path, record in _all(state).items() if before.get(path) != record)


def _gone(theirs: State, state: State) -> Iterator[Record]:
    after = _all(state)
    yield from (record for path, record in _all(theirs).items() if path not in after)
