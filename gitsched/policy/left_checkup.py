"""What the doctor says of what lies about: branches that no record names, and deliveries that nobody settles."""

import shlex
from collections.abc import Iterator

from msgspec import Struct

from gitsched.domain.counting import how_many
from gitsched.domain.deliveries import Delivery
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.members import Exit
from gitsched.domain.state import State
from gitsched.policy.precondition import Precondition, amber, green

PREFIX = "gitsched/"
"""Branches of this name are ours."""
OLD_S = 900.0
"""A delivery is settled within seconds where somebody serves."""


class LeftLook(Struct, frozen=True, kw_only=True):
    """What was found there."""

    now: Instant
    branches: tuple[str, ...] = ()
    """Branches whose name is one of ours."""
    deliveries: tuple[Delivery, ...] | None = None
    """What waits in the inbox, oldest first; None where there is no inbox."""


def left_lines(look: LeftLook, state: State) -> Iterator[Precondition]:
    """Name each branch that is nobody's, and say how long deliveries have waited."""
    orphans = orphan_branches(look, state)
    for branch in orphans:
        told = f"The branch {branch} belongs to nothing on record: look at its commits before you delete it."
        yield amber("branch-orphan", told, f"git log -3 {shlex.quote(branch)} --")
    if not orphans:
        yield green("branch-orphan", "Every branch of ours belongs to a batch or to parked work.")
    if look.deliveries is not None:
        yield _inbox(look.deliveries, look.now)


def orphan_branches(look: LeftLook, state: State) -> tuple[str, ...]:
    """List the branches of ours that no batch, member, row or exit names."""
    named = {batch.integration.branch for batch in state.batches.values()}
    named |= {member.branch for member in state.members.values()}
    named |= {entry.branch for entry in state.entries.values() if entry.branch is not None}
    exits = (*(e for batch in state.batches.values() for e in batch.evictions), *_earlier(state))
    named |= {exit_.branch for exit_ in exits if exit_.branch is not None}
    return tuple(branch for branch in sorted(look.branches) if branch not in named)


def _earlier(state: State) -> Iterator[Exit]:
    for entry in state.entries.values():
        yield from entry.evidence


def _inbox(waiting: tuple[Delivery, ...], now: Instant) -> Precondition:
    if not waiting:
        return green("inbox-age", "No delivery waits.")
    many, since = how_many(len(waiting), "delivery waits", "deliveries wait"), waiting[0].received_at
    if seconds_between(since, now) < OLD_S:
        return green("inbox-age", f"{many}, the oldest since {since}.")
    return amber("inbox-age", f"{many}, the oldest since {since}: nobody settles them.", "gitsched serve")
