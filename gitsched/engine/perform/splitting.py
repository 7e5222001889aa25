"""Splitting: cut a batch in two whose pull request conflicts again; what has landed goes on, verified as it is."""

from collections.abc import Iterator

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref, integration_branch, member_branch
from gitsched.domain.landing import Rebased, Terms, Work
from gitsched.domain.records import Batch, Integration, Member, Schedule, Settings, Slot
from gitsched.domain.ship_effects import Split
from gitsched.domain.state import Draft, RefMove
from gitsched.domain.words import BatchKind, BatchStatus, MemberStatus
from gitsched.engine.desk import Desk
from gitsched.engine.standing import free_folder
from gitsched.policy.compose import batch_id, next_number
from gitsched.policy.halves import halves, is_to_be_split
from gitsched.policy.situation import landed

CONFLICTS_AGAIN = "conflicts-again"


def split(effect: Split, desk: Desk) -> None:
    """Form two halves of what has landed, seal them as the whole was, and give the whole up; nobody runs again."""
    batch = desk.state.batches[effect.batch]
    members = landed(desk.state.members_of(batch))
    if not _is_due(batch) or halves(batch, members) is None:
        return
    heads = {member.issue: _with_fixes(desk, batch, member) for member in members}

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        standing = landed(draft.state.members_of(now))
        parts = halves(now, standing)
        if not _is_due(now) or parts is None or [m.landed for m in standing] != [m.landed for m in members]:
            return
        names = [_form(draft, desk, now, part, heads) for part in parts]
        going = replace(now, status=BatchStatus.DISSOLVING, reason=CONFLICTS_AGAIN, updated_at=draft.at)
        sentence = f"Give {now.id} up: {' and '.join(names)} go on with what has landed"
        draft.note(EventName.BATCH_DISSOLVING, sentence, going, batch=now.id, reason=CONFLICTS_AGAIN)

    desk.record(intent)


def _is_due(batch: Batch) -> bool:
    return batch.status is BatchStatus.REBASING and is_to_be_split(batch)


def _with_fixes(desk: Desk, batch: Batch, member: Member) -> str:
    """Name a member's landed commits with its fix on top of them, where it had one that applies there."""
    head = member.landed or ""
    for fix in batch.beside:
        if fix.kind == "fix" and fix.issue == member.issue:
            terms = Terms(committer=desk.committer(batch.created_at), decoration=None)
            answer = desk.around.lander.land(Work(cut=fix.start, pinned=fix.end), head, terms)
            head = answer.head if isinstance(answer, Rebased) else head
    return head


def _form(draft: Draft, desk: Desk, whole: Batch, part: tuple[Member, ...], heads: dict[int, str]) -> str:
    """Form and seal one half, and give its name."""
    number = next_number(draft.state, draft.mark)
    name = batch_id(number, draft.mark)
    folder = free_folder(desk, name)
    issues = [member.issue for member in part]
    half = Batch(
        id=name,
        kind=BatchKind.BATCH,
        status=BatchStatus.FORMING,
        members=tuple(Slot(index=at, issue=issue) for at, issue in enumerate(issues, start=1)),
        groups=tuple(group for group in whole.groups if set(group) <= set(issues)),
        target=whole.target,
        integration=Integration(branch=integration_branch(folder)),
        priority=whole.priority,
        profile=whole.profile,
        milestone=whole.milestone,
        created_at=draft.at,
        updated_at=draft.at,
    )
    counted = replace(draft.state.control, next_batch=number + 1)
    sentence = f"Split {whole.id}: {name} takes {', '.join(f'#{issue}' for issue in issues)}"
    booked = _booked(draft, whole.id, name)
    draft.note(EventName.BATCH_SPLIT, sentence, half, counted, *booked, batch=name, whole=whole.id, members=issues)
    for at, member in enumerate(part, start=1):
        _move(draft, half, replace(member, index=at, branch=member_branch(folder, at, member.issue)), heads)
    sealed: Settings = replace(draft.state.settings[whole.id], batch=name)
    ready = replace(half, status=BatchStatus.READY, settings_hash=sealed.hash, generation=1)
    draft.note(EventName.SEALED, f"Seal {name} as {whole.id} was", ready, sealed, batch=name, generation=1)
    return name


def _booked(draft: Draft, whole: str, name: str) -> Iterator[Schedule]:
    """Yield the schedules that hold the whole, with a half in them: it merges when the whole would have, not before."""
    for schedule in draft.state.schedules.values():
        if whole in schedule.batches:
            place = {name: schedule.released[whole]} if whole in schedule.released else {}
            batches, released = (*schedule.batches, name), {**schedule.released, **place}
            yield replace(schedule, batches=batches, released=released)


def _move(draft: Draft, half: Batch, placed: Member, heads: dict[int, str]) -> None:
    """Take a member out of the whole and let it enter the half verified, at its landed commits."""
    issue, head = placed.issue, heads[placed.issue]
    entry = draft.state.entries[issue]
    left = draft.state.members[placed.batch, issue]
    gone = replace(left, status=MemberStatus.WITHDRAWN, reason=CONFLICTS_AGAIN, updated_at=draft.at)
    entered = _entered(half, placed, head)
    draft.moves.append(RefMove(branch_ref(entered.branch), None, head))
    draft.keeps.append(head)
    draft.note(
        EventName.MEMBER_WITHDRAWN,
        f"Issue {issue} of {left.batch} goes on in {half.id}",
        gone,
        replace(entry, batch=half.id, updated_at=draft.at),
        batch=left.batch,
        issue=issue,
        gen=left.gen,
        reason=CONFLICTS_AGAIN,
    )
    draft.note(
        EventName.MEMBER_JOINED,
        f"Place issue {issue} in {half.id}, verified as it had landed",
        entered,
        batch=half.id,
        issue=issue,
        index=entered.index,
        head=head,
    )


def _entered(half: Batch, placed: Member, head: str) -> Member:
    """Give a member as it enters a half; it has conflicted before, and is not run for that again."""
    return replace(
        placed,
        batch=half.id,
        status=MemberStatus.VERIFIED,
        reason=None,
        cut=placed.landed_from,
        start=None,
        head=head,
        landed=None,
        landed_from=None,
        retries={**placed.retries, "conflict": 1},
        usage={},
        verified_at=half.created_at,
        updated_at=half.created_at,
    )
