"""`order`: say in which order a forming batch's members land."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_folder, member_branch
from gitsched.domain.records import Batch, Member, Slot
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus
from gitsched.engine.intake.names import batch_named
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy.compose import present
from gitsched.ports.store import Store


class OrderRequest(Struct, frozen=True):
    """Which batch, and its members as they are to land; those that are not named follow in their present order."""

    batch: str
    issues: tuple[int, ...]


class OrderAnswer(Struct, frozen=True, kw_only=True):
    """The members in their order from here on."""

    batch: str
    members: tuple[int, ...]


def order(store: Store, request: OrderRequest, actor: str) -> OrderAnswer:
    """Order a forming batch's members.

    Raises RefusedError once it is sealed, for an issue that is no member or is named twice, and for an order in which
    a member would land before one that it depends on.
    """

    def build(draft: Draft) -> OrderAnswer:
        batch = batch_named(draft.state, request.batch)
        members = _ordered(batch, present(draft.state, batch), request.issues)
        if [member.issue for member in members] != [member.issue for member in present(draft.state, batch)]:
            _write(draft, batch, members)
        return OrderAnswer(batch=batch.id, members=tuple(member.issue for member in members))

    return transact(store, actor, build)


def _ordered(batch: Batch, members: Sequence[Member], issues: Sequence[int]) -> list[Member]:
    asked = f"{batch.id} was to be ordered {' '.join(f'#{issue}' for issue in issues)}."
    if batch.status is not BatchStatus.FORMING:
        against = f"It is {batch.status}: member order is fixed when a batch is sealed."
        raise RefusedError(asked, against, f"`gitsched status {batch.id}` shows it.")
    by_issue = {member.issue: member for member in members}
    for issue in issues:
        if issue not in by_issue or issues.count(issue) > 1:
            against = f"Issue {issue} is {'named twice' if issue in by_issue else 'no member of it'}."
            raise RefusedError(asked, against, f"`gitsched status {batch.id}` shows its members.")
    ordered = [by_issue[issue] for issue in (*issues, *(i for i in by_issue if i not in issues))]
    before: set[int] = set()
    for member in ordered:
        late = [dep for dep in member.deps if dep in by_issue and dep not in before]
        if late:
            against = f"Issue {member.issue} depends on {late[0]}, which would land after it."
            raise RefusedError(asked, against, f"`gitsched order {batch.id} {late[0]} {member.issue}` keeps to that.")
        before.add(member.issue)
    return ordered


def _write(draft: Draft, batch: Batch, members: Sequence[Member]) -> None:
    """Give the members new indexes among those that they have, so that slots of members that left stay theirs."""
    taken = {member.issue for member in members}
    indexes = [slot.index for slot in batch.members if slot.issue in taken]
    renumbered = [_at(member, index) for member, index in zip(members, indexes, strict=True)]
    kept = [slot for slot in batch.members if slot.issue not in taken]
    slots = sorted([*kept, *(Slot(index=m.index, issue=m.issue) for m in renumbered)], key=lambda slot: slot.index)
    changed = replace(batch, members=tuple(slots), updated_at=draft.at)
    moved = [(old, new) for old, new in zip(members, renumbered, strict=True) if old.index != new.index]
    listed = [member.issue for member in members]
    draft.note(
        EventName.REORDERED,
        f"Order {batch.id}: {' '.join(f'#{issue}' for issue in listed)}",
        changed,
        *(new for _, new in moved),
        removed=[old for old, _ in moved],
        batch=batch.id,
        members=listed,
    )


def _at(member: Member, index: int) -> Member:
    """Place a member; it has no branch yet, so the name of that goes with its index."""
    return replace(member, index=index, branch=member_branch(branch_folder(member.branch), index, member.issue))
