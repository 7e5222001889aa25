"""Landing: put a verified member's commits on the integration branch, in one move with the record of it."""

from collections.abc import Callable
from contextlib import suppress
from typing import assert_never

from msgspec.structs import replace

from gitsched.domain.counting import how_many
from gitsched.domain.effects import Land
from gitsched.domain.events import EventName
from gitsched.domain.ids import LANDING_NOTES, branch_ref
from gitsched.domain.landing import (
    Conflict,
    Rebased,
)
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.engine.blocking import block
from gitsched.engine.computing import Refuted, Stopped, compute
from gitsched.engine.desk import Desk
from gitsched.engine.ending import evict
from gitsched.engine.release import give_tree_back, without_tree
from gitsched.engine.standing import is_as_recorded
from gitsched.errors import BusyError
from gitsched.policy.dissolve import has_stale_work
from gitsched.policy.evictions import DETAIL_CHARS, exit_of
from gitsched.view.notes import landing_note

DIVERGED = "member-branch-diverged"


def land(effect: Land, desk: Desk) -> None:
    """Land one member, or record why it does not land."""
    batch = desk.state.batches[effect.batch]
    member = desk.state.members[effect.batch, effect.issue]
    onto = batch.integration.head
    if member.status is not MemberStatus.VERIFIED or onto is None or member.head is None or member.cut is None:
        return
    if batch.status is not BatchStatus.EXECUTING:
        return
    if has_stale_work(desk.state.members_of(batch)) or not is_as_recorded(desk, batch, onto):
        return
    astray = _beyond(desk, member, member.head)
    if astray is not None:
        detail = f"{member.branch} is at {astray} on the remote; what was verified is {member.head}"
        desk.record(_if_verified(member, lambda draft, now: _stop(draft, now, DIVERGED, detail)))
        return
    commits = desk.around.lander.commits(member.cut, member.head)
    computed = compute(desk, batch, member, onto)
    match computed:
        case Rebased():
            desk.record(lambda draft: _record_landing(draft, desk, member, onto, computed))
        case Conflict(paths, _):
            desk.record(lambda draft: _record_conflict(draft, desk, member, onto, paths))
            desk.around.store.afterwards(lambda: _free(desk, member))
        case Refuted(reason, detail):
            desk.record(_if_verified(member, lambda draft, now: _refute(draft, now, reason, detail, commits)))
        case Stopped(reason, detail):
            desk.record(_if_verified(member, lambda draft, now: _stop(draft, now, reason, detail)))
        case _:
            assert_never(computed)


def _free(desk: Desk, member: Member) -> None:
    """Give back the tree of a member that is to begin anew; one that resists is found by a sweep."""
    with suppress(BusyError):
        give_tree_back(desk, member)


def _beyond(desk: Desk, member: Member, pinned: str) -> str | None:
    """Name where a member's branch is on the remote, if that holds anything which the pinned head lacks."""
    there = desk.around.refs.there(branch_ref(member.branch))
    return None if there is None or desk.around.lander.is_ancestor(there, pinned) else there


def _if_verified(member: Member, then: Callable[[Draft, Member], None]) -> Callable[[Draft], None]:
    def intent(draft: Draft) -> None:
        now = draft.state.members.get((member.batch, member.issue))
        is_executing = draft.state.batches[member.batch].status is BatchStatus.EXECUTING
        if is_executing and now is not None and now.status is MemberStatus.VERIFIED and now.head == member.head:
            then(draft, now)

    return intent


def _record_landing(draft: Draft, desk: Desk, member: Member, onto: str, landed: Rebased) -> None:
    now = draft.state.members.get((member.batch, member.issue))
    batch = draft.state.batches[member.batch]
    if now is None or now.status is not MemberStatus.VERIFIED or not _is_onto(batch, onto):
        return
    _note_peculiarities(draft, desk, now, landed)
    draft.moves.append(RefMove(branch_ref(batch.integration.branch), onto, landed.head))
    draft.moves += _lease_on_branch(desk, now)
    draft.keeps += [member.head or "", landed.head]
    for commit in landed.commits:
        draft.notes.append(Note(LANDING_NOTES, commit.landed, landing_note(now, commit.original, draft.at)))
    after = replace(
        now,
        status=MemberStatus.LANDED,
        reason=None,
        landed=landed.head,
        landed_from=onto,
        updated_at=draft.at,
    )
    moved = replace(batch, integration=replace(batch.integration, head=landed.head), updated_at=draft.at)
    draft.note(
        EventName.MEMBER_LANDED,
        f"Land issue {now.issue} of {now.batch}: {now.title}"[:120],
        after,
        moved,
        batch=now.batch,
        issue=now.issue,
        gen=now.gen,
        head=landed.head,
        original=now.head,
        commits=len(landed.commits),
    )


def _lease_on_branch(desk: Desk, member: Member) -> list[RefMove]:
    """Let the landing stand or fall with the member's branch on the remote: nothing came to it since it was seen."""
    ref, refs = branch_ref(member.branch), desk.around.refs
    is_pinned = member.head is not None and refs.resolve(ref) == member.head
    return [RefMove(ref, member.head, member.head)] if is_pinned and refs.there(ref) is not None else []


def _is_onto(batch: Batch, onto: str) -> bool:
    """Say whether a batch still takes members in, and where this landing was computed for."""
    return batch.status is BatchStatus.EXECUTING and batch.integration.head == onto


def _note_peculiarities(draft: Draft, desk: Desk, member: Member, landed: Rebased) -> None:
    if landed.dropped:
        sentence = f"Drop {how_many(len(landed.dropped), 'commit')} of issue {member.issue} that had become empty"
        draft.note(
            EventName.COMMITS_DROPPED, sentence, batch=member.batch, issue=member.issue, commits=list(landed.dropped)
        )
    if landed.linearised_as_one:
        sentence = f"Land issue {member.issue} as one commit: its merges had resolved something"
        draft.note(EventName.LINEARISED_AS_ONE, sentence, batch=member.batch, issue=member.issue)
    tip = desk.around.refs.resolve(branch_ref(member.branch))
    if tip is not None and member.head is not None and tip != member.head:
        sentence = f"Leave what the branch of issue {member.issue} got after it was pinned"
        draft.keeps.append(tip)
        draft.note(
            EventName.LATE_COMMITS, sentence, batch=member.batch, issue=member.issue, pinned=member.head, tip=tip
        )


def _record_conflict(draft: Draft, desk: Desk, member: Member, onto: str, paths: tuple[str, ...]) -> None:
    now = draft.state.members.get((member.batch, member.issue))
    batch = draft.state.batches[member.batch]
    if now is None or now.status is not MemberStatus.VERIFIED or not _is_onto(batch, onto):
        return
    again = desk.settings_of(batch).land.conflict == "retry" and not now.retries.get("conflict")
    commits = desk.around.lander.commits(now.cut or onto, now.head or onto)
    leaving = exit_of(now, kind="evicted", reason="landing-conflict", commits=commits)
    leaving = replace(leaving, detail=f"it conflicts in {', '.join(paths)}"[:DETAIL_CHARS])
    waiting = replace(
        without_tree(now),
        status=MemberStatus.WAITING,
        reason="landing-conflict",
        retries={**now.retries, "conflict": 1},
        prior=leaving,
        cut=None,
        start=None,
        head=None,
        gates={},
    )
    draft.keeps.append(now.head or onto)
    draft.note(
        EventName.LANDING_CONFLICT,
        f"Issue {now.issue} of {now.batch} conflicts in {', '.join(paths)}"[:200],
        *([waiting] if again else []),
        batch=now.batch,
        issue=now.issue,
        gen=now.gen,
        paths=list(paths),
        head=now.head,
    )
    if not again:
        evict(draft, (leaving,))


def _refute(draft: Draft, member: Member, reason: str, detail: str, commits: tuple[str, ...]) -> None:
    _note_failure(draft, member, reason, detail)
    leaving: Exit = exit_of(member, kind="evicted", reason=reason, commits=commits)
    evict(draft, (replace(leaving, detail=detail[:DETAIL_CHARS]),))


def _stop(draft: Draft, member: Member, reason: str, detail: str) -> None:
    _note_failure(draft, member, reason, detail)
    block(draft, member.batch, reason, detail)


def _note_failure(draft: Draft, member: Member, reason: str, detail: str) -> None:
    draft.note(
        EventName.LANDING_FAILED,
        f"Issue {member.issue} of {member.batch} does not land: {reason}"[:200],
        batch=member.batch,
        issue=member.issue,
        gen=member.gen,
        reason=reason,
        detail=detail[:1000],
    )
