"""Where an integration branch stands: as recorded, lagging behind the record, moved or held by somebody else."""

from collections.abc import Iterator

from gitsched.domain.events import EventName, FieldValue
from gitsched.domain.ids import branch_folders, branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch
from gitsched.domain.state import Draft, RefMove
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.errors import BusyError


def target_of(desk: Desk, batch: Batch) -> str | None:
    """Name the commit that a batch's target is at; None where there is no such branch.

    Raises BusyError where it cannot be asked.
    """
    found = desk.around.forge.target(batch.target)
    if isinstance(found, Unreachable):
        raise BusyError(f"The target {batch.target} of {batch.id} was to be read.", f"{found.what}: {found.detail}.")
    return found


def free_folder(desk: Desk, batch: str) -> str:
    """Find a folder without branches: what is there was left by an earlier store, or is a person's, and stays."""
    refs = desk.around.refs

    def is_free(folder: str) -> bool:
        name = branch_ref(f"gitsched/{folder}")
        return refs.resolve(name) is None and not refs.below(f"{name}/")

    return next(folder for folder in branch_folders(batch) if is_free(folder))


def is_as_recorded(desk: Desk, batch: Batch, head: str) -> bool:
    """Say whether the integration branch can be built on; where not, the batch is blocked.

    It can be where it is as the record has it, and no worktree has it checked out: the files there would not follow.
    """
    branch, ref = batch.integration.branch, branch_ref(batch.integration.branch)
    held_in = desk.around.refs.held_in(branch)
    if held_in is None and branch_tip(desk, batch, head) == head:
        return True

    def intent(draft: Draft) -> None:
        now = draft.state.batches.get(batch.id)
        if now is None or now.status is not batch.status or now.integration.head != head:
            return  # another driver was quicker: what it recorded is no one else's doing
        found = desk.around.refs.resolve(ref)
        if held_in is not None:
            block(draft, batch.id, "landing-failed", f"{branch} is checked out in '{held_in}'")
        elif found != head:
            block(draft, batch.id, "landing-failed", f"{branch} is at {found}, recorded is {head}")

    desk.record(intent)
    return False


def branch_tip(desk: Desk, batch: Batch, head: str) -> str | None:
    """Tell where the integration branch is, set right to `head` where only its own ref lags behind the record.

    The state is the truth of what has landed. A ref that stands where the record has had it before was torn by a kill
    between two refs of one move; anything else is somebody else's and stays.
    """
    ref = branch_ref(batch.integration.branch)
    found = desk.around.refs.resolve(ref)
    if found == head or not _lags(desk, batch, found, head):
        return found
    if desk.around.refs.move([RefMove(ref, found, head)]) is not None:
        return desk.around.refs.resolve(ref)
    sentence = f"Set {batch.integration.branch} to {head[:12]} as recorded"
    desk.record(lambda draft: draft.note(EventName.LANDING_REPAIRED, sentence, batch=batch.id, head=head))
    return head


def known_heads(desk: Desk, batch: Batch) -> frozenset[str]:
    """Name every commit that gitsched itself has put the integration branch to."""
    heads = (*_heads_before(desk, batch), batch.base, batch.pr.head if batch.pr is not None else None)
    return frozenset(head for head in heads if isinstance(head, str))


def _lags(desk: Desk, batch: Batch, found: str | None, head: str) -> bool:
    """Say whether a ref was left behind by the record, which is read again after it: it always moves first."""
    now = desk.state.batches.get(batch.id)
    if now is None or now.integration.head != head:
        return False
    return found is None or desk.around.lander.is_ancestor(found, head) or found in _heads_before(desk, batch)


_MOVES_HEAD = (EventName.MEMBER_LANDED, EventName.BATCH_REBUILT, EventName.BATCH_REBASED)


def _heads_before(desk: Desk, batch: Batch) -> Iterator[FieldValue]:
    """Walk the heads that the record has had for the integration branch, newest first."""
    for entry in desk.around.store.history(f"batches/{batch.id}"):
        yield from (event.fields.get("head") for event in entry.events if event.name in _MOVES_HEAD)
