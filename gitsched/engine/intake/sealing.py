"""`seal`: fix a forming batch's members and settings, so that it can start."""

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus
from gitsched.engine.intake.names import batch_named
from gitsched.engine.intake.transact import transact
from gitsched.engine.perform import admission
from gitsched.errors import RefusedError
from gitsched.policy.compose import present
from gitsched.policy.refuse import set_faults
from gitsched.ports.store import Store


class SealRequest(Struct, frozen=True):
    """Which batch."""

    batch: str


class SealAnswer(Struct, frozen=True, kw_only=True):
    """The batch as it was sealed."""

    batch: str
    members: tuple[int, ...]
    """In member order."""
    generation: int


def seal(store: Store, settings: Settings, request: SealRequest, actor: str) -> SealAnswer:
    """Seal a forming batch. Raises RefusedError where it is not forming, empty, or a set that failed before."""

    def build(draft: Draft) -> SealAnswer:
        batch = batch_named(draft.state, request.batch)
        asked = f"{batch.id} was to be sealed."
        if batch.status is not BatchStatus.FORMING:
            raise RefusedError(
                asked, f"It is {batch.status}, not forming.", f"`gitsched why {batch.id}` tells what is next."
            )
        sealed = seal_batch(
            draft, batch, settings, f"`gitsched abandon {batch.id}` sends its issues back to the queue."
        )
        issues = tuple(member.issue for member in present(draft.state, sealed))
        return SealAnswer(batch=sealed.id, members=issues, generation=sealed.generation)

    return transact(store, actor, build)


def seal_batch(draft: Draft, batch: Batch, settings: Settings, remedy: str) -> Batch:
    """Seal a batch within a draft, if it is still forming, and give it as it is then.

    `remedy` names the command that helps against a set of members that failed before.
    """
    if not present(draft.state, batch):
        against = "It has no members."
        raise RefusedError(f"{batch.id} was to be sealed.", against, f"`gitsched stop {batch.id}` ends it.")
    for fault in set_faults(draft.state, batch, remedy):
        raise fault
    return admission.seal(draft, batch, settings) if batch.status is BatchStatus.FORMING else batch
