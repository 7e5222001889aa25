"""Rebuilding: make the integration branch again with the members that are left, from its base or the moved target."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.batches import Segment
from gitsched.domain.counting import how_many
from gitsched.domain.effects import Evict, Rebuild
from gitsched.domain.events import EventName
from gitsched.domain.ids import LANDING_NOTES, branch_ref
from gitsched.domain.landing import Conflict, Rebased
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.domain.words import LEFT_MEMBERS, BatchStatus
from gitsched.engine.blocking import block
from gitsched.engine.computing import Refuted, Stopped, compute
from gitsched.engine.desk import Desk
from gitsched.engine.ending import evict
from gitsched.engine.perform.reverting import take_back
from gitsched.engine.standing import is_as_recorded, target_of
from gitsched.engine.trial import fixes_on
from gitsched.policy.dissolve import nobody_is_left
from gitsched.policy.evictions import exit_of, with_groups
from gitsched.policy.situation import first_unresolved, landed
from gitsched.view.notes import landing_note


def evict_members(effect: Evict, desk: Desk) -> None:
    """Take members out, and tell of those that have left already; where one has landed, the branch is rebuilt next."""
    desk.record(lambda draft: evict(draft, effect.exits))


class Stack(Struct, frozen=True, kw_only=True):
    """Survivors put on a base one after the other, and those that no longer apply."""

    base: str
    head: str
    placed: tuple[tuple[Member, str, Rebased], ...]
    """Member, what it was put on, and what that gave, in member order."""
    leaving: tuple[Exit, ...]
    beside: tuple[Segment, ...] = ()
    stopped: Stopped | None = None


_REBUILT = frozenset({BatchStatus.EVICTING, BatchStatus.REBASING, BatchStatus.EXECUTING})


def _moves_base(batch: Batch) -> bool:
    """Say whether it is to stand on the target as it is now."""
    return batch.status is BatchStatus.REBASING or (batch.status is BatchStatus.VALIDATING and batch.renews_base)


def rebuild(effect: Rebuild, desk: Desk) -> None:
    """Land the survivors again, in order; a rebuilt branch and its record move together."""
    batch = desk.state.batches[effect.batch]
    moves_base = _moves_base(batch)
    base = target_of(desk, batch) if moves_base else batch.base
    head = batch.integration.head
    if (
        not (batch.status in _REBUILT or moves_base)
        or base is None
        or head is None
        or not is_as_recorded(desk, batch, head)
    ):
        return
    members = desk.state.members_of(batch)
    stack = _stack(desk, batch, members, base)
    if desk.settings_of(batch).evict.strategy == "revert" and not moves_base and stack.stopped is None:
        stack = _reverted(desk, batch, members, stack)

    def intent(draft: Draft) -> None:
        now = draft.state.batches[batch.id]
        is_same = (now.status, now.renews_base) == (batch.status, batch.renews_base)
        if not is_same or now.integration.head != head or _works(draft, now) != _work_of(members):
            return
        if stack.stopped is None:
            _record(draft, batch, stack)
        else:
            block(draft, batch.id, stack.stopped.reason, stack.stopped.detail)

    desk.record(intent)


def _works(draft: Draft, batch: Batch) -> list[tuple[int, str | None]]:
    return _work_of(draft.state.members_of(batch))


def _work_of(members: tuple[Member, ...]) -> list[tuple[int, str | None]]:
    """Name whose work is on the integration branch: a rebuild that was computed for others counts for nothing."""
    return [(member.issue, member.head) for member in landed(members)]


def _stack(desk: Desk, batch: Batch, members: tuple[Member, ...], base: str) -> Stack:
    """Put the survivors on the base; whoever of them leaves takes its group along, and then it is begun again."""
    leaving: tuple[Exit, ...] = ()
    while True:
        stack = _attempt(desk, batch, members, base, leaving)
        leaving = with_groups(batch, stack.leaving, {member.issue: member for member in members})
        gone = {exit_.issue for exit_ in leaving}
        if stack.stopped is not None or not any(member.issue in gone for member, _, _ in stack.placed):
            return replace(stack, leaving=leaving)


def _reverted(desk: Desk, batch: Batch, members: tuple[Member, ...], stack: Stack) -> Stack:
    """Come to the same tree without moving the branch back: by reverts on top of it."""
    gone = {exit_.issue for exit_ in stack.leaving}
    leaving = tuple(m for m in members if m.landed is not None and (m.status in LEFT_MEMBERS or m.issue in gone))
    answer = take_back(desk, batch, leaving, stack.head)
    if isinstance(answer, Stopped):
        return replace(stack, stopped=answer)
    return replace(stack, head=answer.head, placed=(), beside=answer.beside)


def _attempt(desk: Desk, batch: Batch, members: tuple[Member, ...], base: str, without: tuple[Exit, ...]) -> Stack:
    head, placed, leaving = base, [], list(without)
    gone = [exit_.issue for exit_ in batch.evictions]
    for member in landed(members):
        if any(exit_.issue == member.issue for exit_ in leaving):
            continue
        answer = compute(desk, batch, member, head)
        match answer:
            case Rebased():
                placed.append((member, head, answer))
                head = answer.head
            case Conflict() | Refuted():
                leaving.append(_leaving(desk, batch, member, gone))
            case Stopped():
                return Stack(base=base, head=head, placed=(), leaving=(), stopped=answer)
            case _:
                assert_never(answer)
    head, fixes = fixes_on(desk, batch, head, {member.issue for member, _, _ in placed})
    return Stack(base=base, head=head, placed=tuple(placed), leaving=tuple(leaving), beside=fixes)


def _leaving(desk: Desk, batch: Batch, member: Member, gone: list[int]) -> Exit:
    commits = desk.around.lander.commits(member.cut or "", member.head or "")
    if _moves_base(batch) or not gone:
        return exit_of(member, kind="evicted", reason="landing-conflict", commits=commits)
    leaving = exit_of(member, kind="evicted", reason=f"depends-on-evicted:{gone[-1]}", commits=commits)
    return replace(leaving, counts=False)


def _record(draft: Draft, seen: Batch, stack: Stack) -> None:
    if stack.leaving:
        evict(draft, stack.leaving)
    batch = draft.state.batches[seen.id]
    survivors = _survivors(draft, batch, stack)
    status = _after(seen.status, draft.state.members_of(batch))
    rebuilt = replace(_unblamed(batch, stack, moved=stack.base != seen.base), status=status, updated_at=draft.at)
    draft.moves.append(RefMove(branch_ref(batch.integration.branch), seen.integration.head, stack.head))
    draft.keeps += [stack.head, seen.integration.head or stack.head]
    staying = [member.issue for member in landed(draft.state.members_of(batch))]
    is_rebase = seen.status is BatchStatus.REBASING or (_moves_base(seen) and not stack.leaving)
    verb = "Rebase" if is_rebase else "Rebuild"
    draft.note(
        EventName.BATCH_REBASED if is_rebase else EventName.BATCH_REBUILT,
        f"{verb} {batch.id} on {stack.base[:12]} with {how_many(len(staying), 'member')}",
        rebuilt,
        *survivors,
        batch=batch.id,
        head=stack.head,
        base=stack.base,
        generation=rebuilt.generation,
        members=staying,
    )


def _unblamed(batch: Batch, stack: Stack, *, moved: bool) -> Batch:
    """Give a batch that stands on its new commits: what its suite said of the old ones holds no more."""
    return replace(
        batch,
        base=stack.base,
        integration=replace(batch.integration, head=stack.head),
        beside=stack.beside,
        generation=batch.generation + 1,
        rebase_attempts=batch.rebase_attempts + (1 if moved else 0),
        suspects=(),
        failing=(),
        failing_count=0,
        search=None,
        fix=None,
        excused=() if moved else batch.excused,
        renews_base=False,
    )


def _survivors(draft: Draft, batch: Batch, stack: Stack) -> list[Member]:
    """Give the survivors where they stand now, note their new commits, and take the record off those that left."""
    for member, _, result in stack.placed:
        for commit in result.commits:
            text = landing_note(member, commit.original, draft.at)
            draft.notes.append(Note(LANDING_NOTES, commit.landed, text))
    standing = draft.state.members
    placed = [
        replace(standing[batch.id, member.issue], landed=result.head, landed_from=onto)
        for member, onto, result in stack.placed
    ]
    gone = [
        replace(member, landed=None, landed_from=None)
        for member in draft.state.members_of(batch)
        if member.status in LEFT_MEMBERS and member.landed is not None
    ]
    return placed + gone


def _after(status: BatchStatus, members: tuple[Member, ...]) -> BatchStatus:
    """Say where a rebuilt batch goes; one that nobody is left in stays, for it is given up next."""
    if nobody_is_left(members) or status is BatchStatus.EXECUTING:
        return status
    if status is BatchStatus.REBASING:
        return BatchStatus.REVALIDATING
    return BatchStatus.VALIDATING if first_unresolved(members) is None else BatchStatus.EXECUTING
