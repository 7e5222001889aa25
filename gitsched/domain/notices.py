"""Notices: what somebody outside is told of."""

from msgspec import Struct

from gitsched.domain.events import Event


class Notice(Struct, frozen=True, kw_only=True):
    """One thing that somebody is told of."""

    id: str
    """The same however often it is sent, and whoever sends it."""
    kind: str
    """`finished`, `needs-you`, `paused` or `failed`."""
    event: Event
