"""What people say in comments: the commands, who may give them, and what became of each."""

from enum import StrEnum

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant


class CommandVerb(StrEnum):
    """What a comment can ask for."""

    HELP = "help"
    STATUS = "status"
    WHY = "why"
    ENQUEUE = "enqueue"
    START = "start"
    ORDER = "order"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    ABANDON = "abandon"
    REQUEUE = "requeue"
    EVICT = "evict"
    HOLD = "hold"
    UNHOLD = "unhold"
    PRIORITY = "priority"
    APPROVE = "approve"
    SHIP = "ship"
    UNDO = "undo"


class Role(StrEnum):
    """What a person may do in a repository, weakest first."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"


class Reaction(StrEnum):
    """How a comment is acknowledged without words."""

    SEEN = "seen"
    FULFILLED = "fulfilled"
    REFUSED = "refused"


class Fate(StrEnum):
    """What became of one command."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class Person(Struct, frozen=True, kw_only=True):
    """An account of the forge. The id is the person; a login can change hands."""

    id: int
    login: str = ""
    is_bot: bool = False
    """An App or a bot, our own among them."""


class Spoken(Struct, frozen=True, kw_only=True):
    """A comment on an issue or pull request, as commands need it."""

    comment: int
    number: int
    """The issue or pull request that it stands on."""
    author: Person | None
    """None for an account that is gone."""
    body: str
    is_edited: bool
    created_at: Instant
    updated_at: Instant


class HeardLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One command of a comment, and what became of it."""

    line: int
    verb: str
    fate: Fate
    answer: str = ""
    """What there is to say about it, in Markdown; empty where nothing is."""


class Heard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ledger's row of a comment: a line that stands here is never run again, whichever way it comes."""

    comment: int
    number: int
    author: int
    lines: tuple[HeardLine, ...] = ()
    ignored: str | None = None
    """Why none of its lines was run."""
    is_answered: bool = False
    """Its acknowledgement is on the forge."""
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)

    def line(self, number: int) -> HeardLine | None:
        """Find what became of a line; None where it has not been run."""
        return next((line for line in self.lines if line.line == number), None)
