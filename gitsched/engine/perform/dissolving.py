"""Dissolving: give a batch up, and put its members where they belong."""

from msgspec.structs import replace

from gitsched.domain.effects import Dissolve, FinishDissolve
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Batch, Member
from gitsched.domain.state import Draft, RefMove
from gitsched.domain.words import LEFT_MEMBERS, BatchStatus
from gitsched.engine.desk import Desk
from gitsched.policy.dissolve import keeps_work, withdrawal


def dissolve(effect: Dissolve, desk: Desk) -> None:
    """Begin to give a batch up."""

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status in (BatchStatus.DISSOLVING, BatchStatus.DISSOLVED, BatchStatus.DONE, BatchStatus.STOPPED):
            return
        going = replace(now, status=BatchStatus.DISSOLVING, reason=effect.reason, updated_at=draft.at)
        sentence = f"Give {now.id} up: {effect.reason}"
        draft.note(EventName.BATCH_DISSOLVING, sentence, going, batch=now.id, reason=effect.reason)

    desk.record(intent)


def finish_dissolve(effect: FinishDissolve, desk: Desk) -> None:
    """Put members where they belong: what never started back into the queue, what was worked on kept on its branch."""
    batch = desk.state.batches[effect.batch]

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.DISSOLVING:
            return
        for member in draft.state.members_of(now):
            if member.status not in LEFT_MEMBERS:
                _withdraw(draft, now, member)
        control = draft.state.control
        failed = tuple(sorted(slot.issue for slot in now.members))
        is_failing = now.reason == "too-many-evicted" and failed not in control.failed_sets
        changes = [replace(control, failed_sets=(*control.failed_sets, failed))] if is_failing else []
        over = replace(now, status=BatchStatus.DISSOLVED, updated_at=draft.at)
        sentence = f"Dissolve {now.id}: {now.reason}"
        draft.note(EventName.BATCH_DISSOLVED, sentence, over, *changes, batch=now.id, reason=now.reason)

    desk.record(intent)
    _drop_empty_integration(desk, batch)


def _withdraw(draft: Draft, batch: Batch, member: Member) -> None:
    in_flight = (batch.id, member.issue) in draft.state.leases
    is_parked = keeps_work(batch, member, in_flight=in_flight)
    entry, reason = draft.state.entries[member.issue], batch.reason or "dissolved"
    gone, back = withdrawal(member, entry, reason, is_parked=is_parked, at=draft.at)
    sentence = f"Withdraw issue {member.issue} from {batch.id}; its row is {back.status}"
    draft.note(EventName.MEMBER_WITHDRAWN, sentence, gone, back, batch=batch.id, issue=member.issue, gen=member.gen)


def _drop_empty_integration(desk: Desk, batch: Batch) -> None:
    ref = branch_ref(batch.integration.branch)
    found = desk.around.refs.resolve(ref)
    base = desk.state.batches[batch.id].base
    if found is not None and found == base and desk.around.refs.held_in(batch.integration.branch) is None:
        desk.around.refs.move([RefMove(ref, found, None)])
