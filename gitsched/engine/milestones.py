"""Bring batches to what GitHub milestones say, step by step; what is refused is said once, on the issue itself."""

from contextlib import suppress
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.milestones import GitHubMilestone
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
from gitsched.engine.intake.issues import IssueReader
from gitsched.engine.intake.joining import Stated, form_batch, join_batch
from gitsched.engine.intake.ordering import OrderRequest, order
from gitsched.engine.intake.sealing import SealRequest, seal
from gitsched.engine.intake.transact import transact
from gitsched.errors import GitschedError, RefusedError, TemporaryError
from gitsched.policy import refuse
from gitsched.policy.compose import present
from gitsched.policy.milestones import (
    DEMILESTONED,
    Close,
    Join,
    Leave,
    Seal,
    Sort,
    Stay,
    Step,
    Wait,
    by_number,
    steps,
)
from gitsched.ports.conversation import Conversation
from gitsched.ports.milestones import Milestones
from gitsched.ports.runner import Clock
from gitsched.ports.store import Store
from gitsched.view.commands import render_refusal

ACTOR = "gitsched"


class Table(Struct, frozen=True, kw_only=True):
    """What reconciling needs of the world."""

    store: Store
    forge: IssueReader
    milestones: Milestones
    talk: Conversation
    clock: Clock
    settings: Settings


def reconcile(table: Table) -> int:
    """Do what the milestones ask for, and say how many steps that took.

    One that cannot be worked off holds up no other: what stood in its way is raised when all have had their turn.
    """
    found = table.milestones.milestones(table.settings.github.batch_milestone)
    if isinstance(found, Unreachable):
        raise TemporaryError("GitHub milestones were to be read.", f"{found.what}: {found.detail}.")
    taken, failures = 0, list[GitschedError]()
    for milestone in sorted(found, key=lambda one: one.number):
        try:
            taken += _bring(table, milestone)
        except GitschedError as failed:
            failures.append(failed)
    if failures:
        raise failures[0]
    return taken


def _bring(table: Table, milestone: GitHubMilestone) -> int:
    asked = list(steps(table.store.read(), milestone, table.settings.batch.seal_after_s, table.clock.now()))
    for step in asked:
        _take(table, step)
    return len(asked)


def _take(table: Table, step: Step) -> None:
    match step:
        case Join():
            _join(table, step)
        case Leave():
            table.store.apply(lambda draft: _leave(draft, step), ACTOR)
        case Stay():
            told = f"This issue left its GitHub milestone and stays in {step.batch}: work on it has begun."
            _say(table, step.issue, step.batch, f"{told} `/gitsched stop #{step.issue}` would end that.")
        case Sort():
            _sort(table, step)
        case Seal():
            _seal(table, step)
        case Wait():
            table.store.apply(lambda draft: _wait(draft, step), ACTOR)
        case Close():
            _close(table, step)
        case _:
            assert_never(step)


def _join(table: Table, step: Join) -> None:
    """Let issues join, one by one where they do not all fit together, so that one refusal keeps no other out."""
    try:
        _join_all(table, step, step.issues)
    except RefusedError:
        for issue in step.issues:
            try:
                _join_all(table, step, (issue,))
            except RefusedError as refused:
                _say(table, issue, step.batch, render_refusal(refused))


def _join_all(table: Table, step: Join, issues: tuple[int, ...]) -> None:
    entries = table.store.read().entries
    queued = [issue for issue in issues if (row := entries.get(issue)) and row.status is EntryStatus.QUEUED]
    new = tuple(issue for issue in issues if issue not in queued)
    if new:
        request = EnqueueRequest(issues=new, batch=step.batch, leave_open=True, milestone=step.milestone)
        enqueue(table.store, table.forge, table.settings, request, ACTOR)
    if queued:
        transact(table.store, ACTOR, lambda draft: _adopt(draft, step, queued, table.settings))


def _adopt(draft: Draft, step: Join, issues: list[int], settings: Settings) -> None:
    """Let entries that stand in the queue by themselves become members. Raises RefusedError."""
    if step.batch not in draft.state.batches:
        form_batch(draft, step.batch, settings.project.target, settings.batch.default_priority)
    batch = draft.state.batches[step.batch]
    rows = [draft.state.entries[issue] for issue in issues if draft.state.entries[issue].batch is None]
    faults = (
        *refuse.join_faults(draft.state, batch, rows),
        *refuse.limit_faults(draft.state, batch.id, rows, settings),
    )
    for fault in faults:
        raise fault
    for row in rows:
        if row.hold == DEMILESTONED:
            freed = replace(row, hold=None)
            draft.note(EventName.HOLD_CLEARED, f"Issue {row.issue} is in its milestone again", freed, issue=row.issue)
    join_batch(draft, batch.id, [row.issue for row in rows], Stated(milestone=step.milestone))


def _leave(draft: Draft, step: Leave) -> None:
    """Take a member out for which nothing was done yet.

    From a forming batch it goes without a trace, and with it the entry that the milestone alone had made: nobody has
    said that the issue is wanted by itself. One that was queued before is queued again, and held.
    """
    batch, member = draft.state.batches[step.batch], draft.state.members.get((step.batch, step.issue))
    if member is None or member.status is not MemberStatus.WAITING:
        return
    was = draft.state.entries[step.issue]
    entry = replace(
        was,
        status=EntryStatus.QUEUED,
        reason=None,
        batch=None,
        hold=DEMILESTONED,
        updated_at=draft.at,
    )
    sentence = f"Take issue {step.issue} out of {batch.id}: it left the GitHub milestone"
    if batch.status is BatchStatus.FORMING:
        slots = tuple(slot for slot in batch.members if slot.issue != step.issue)
        rest = replace(batch, members=slots, updated_at=draft.at)
        if was.created_at == was.updated_at:  # it became an entry and a member at once
            _note_left(draft, sentence, member, (rest,), gone=(member, was))
        else:
            _note_left(draft, sentence, member, (rest, entry), gone=(member,))
    else:
        left = replace(member, status=MemberStatus.WITHDRAWN, reason=DEMILESTONED, hold=None, updated_at=draft.at)
        _note_left(draft, sentence, member, (left, entry), gone=())


def _note_left(
    draft: Draft,
    sentence: str,
    member: Member,
    changes: tuple[Batch | Member | Entry, ...],
    *,
    gone: tuple[Member | Entry, ...],
) -> None:
    draft.note(
        EventName.MEMBER_WITHDRAWN,
        sentence,
        *changes,
        removed=gone,
        batch=member.batch,
        issue=member.issue,
        reason=DEMILESTONED,
    )


def _sort(table: Table, step: Sort) -> None:
    state = table.store.read()
    batch = state.batches.get(step.batch)
    if batch is not None and batch.status is BatchStatus.FORMING:
        order(table.store, OrderRequest(batch.id, by_number(present(state, batch))), ACTOR)


def _seal(table: Table, step: Seal) -> None:
    try:
        seal(table.store, table.settings, SealRequest(step.batch), ACTOR)
    except RefusedError as refused:
        state = table.store.read()
        for member in present(state, state.batches[step.batch])[:1]:
            _say(table, member.issue, step.batch, render_refusal(refused))


def _wait(draft: Draft, step: Wait) -> None:
    batch = draft.state.batches[step.batch]
    if batch.status is BatchStatus.FORMING and batch.reason != step.reason:
        changed = replace(batch, reason=step.reason)
        sentence = f"{batch.id} is due: {step.reason}" if step.reason else f"{batch.id} can be sealed again"
        draft.note(EventName.SEAL_WAITING, sentence, changed, batch=batch.id, reason=step.reason)


def _close(table: Table, step: Close) -> None:
    request = table.store.read().batches[step.batch].pr
    told = f"Shipped by #{request.number}." if request is not None else "Done."
    with suppress(RefusedError):  # who may not close it leaves it open: nothing depends on that
        table.milestones.close_milestone(step.number, told)


def _say(table: Table, issue: int, batch: str, text: str) -> None:
    table.talk.answer(issue, text, f"gitsched:milestone:{batch}:{issue}")
