"""Trial trees: the commit that holds the work of chosen members, for running tests on it."""

from gitsched.domain.batches import Segment
from gitsched.domain.landing import Rebased, Terms, Work
from gitsched.domain.records import Batch, Member
from gitsched.engine.computing import compute
from gitsched.engine.desk import Desk
from gitsched.policy.situation import landed


def commit_of(desk: Desk, batch: Batch, members: tuple[int, ...]) -> str | None:
    """Name the commit with the work of these members on the base; None where they do not go together.

    The base, the tip and prefixes of it are there already. Others are built in memory, each time the same one.
    """
    standing = landed(desk.state.members_of(batch))
    everyone = tuple(member.issue for member in standing)
    if not members:
        return batch.base
    if members == everyone:
        return batch.integration.head
    chosen = [member for member in standing if member.issue in members]
    mended = any(one.kind == "fix" and one.issue in members for one in batch.beside)
    if everyone[: len(members)] == members and _is_row(batch, chosen) and not mended:
        return chosen[-1].landed
    head = _built(desk, batch, chosen)
    return None if head is None else fixes_on(desk, batch, head, set(members))[0]


def _is_row(batch: Batch, members: list[Member]) -> bool:
    """Say whether each of them stands right on the one before, the first on the base."""
    onto = batch.base
    for member in members:
        if member.landed_from != onto:
            return False
        onto = member.landed
    return True


def _built(desk: Desk, batch: Batch, members: list[Member]) -> str | None:
    head = batch.base
    for member in members:
        answer = compute(desk, batch, member, head or "")
        if not isinstance(answer, Rebased):
            return None
        head = answer.head
    return head


def fixes_on(desk: Desk, batch: Batch, head: str, staying: set[int]) -> tuple[str, tuple[Segment, ...]]:
    """Put the fixes of those that stay on top again; one that does not apply any more goes, for the suite to tell."""
    fixes: list[Segment] = []
    for fix in batch.beside:
        if fix.kind != "fix" or fix.issue not in staying:
            continue
        terms = Terms(committer=desk.committer(batch.created_at), decoration=None)
        answer = desk.around.lander.land(Work(cut=fix.start, pinned=fix.end), head, terms)
        if isinstance(answer, Rebased):
            fixes.append(Segment(issue=fix.issue, kind=fix.kind, start=head, end=answer.head))
            head = answer.head
    return head, tuple(fixes)
