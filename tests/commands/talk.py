"""A conversation in memory: people with numbers, names and roles, comments, and what was answered."""

from msgspec.structs import replace

from gitsched.domain.commands import Person, Reaction, Role, Spoken
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable

BOT = Person(id=99, login="gitsched[bot]", is_bot=True)


class Talk:
    """The Conversation port; passes its contract beside the local forge's."""

    def __init__(self, now: Instant) -> None:
        self.now = now
        self.roles: dict[int, Role] = {}
        self.comments: dict[int, Spoken] = {}
        self.reactions: dict[int, list[Reaction]] = {}
        self.answers: dict[tuple[int, str], str] = {}
        self.is_reachable = True
        self.asked: list[int] = []
        """Numbers of the people whose roles were looked up."""

    def say(self, number: int, body: str, by: Person | None = None, *, role: Role | None = None) -> Spoken:
        """Let a person comment; without one it is somebody who may do everything."""
        author = by or Person(id=7, login="ada")
        self.roles.setdefault(author.id, role or Role.ADMIN)
        if role is not None:
            self.roles[author.id] = role
        spoken = Spoken(
            comment=1000 + len(self.comments),
            number=number,
            author=author,
            body=body,
            is_edited=False,
            created_at=self.now,
            updated_at=self.now,
        )
        self.comments[spoken.comment] = spoken
        return spoken

    def edit(self, comment: int, body: str, at: Instant) -> Spoken:
        """Let somebody edit a comment."""
        self.comments[comment] = replace(self.comments[comment], body=body, is_edited=True, updated_at=at)
        return self.comments[comment]

    def spoken(self, comment: int) -> Spoken | Unreachable | None:
        return self.comments.get(comment) if self.is_reachable else _GONE

    def spoken_since(self, at: Instant) -> tuple[Spoken, ...] | Unreachable:
        found = sorted((c for c in self.comments.values() if c.updated_at >= at), key=lambda c: c.updated_at)
        return tuple(found) if self.is_reachable else _GONE

    def role_of(self, person: Person) -> Role | Unreachable:
        self.asked.append(person.id)
        return self.roles.get(person.id, Role.NONE) if self.is_reachable else _GONE

    def react(self, comment: int, reaction: Reaction) -> None:
        there = self.reactions.setdefault(comment, [])
        if comment in self.comments and reaction not in there:
            there.append(reaction)

    def answer(self, number: int, body: str, marker: str) -> None:
        self.answers[number, marker] = body


_GONE = Unreachable(what="forge", detail="not now")
