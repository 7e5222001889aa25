"""GitHub's comments as commands need them: who wrote them by number, what that person may do now, and the answers."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.comments import Comments
from gitsched.adapters.forge.github.repository import GONE, Repository
from gitsched.adapters.forge.github.shapes import instant
from gitsched.domain.commands import Person, Reaction, Role, Spoken
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import UnknownUnitError

_REACTIONS: Final[Mapping[Reaction, str]] = {
    Reaction.SEEN: "eyes",
    Reaction.FULFILLED: "+1",
    Reaction.REFUSED: "confused",
}
_FOLDED: Final[Mapping[str, Role]] = {"admin": Role.ADMIN, "write": Role.WRITE, "read": Role.READ, "none": Role.NONE}
"""What GitHub folds every role into, custom ones too."""


class GitHubConversation:
    """The Conversation port on one repository of GitHub."""

    def __init__(self, repository: Repository, comments: Comments) -> None:
        """Stand on a repository."""
        self._repository = repository
        self._comments = comments

    def spoken(self, comment: int) -> Spoken | Unreachable | None:
        """Read one comment; None when it is gone."""
        try:
            answer = self._repository.get(f"/issues/comments/{comment}")
        except (UnansweredError, DeniedError) as failed:
            return Unreachable(what="GitHub", detail=str(failed))
        if answer.status in GONE or not isinstance(answer.body, dict):
            return None if answer.status in GONE else Unreachable(what="GitHub", detail=answer.message)
        return spoken_of(answer.body)

    def spoken_since(self, at: Instant) -> tuple[Spoken, ...] | Unreachable:
        """Read the comments that changed at `at` or later, oldest first; GitHub's own clock has whole seconds."""
        try:
            rows = self._repository.pages("/issues/comments", since=f"{at[:19]}Z", sort="updated", direction="asc")
        except (UnansweredError, DeniedError, UnfitAnswerError) as failed:
            return Unreachable(what="GitHub", detail=str(failed))
        return tuple(spoken for row in rows if (spoken := spoken_of(row)) is not None)

    def role_of(self, person: Person) -> Role | Unreachable:
        """Tell what the account of that number may do; its present name is looked up by the number."""
        try:
            account = self._repository.wire.get(f"/user/{person.id}")
            login = account.body.get("login") if isinstance(account.body, dict) else None
            if account.status in GONE or not isinstance(login, str):
                return Role.NONE
            answer = self._repository.get(f"/collaborators/{quote(login)}/permission")
        except (UnansweredError, DeniedError) as failed:
            return Unreachable(what="GitHub", detail=str(failed))
        if answer.status in GONE or not isinstance(answer.body, dict):
            return Role.NONE
        # Between the two questions the name may have become somebody else's.
        user = answer.body.get("user")
        if not isinstance(user, dict) or user.get("id") != person.id:
            return Role.NONE
        return _role(answer.body)

    def react(self, comment: int, reaction: Reaction) -> None:
        """Put a reaction on a comment; what stands in the way of that is no matter."""
        try:
            self._repository.send("POST", f"/issues/comments/{comment}/reactions", {"content": _REACTIONS[reaction]})
        except (UnansweredError, DeniedError):
            return

    def answer(self, number: int, body: str, marker: str) -> None:
        """Answer once, or edit the answer in place. Raises UnansweredError where that must be tried again."""
        try:
            self._comments.write(number, body, marker)
        except (UnknownUnitError, DeniedError, UnfitAnswerError):
            return  # gone, locked, or turned into something that takes no comments


def spoken_of(row: Mapping[str, Any]) -> Spoken | None:
    """Read a comment from REST; None for one that tells no issue."""
    number = str(row.get("issue_url") or "").rpartition("/")[2]
    if not number.isdigit():
        return None
    created_at, updated_at = instant(row.get("created_at")), instant(row.get("updated_at"))
    return Spoken(
        comment=int(row["id"]),
        number=int(number),
        author=_author(row),
        body=str(row.get("body") or ""),
        is_edited=created_at != updated_at,
        created_at=created_at,
        updated_at=updated_at,
    )


def _author(row: Mapping[str, Any]) -> Person | None:
    user = row.get("user")
    if not isinstance(user, dict) or not isinstance(user.get("id"), int):
        return None
    by_app = row.get("performed_via_github_app") is not None
    return Person(id=user["id"], login=str(user.get("login") or ""), is_bot=by_app or user.get("type") != "User")


def _role(answer: Mapping[str, Any]) -> Role:
    try:
        return Role(str(answer.get("role_name")))
    except ValueError:
        return _FOLDED.get(str(answer.get("permission")), Role.NONE)
