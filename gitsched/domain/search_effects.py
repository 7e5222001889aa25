"""Effects of a search for whoever turned a suite red (see `effects`)."""

from msgspec import Struct


class Attribute(Struct, frozen=True):
    """Look at whom evidence points, and begin to search for whoever turned the suite red."""

    batch: str


class RunStep(Struct, frozen=True, kw_only=True):
    """Run failing tests on one tree of a batch, or take what is recorded for that tree."""

    batch: str
    head: str
    """The integration head that is searched."""
    members: tuple[int, ...]
    """Whose work is in the tree; none: the base."""
    tests: tuple[int, ...]
    """Places in the batch's list of failing cases."""
    purpose: str
    attempt: int
    """Which run of this tree it is; only the first may be answered by a record."""


class ConcludeSearch(Struct, frozen=True):
    """Record what the runs of a search came to, and what follows."""

    batch: str


class ClaimFix(Struct, frozen=True):
    """Start the agent that is to mend what a member broke, or say what it waits for."""

    batch: str
    wait: str | None
    """Why it does not start yet: `capacity`, `paused`, or the budget that is used up."""


SearchEffect = ClaimFix | Attribute | RunStep | ConcludeSearch
