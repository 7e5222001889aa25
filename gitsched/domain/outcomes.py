"""Answers of the outside world that are ordinary: closed unions, told apart by `match`."""

from msgspec import Struct

from gitsched.domain.events import Event


class Applied(Struct, frozen=True, kw_only=True):
    """The draft is durable in this commit."""

    commit: str
    events: tuple[Event, ...]


class Unchanged(Struct, frozen=True, kw_only=True):
    """The intent found nothing to change; nothing was written."""


class RefMoved(Struct, frozen=True, kw_only=True):
    """A ref that had to move along was not where the draft expected it; nothing was written."""

    name: str
    expected: str | None
    found: str | None


class Unreachable(Struct, frozen=True, kw_only=True):
    """There was no answer; nothing is decided on it."""

    what: str
    detail: str


Transacted = Applied | Unchanged | RefMoved
