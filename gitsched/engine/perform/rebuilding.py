"""Rebuilding: make the integration branch again with the members that are left, from its base or the moved target."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.effects import Evict, Rebuild
from gitsched.domain.events import EventName
from gitsched.domain.ids import LANDING_NOTES, branch_ref
from gitsched.domain.landing import Conflict, Rebased
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.domain.words import LEFT_MEMBERS, RESOLVED_MEMBERS, BatchStatus, MemberStatus
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.ending import evict
from gitsched.engine.perform.landing import Refuted, Stopped, compute
from gitsched.policy.evictions import exit_of
from gitsched.policy.situation import landed
from gitsched.view.notes import landing_note


def evict_members(effect: Evict, desk: Desk) -> None:
    """Take members out, and tell of those that have left already; where one has landed, the branch is rebuilt next."""

    def intent(draft: Draft) -> None:
        members = [draft.state.members.get((effect.batch, exit_.issue)) for exit_ in effect.exits]
        has_landed = any(member is not None and member.status is MemberStatus.LANDED for member in members)
        evict(draft, effect.exits, then=BatchStatus.EVICTING if has_landed else None)

    desk.record(intent)


class Stack(Struct, frozen=True, kw_only=True):
    """Survivors put on a base one after the other, and those that no longer apply."""

    base: str
    head: str
    placed: tuple[tuple[Member, str, Rebased], ...]
    """Member, what it was put on, and what that gave, in member order."""
    leaving: tuple[Exit, ...]
    stopped: Stopped | None = None


def rebuild(effect: Rebuild, desk: Desk) -> None:
    """Land the survivors again, in order; a rebuilt branch and its record move together."""
    batch = desk.state.batches[effect.batch]
    moves_base = batch.status is BatchStatus.REBASING
    base = desk.around.refs.resolve(branch_ref(batch.target)) if moves_base else batch.base
    if base is None or batch.integration.head is None:
        return
    stack = _stack(desk, batch, base)
    if stack.stopped is not None:
        reason, detail = stack.stopped.reason, stack.stopped.detail
        desk.record(lambda draft: block(draft, batch.id, reason, detail))
        return
    desk.record(lambda draft: _record(draft, batch, stack))


def _stack(desk: Desk, batch: Batch, base: str) -> Stack:
    head, placed, leaving = base, [], []
    gone = [exit_.issue for exit_ in batch.evictions]
    for member in landed(desk.state.members_of(batch)):
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
    return Stack(base=base, head=head, placed=tuple(placed), leaving=tuple(leaving))


def _leaving(desk: Desk, batch: Batch, member: Member, gone: list[int]) -> Exit:
    commits = desk.around.lander.commits(member.cut or "", member.head or "")
    if batch.status is BatchStatus.REBASING or not gone:
        return exit_of(member, kind="evicted", reason="landing-conflict", commits=commits)
    leaving = exit_of(member, kind="evicted", reason=f"depends-on-evicted:{gone[-1]}", commits=commits)
    return replace(leaving, counts=False)


def _record(draft: Draft, seen: Batch, stack: Stack) -> None:
    batch = draft.state.batches[seen.id]
    if batch.status is not seen.status or batch.integration.head != seen.integration.head:
        return
    if stack.leaving:
        evict(draft, stack.leaving)
        batch = draft.state.batches[seen.id]
    survivors = _survivors(draft, batch, stack)
    unresolved = any(m.status not in RESOLVED_MEMBERS for m in draft.state.members_of(batch))
    moved = stack.base != seen.base
    rebuilt = replace(
        batch,
        status=_after(seen.status, unresolved=unresolved),
        base=stack.base,
        integration=replace(batch.integration, head=stack.head),
        generation=batch.generation + 1,
        rebase_attempts=batch.rebase_attempts + (1 if moved else 0),
        suspects=(),
        failing=(),
        updated_at=draft.at,
    )
    draft.moves.append(RefMove(branch_ref(batch.integration.branch), seen.integration.head, stack.head))
    draft.keeps += [stack.head, seen.integration.head or stack.head]
    is_rebase = seen.status is BatchStatus.REBASING
    verb = "Rebase" if is_rebase else "Rebuild"
    draft.note(
        EventName.BATCH_REBASED if is_rebase else EventName.BATCH_REBUILT,
        f"{verb} {batch.id} on {stack.base[:12]} with {len(stack.placed)} members",
        rebuilt,
        *survivors,
        batch=batch.id,
        head=stack.head,
        base=stack.base,
        generation=rebuilt.generation,
        members=[member.issue for member, _, _ in stack.placed],
    )


def _survivors(draft: Draft, batch: Batch, stack: Stack) -> list[Member]:
    """Give the survivors where they stand now, note their new commits, and take the record off those that left."""
    for member, _, result in stack.placed:
        for commit in result.commits:
            text = landing_note(member, commit.original, draft.at)
            draft.notes.append(Note(LANDING_NOTES, commit.landed, text))
    placed = [replace(member, landed=result.head, landed_from=onto) for member, onto, result in stack.placed]
    gone = [
        replace(member, landed=None, landed_from=None)
        for member in draft.state.members_of(batch)
        if member.status in LEFT_MEMBERS and member.landed is not None
    ]
    return placed + gone


def _after(status: BatchStatus, *, unresolved: bool) -> BatchStatus:
    if status is BatchStatus.REBASING:
        return BatchStatus.REVALIDATING
    return BatchStatus.EXECUTING if unresolved else BatchStatus.VALIDATING
