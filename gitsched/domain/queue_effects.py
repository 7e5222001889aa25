"""Effects on rows of the queue: what the forge and the dependencies do to them (see `effects`)."""

from msgspec import Struct

from gitsched.domain.events import EventName


class BlockEntry(Struct, frozen=True):
    """Keep a queued entry out, for a reason that is not the queue's own."""

    issue: int
    event: EventName
    reason: str


class ClearEntry(Struct, frozen=True):
    """Put a blocked entry back into the queue: what blocked it is gone."""

    issue: int
    event: EventName


class AdvanceEntry(Struct, frozen=True):
    """End an entry whose issue was completed by other means."""

    issue: int


class Withdraw(Struct, frozen=True):
    """Take a member that has not started out of its batch: its issue was closed."""

    batch: str
    issue: int
    is_done: bool
    """It was completed by other means; else it was given up."""


class OpenFollowUp(Struct, frozen=True):
    """Open a draft of an issue about the failure for which an issue waits for a person."""

    issue: int


QueueEffect = BlockEntry | ClearEntry | AdvanceEntry | Withdraw | OpenFollowUp
