"""The conversation: comments on a forge as commands need them, and the answers to them."""

from typing import Protocol

from gitsched.domain.commands import Person, Reaction, Role, Spoken
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable


class Conversation(Protocol):
    """Reads comments by people, tells what a person may do, and acknowledges."""

    def spoken(self, comment: int) -> Spoken | Unreachable | None:
        """Read one comment as it is now; None when there verifiably is none (any more)."""

    def spoken_since(self, at: Instant) -> tuple[Spoken, ...] | Unreachable:
        """Read the comments of the whole repository that changed at `at` or later, oldest first."""

    def role_of(self, person: Person) -> Role | Unreachable:
        """Tell what the account of that number may do at this moment, whatever it is called now."""

    def react(self, comment: int, reaction: Reaction) -> None:
        """Put a reaction on a comment; doing so again changes nothing, nor does a comment that is gone."""

    def answer(self, number: int, body: str, marker: str) -> None:
        """Answer on an issue or pull request once; one that carries the marker already is edited in place.

        A conversation that is locked, or gone, takes no answer: nothing happens then.
        """
