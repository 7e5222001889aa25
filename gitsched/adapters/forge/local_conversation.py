"""The local forge's comments as commands need them: whoever can write into this repository may do everything in it."""

from collections.abc import Iterator
from pathlib import Path

from gitsched.adapters.forge.ledger import Ledger
from gitsched.adapters.forge.local import AUTHOR, LocalForge
from gitsched.adapters.git.objects import Objects, open_repository
from gitsched.domain.commands import Person, Reaction, Role, Spoken
from gitsched.domain.forge import Comment
from gitsched.domain.instants import Instant
from gitsched.errors import UnknownUnitError
from gitsched.ports.runner import Clock


class LocalConversation:
    """The Conversation port on `refs/gitsched/forge`. It has no reactions: who comments here reads the answer."""

    def __init__(self, repository: Path, clock: Clock, *, fsync: bool = True) -> None:
        """Stand on the repository at that path."""
        self._ledger = Ledger(Objects(open_repository(repository)), fsync=fsync)
        self._forge = LocalForge(repository, clock, fsync=fsync)

    def spoken(self, comment: int) -> Spoken | None:
        """Read one comment; None where there is none."""
        return next((_spoken(found) for found in self._comments() if found.id == comment), None)

    def spoken_since(self, at: Instant) -> tuple[Spoken, ...]:
        """Read the comments that changed at `at` or later, oldest first."""
        found = sorted((c for c in self._comments() if c.updated_at >= at), key=lambda c: (c.updated_at, c.id))
        return tuple(map(_spoken, found))

    def role_of(self, person: Person) -> Role:
        """Give everybody all rights: they hold the repository in their hands."""
        return Role.ADMIN

    def react(self, comment: int, reaction: Reaction) -> None:
        """Show nothing."""

    def answer(self, number: int, body: str, marker: str) -> None:
        """Answer on an issue or pull request once, by a comment of gitsched's own."""
        try:
            self._forge.comment(number, body, marker)
        except UnknownUnitError:
            return

    def _comments(self) -> Iterator[Comment]:
        pages = self._ledger.pages()
        for number in (*pages.issue_numbers(), *(pull.number for pull in pages.pulls())):
            yield from pages.comments(number)


def _spoken(comment: Comment) -> Spoken:
    return Spoken(
        comment=comment.id,
        number=comment.issue,
        author=Person(id=0, login=comment.author, is_bot=comment.author == AUTHOR),
        body=comment.body,
        is_edited=comment.updated_at != comment.created_at,
        created_at=comment.created_at,
        updated_at=comment.updated_at,
    )
