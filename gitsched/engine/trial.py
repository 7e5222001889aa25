"""Trial trees: the commit that holds the work of chosen members, for running tests on it."""

from gitsched.domain.landing import Rebased
from gitsched.domain.records import Batch, Member
from gitsched.engine.desk import Desk
from gitsched.engine.perform.landing import compute
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
    if everyone[: len(members)] == members and _is_row(batch, chosen):
        return chosen[-1].landed
    return _built(desk, batch, chosen)


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
