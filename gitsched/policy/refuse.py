"""Refuse: what stands against enqueuing issues, as errors that are ready to be raised. Nothing is none of them.

1. An issue that the forge does not know, or knows as closed, is not enqueued; nor is one that is active already.
2. No issue waits for itself, through any number of rows, or through batches that would wait for each other.
3. A batch takes members while it is forming, ready, executing or validating, and never one twice.
4. A batch keeps to its limits, its target and its profile, and a set of members that failed is not put together again.

See docs/reference/states.md, "Member".
"""

from collections.abc import Iterator, Mapping, Sequence

from gitsched.config.settings import Settings
from gitsched.domain.forge import Issue
from gitsched.domain.records import Batch, Entry
from gitsched.domain.state import State
from gitsched.domain.words import (
    JOINABLE_BATCHES,
    TERMINAL_BATCHES,
    TERMINAL_ENTRIES,
    BatchKind,
    BatchStatus,
    EntryStatus,
    Review,
)
from gitsched.errors import RefusedError
from gitsched.policy.compose import present, stated_target
from gitsched.policy.depend import find_cycle


def issue_faults(state: State, numbers: Sequence[int], found: Mapping[int, Issue]) -> Iterator[RefusedError]:
    """Name what is wrong with the issues themselves."""
    missing = sorted({number for number in numbers if number not in found})
    if len(missing) > 1:
        asked = f"Issues {_listed(missing)} were to be enqueued."
        yield RefusedError(asked, "The forge has no such issues.", "`gitsched issue list` shows those that it has.")
    for position, number in enumerate(numbers):
        asked = f"Issue {number} was to be enqueued."
        issue = found.get(number)
        if number in numbers[:position]:
            yield RefusedError(asked, "It is named twice.", solo_remedy(sorted(set(numbers))))
        elif issue is None:
            yield RefusedError(asked, "The forge has no such issue.", "`gitsched issue list` shows those that it has.")
        elif not issue.is_open:
            yield RefusedError(asked, "It is closed.", f"`gitsched issue reopen {number}` opens it again.")
        else:
            yield from _row_faults(state, number)


def _row_faults(state: State, number: int) -> Iterator[RefusedError]:
    entry, asked = state.entries.get(number), f"Issue {number} was to be enqueued."
    if entry is None:
        return
    if entry.status is EntryStatus.PARKED:
        yield RefusedError(asked, f"It is parked: {entry.reason}.", f"`gitsched requeue {number}` continues its work.")
    elif entry.status not in TERMINAL_ENTRIES:
        where = f" in {entry.batch}" if entry.batch else ""
        against = f"It is in the queue already: {entry.status}{where}."
        yield RefusedError(asked, against, f"`gitsched why {number}` tells what it waits for.")
    elif entry.status is EntryStatus.FAILED:
        live = (b for b in state.batches_in_order() if b.status not in TERMINAL_BATCHES)
        home = next((b.id for b in live if any(slot.issue == number for slot in b.members)), None)
        if home is not None:
            against = f"It failed, and its batch {home} is not over: its work may still merge."
            yield RefusedError(asked, against, f"`gitsched stop {home}` ends the batch.")


def dependency_faults(state: State, rows: Sequence[Entry], batch: str | None) -> Iterator[RefusedError]:
    """Name the dependencies of new rows that can never come; `batch` is where the rows are to be members."""
    for row in rows:
        if row.issue in row.deps:
            asked = f"Issue {row.issue} was to be enqueued after {_listed(row.deps)}."
            yield RefusedError(asked, "It would wait for itself.", f"`gitsched enqueue {row.issue}` leaves that out.")
    waiting = {issue: row for issue, row in state.entries.items() if _can_be_waited_for(row)}
    waiting.update({row.issue: row for row in rows})
    asked = f"{_named(rows)} to be enqueued."
    cycle = find_cycle({issue: row.deps for issue, row in waiting.items()})
    if cycle is not None:
        against = f"Each would wait for the next: {' → '.join(str(issue) for issue in cycle)}."
        yield RefusedError(asked, against, _opened(cycle, rows))
        return
    homes = {issue: row.batch or str(issue) for issue, row in waiting.items()}
    homes.update({row.issue: batch or str(row.issue) for row in rows})
    ring = _ring_of_homes(waiting, homes)
    if ring is not None:
        against = f"Batches would wait for each other's merge: {' → '.join(ring)}."
        yield RefusedError(asked, against, _alone(rows))


def _opened(cycle: Sequence[int], rows: Sequence[Entry]) -> str:
    new = {row.issue for row in rows}
    old = next((issue for issue in cycle if issue not in new), None)
    if old is not None:
        return f"`gitsched stop {old}` takes one of them out of the queue."
    return f"`gitsched issue show {cycle[0]}` shows what its text says it depends on."


def _can_be_waited_for(row: Entry) -> bool:
    return row.status not in TERMINAL_ENTRIES and row.status is not EntryStatus.SHIPPED


def _ring_of_homes(waiting: Mapping[int, Entry], homes: Mapping[int, str]) -> list[str] | None:
    """Find batches, or issues that stand alone, of which each waits for a member of the next."""
    names = sorted(set(homes.values()))
    number = {name: position for position, name in enumerate(names)}
    edges: dict[int, set[int]] = {}
    for issue, row in waiting.items():
        mine = number[homes[issue]]
        edges.setdefault(mine, set()).update(number[homes[dep]] for dep in row.deps if dep in homes)
        edges[mine].discard(mine)
    ring = find_cycle(edges)
    return None if ring is None else [names[position] for position in ring]


def join_faults(state: State, batch: Batch, rows: Sequence[Entry]) -> Iterator[RefusedError]:
    """Name what keeps a batch from taking these rows as members."""
    asked = f"{_named(rows)} to join {batch.id}."
    alone = _alone(rows)
    if batch.kind is BatchKind.SOLO:
        yield RefusedError(asked, f"{batch.id} is the batch of a single issue.", alone)
    elif batch.status not in JOINABLE_BATCHES:
        why = f" ({batch.reason})" if batch.reason else ""
        against = f"{batch.id} is {batch.status}{why}, and members join only before the suite has spoken."
        yield RefusedError(asked, against, alone)
    taken = {slot.issue for slot in batch.members}
    awaited = {dep: member.issue for member in present(state, batch) for dep in member.deps}
    for row in rows:
        if row.issue in taken:
            yield RefusedError(asked, f"Issue {row.issue} was a member of {batch.id} before.", alone)
        elif row.issue in awaited:
            against = (
                f"Issue {awaited[row.issue]} stands there already and depends on {row.issue}, which would land later."
            )
            yield RefusedError(asked, against, alone)


def value_faults(state: State, batch: Batch, target: str | None, profile: str | None) -> Iterator[RefusedError]:
    """Name the values of a batch that somebody has stated and that are stated otherwise now."""
    is_forming = batch.status is BatchStatus.FORMING
    known = {"target": stated_target(state, batch) if is_forming else batch.target, "profile": batch.profile}
    for what, value in {"target": target, "profile": profile}.items():
        if value is not None and known[what] is not None and value != known[what]:
            asked = f"{batch.id} was to have the {what} {value}."
            against = f"Its {what} is {known[what]}."
            yield RefusedError(asked, against, f"`gitsched show {batch.id}` shows it; leave the {what} out to join it.")


def limit_faults(state: State, batch: str, rows: Sequence[Entry], settings: Settings) -> Iterator[RefusedError]:
    """Name the limits of a batch that these new members would break."""
    there = state.batches.get(batch)
    members = () if there is None else present(state, there)
    limits = settings.batch
    asked, alone = f"{_named(rows)} to be in {batch}.", _alone(rows)
    count = len(members) + len(rows)
    if count > limits.max_members:
        yield RefusedError(asked, f"It would have {count} members; `batch.max_members` is {limits.max_members}.", alone)
    reviews = [*(member.review for member in members), *(row.review for row in rows)]
    full = [review for review in reviews if review is Review.FULL]
    if len(full) > limits.max_full_review and any(row.review is Review.FULL for row in rows):
        against = f"It would have {len(full)} full reviews; `batch.max_full_review` is {limits.max_full_review}."
        yield RefusedError(asked, against, alone)


def group_faults(batch: Batch, groups: Sequence[tuple[int, ...]], issues: Sequence[int]) -> Iterator[RefusedError]:
    """Name the groups that do not lie inside a batch that has these issues and no others."""
    for group in groups:
        asked = f"{'+'.join(str(issue) for issue in group)} were to be a group of {batch.id}."
        outside = [issue for issue in group if issue not in issues]
        if outside:
            against = f"{_listed(outside)} would be no member of it."
            yield RefusedError(asked, against, f"`gitsched status {batch.id}` shows its members.")
        elif batch.status is not BatchStatus.FORMING:
            against = f"{batch.id} is {batch.status}: its groups were fixed when it was sealed."
            yield RefusedError(asked, against, f"`gitsched status {batch.id}` shows its members.")


def set_faults(state: State, batch: Batch, remedy: str) -> Iterator[RefusedError]:
    """Name the set of members that failed before and stands together again, unchanged."""
    issues = tuple(sorted(member.issue for member in present(state, batch)))
    if issues in state.control.failed_sets:
        against = f"{_listed(issues)} failed together before, and the set is the same."
        yield RefusedError(f"{batch.id} was to be sealed.", against, remedy)


def _named(rows: Sequence[Entry]) -> str:
    listed = _listed([row.issue for row in rows])
    return f"Issue {listed} was" if len(rows) == 1 else f"Issues {listed} were"


def _listed(issues: Sequence[int]) -> str:
    return ", ".join(str(issue) for issue in issues)


def _alone(rows: Sequence[Entry]) -> str:
    """Name the command by which these rows are worked without sharing a batch."""
    parked = [row.issue for row in rows if row.status is EntryStatus.PARKED]
    if parked:
        return f"`gitsched requeue {parked[0]}` continues it in a batch of its own."
    return solo_remedy([row.issue for row in rows])


def solo_remedy(issues: Sequence[int]) -> str:
    """Name the command that enqueues issues which are in no batch yet each for itself."""
    return f"`gitsched enqueue {' '.join(str(issue) for issue in issues)} --solo` works them one by one."
