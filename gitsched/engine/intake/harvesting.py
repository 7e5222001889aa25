"""`harvest` and `discard`: what becomes of the results that wait for a person in the morning."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.ids import rescue_prefix, rescue_ref
from gitsched.domain.records import Batch, Schedule
from gitsched.domain.state import Draft, RefMove, State
from gitsched.domain.words import LEFT_MEMBERS, BatchStatus, MemberStatus
from gitsched.engine.intake.ending import stop_batch
from gitsched.engine.intake.names import batch_named
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy.harvest import harvesting, let_go
from gitsched.ports.refs import Refs
from gitsched.ports.store import Store


class HarvestAnswer(Struct, frozen=True, kw_only=True):
    """The batches that land now, in this order."""

    batches: tuple[str, ...]


class DiscardAnswer(Struct, frozen=True, kw_only=True):
    """What is dropped, and where its work is kept."""

    batch: str
    refs: tuple[str, ...]


def ripe(state: State) -> list[tuple[Batch, Schedule]]:
    """List the batches that wait to be harvested, in the order of their schedules and in each of these."""
    waiting = [b for b in state.batches_in_order() if b.status is BatchStatus.AWAITING_MERGE]
    found = [(batch, schedule) for batch in waiting if (schedule := harvesting(state, batch)) is not None]
    return [(batch, schedule) for batch, schedule in found if batch.id not in schedule.released]


def harvest(store: Store, names: Sequence[str], actor: str) -> HarvestAnswer:
    """Let results land, those named or all that are ripe, one after the other on what their target is by then.

    Raises RefusedError for a batch that is not ripe.
    """

    def build(draft: Draft) -> HarvestAnswer:
        known = {batch.id: (batch, schedule) for batch, schedule in ripe(draft.state)}
        wanted = [batch_named(draft.state, name).id for name in names] or list(known)
        for name in wanted:
            if name not in known:
                status = draft.state.batches[name].status
                raise RefusedError(
                    f"{name} was to be harvested.",
                    f"It is {status}, and no result of a schedule waits there.",
                    "`gitsched harvest` without a name takes all that is ripe.",
                )
            schedule = draft.state.schedules[known[name][1].id]
            place = max(let_go(draft.state).values(), default=0) + 1
            freed = replace(schedule, released={**schedule.released, name: place}, updated_at=draft.at)
            sentence = f"Let {name} land, as schedule {schedule.id} has made it"
            draft.note(EventName.HARVESTED, sentence, freed, batch=name, schedule=schedule.id)
        return HarvestAnswer(batches=tuple(wanted))

    return transact(store, actor, build)


def discard(store: Store, refs: Refs, name: str, actor: str) -> DiscardAnswer:
    """Drop a result; its members' commits stay on rescue refs and their branches.

    Raises RefusedError for one that has merged or is over.
    """

    def build(draft: Draft) -> DiscardAnswer:
        batch = batch_named(draft.state, name)
        kept: list[str] = []
        for member in draft.state.members_of(batch):
            if member.status in LEFT_MEMBERS or member.status is MemberStatus.SHIPPED or member.head is None:
                continue
            number = len(refs.below(rescue_prefix(batch.id, member.issue))) + 1
            ref = rescue_ref(batch.id, member.issue, number)
            draft.moves.append(RefMove(ref, None, member.head))
            draft.keeps.append(member.head)
            kept.append(ref)
        stop_batch(draft, batch)
        sentence = f"Drop what {batch.id} has made; {len(kept)} rescue refs keep it"
        draft.note(EventName.DISCARDED, sentence, batch=batch.id, refs=kept)
        return DiscardAnswer(batch=batch.id, refs=tuple(kept))

    return transact(store, actor, build)
