"""Deliveries: what a forge tells by itself. Each is a hint where to look; every fact is read anew."""

from enum import StrEnum

from msgspec import Struct

from gitsched.domain.instants import Instant


class Use(StrEnum):
    """What a delivery is good for."""

    COMMAND = "command"
    """A comment that may hold commands."""
    MILESTONE = "milestone"
    """GitHub milestones, or the issues in them, may have changed."""
    HINT = "hint"
    """Something that the engine looks at may have changed."""
    TENANCY = "tenancy"
    """Which repositories are served may have changed, or how one is called."""


class Delivery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event as it was delivered; of its payload what says where to look."""

    id: str
    """The forge's own; a redelivery carries the same."""
    event: str
    action: str = ""
    received_at: Instant
    repository: int | None = None
    """The repository's number, which outlives its name."""
    full_name: str = ""
    number: int | None = None
    """The issue or pull request that it is about."""
    comment: int | None = None


class FailedDelivery(Struct, frozen=True, kw_only=True):
    """A delivery that the forge could not hand over."""

    attempt: int
    """Names this try, to ask for another one."""
    id: str
    repository: int | None = None
