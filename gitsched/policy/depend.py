"""Depend: what an issue waits for, and what follows when that can never come.

1. A dependency is satisfied by an entry that is shipped or done, or by an issue that is no entry here and was
   closed as completed on the forge.
2. A dependency on a member of the same batch orders the two; it is met once that member has landed.
3. One on an entry that failed or was stopped, also through others, blocks: `dep-failed:<n>`.
4. One on an issue that is in no queue and still open blocks: `dep-missing:<n>`.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.forge import Issue
from gitsched.domain.records import Batch, Control, Entry, Member
from gitsched.domain.state import State
from gitsched.domain.words import LANDED_MEMBERS, BatchStatus, Dispatch, EntryStatus
from gitsched.policy.order import Candidate
from gitsched.policy.scope import overlaps

_MET = frozenset({EntryStatus.SHIPPED, EntryStatus.DONE})
_HOPELESS = frozenset({EntryStatus.FAILED, EntryStatus.STOPPED})


def unmet_dependencies(state: State, candidate: Candidate) -> list[int]:
    """List the issues that a candidate still waits for, in the order it names them."""
    return [dep for dep in candidate.entry.deps if not _is_met(state, dep, candidate)]


def _is_met(state: State, dep: int, candidate: Candidate) -> bool:
    entry = state.entries.get(dep)
    if entry is None:
        return candidate.entry.status is not EntryStatus.BLOCKED
    if candidate.batch is not None and entry.batch == candidate.batch.id:
        sibling = state.members.get((candidate.batch.id, dep))
        return sibling is not None and sibling.status in LANDED_MEMBERS
    return entry.status in _MET


def blocked_by(state: State, entry: Entry, issues: Mapping[int, Issue]) -> str | None:
    """Name why an entry's dependencies can not be waited for as things stand; None when they can, or are met."""
    for dep in entry.deps:
        known = state.entries.get(dep)
        if known is None:
            issue = issues.get(dep)
            if issue is None or issue.is_open or issue.as_not_planned:
                return f"dep-missing:{dep}"
        elif (failed := failed_below(state, known)) is not None:
            return f"dep-failed:{failed}"
    return None


def failed_below(state: State, entry: Entry) -> int | None:
    """Name the issue that failed or was stopped: the entry's own, or one it waits for through any number of steps."""
    seen: set[int] = set()
    waiting = [entry]
    while waiting:
        current = waiting.pop()
        if current.status in _HOPELESS:
            return current.issue
        if current.issue in seen or current.status in _MET:
            continue
        seen.add(current.issue)
        waiting.extend(state.entries[dep] for dep in reversed(current.deps) if dep in state.entries)
    return None


def find_cycle(deps: Mapping[int, Iterable[int]]) -> list[int] | None:
    """Find a cycle among dependencies and name its issues in order, the first one repeated; None when there is none."""
    done: set[int] = set()
    for start in sorted(deps):
        path: list[int] = []
        stack = [(start, iter(sorted(deps.get(start, ()))))]
        on_path = {start}
        path.append(start)
        while stack:
            issue, following = stack[-1]
            step = next((dep for dep in following if dep not in done), None)
            if step is None:
                stack.pop()
                on_path.discard(path.pop())
                done.add(issue)
            elif step in on_path:
                return [*path[path.index(step) :], step]
            else:
                stack.append((step, iter(sorted(deps.get(step, ())))))
                on_path.add(step)
                path.append(step)
    return None


def levels(members: tuple[Member, ...]) -> dict[int, int]:
    """Give each member its topological level: 0 for one that depends on no other member of the batch."""
    by_issue = {member.issue: member for member in members}
    found: dict[int, int] = {}

    def level(issue: int, path: frozenset[int]) -> int:
        if issue not in found:
            above = path | {issue}
            inner = [dep for dep in by_issue[issue].deps if dep in by_issue and dep not in above]
            found[issue] = 1 + max((level(dep, above) for dep in inner), default=-1)
        return found[issue]

    for member in members:
        level(member.issue, frozenset())
    return found


def dispatch_of(members: tuple[Member, ...], batch: Batch, parallelism: int) -> Dispatch:
    """Say whether a batch's members run one after the other."""
    inside = {member.issue for member in members}
    depends = any(dep in inside for member in members for dep in member.deps)
    grouped = any(len(group) > 1 for group in batch.groups)
    return Dispatch.SERIAL if (parallelism == 1 and len(members) > 1) or grouped or depends else Dispatch.PARALLEL


def parallelism_of(batch: Batch, settings: Settings, control: Control) -> int:
    """Tell how many members of a batch may run at once: fixed once it has started."""
    return batch.parallelism or settings.batch.member_parallelism or control.slots_max


def begun(batch: Batch, members: tuple[Member, ...], settings: Settings, control: Control) -> Batch:
    """Give a ready batch as it is once it has started: how its members are dispatched is fixed then."""
    parallelism = parallelism_of(batch, settings, control)
    dispatch = dispatch_of(members, batch, parallelism)
    return replace(batch, status=BatchStatus.EXECUTING, parallelism=parallelism, dispatch=dispatch)


def needs_head(batch: Batch, member: Member, members: tuple[Member, ...]) -> bool:
    """Say whether a member is cut from the integration head as it is, and not from the batch's base."""
    if batch.dispatch is Dispatch.SERIAL or member.retries.get("conflict"):
        return True
    inside = {other.issue for other in members}
    if any(dep in inside for dep in member.deps):
        return True
    earlier = (other for other in members if other.index < member.index and other.files and member.files)
    return any(overlaps(member.files, other.files) for other in earlier)
