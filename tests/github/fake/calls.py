"""One call as the fake's routes see it, and what a route answers."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.github.fake.model import Issue, Repository, User, World
from tests.github.fake.model_apps import App, Token

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

DOCUMENTATION = "https://docs.github.com/rest"
READS = frozenset({"GET", "HEAD"})
STEPS = ("none", "read", "write", "admin")
ROLES = ("none", "read", "triage", "write", "maintain", "admin")


class AnsweredError(Exception):
    """The call is answered with an error."""

    def __init__(
        self, status: int, message: str, *, errors: list[Any] | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.errors, self.headers = status, message, errors, headers or {}

    def body(self) -> dict[str, Any]:
        body = {"message": self.message, "documentation_url": DOCUMENTATION, "status": str(self.status)}
        return body if self.errors is None else {**body, "errors": self.errors}


def invalid(resource: str, field_name: str, code: str = "invalid", message: str = "") -> AnsweredError:
    """Answer that a field was not understood, as GitHub words it."""
    error = {"resource": resource, "field": field_name, "code": code}
    return AnsweredError(422, "Validation Failed", errors=[{**error, "message": message} if message else error])


@dataclass
class Answer:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Actor:
    """Who calls, and what the credential may do."""

    user: User
    token: Token | None = None
    app: App | None = None
    """By the App's own claim, or by a token of an installation of it."""
    is_claim: bool = False
    """The App itself, by its JWT: may see itself, may not see any repository."""
    places: list[int] | None = None
    """Numbers of the repositories that the credential reaches; None: those that its user reaches."""


@dataclass
class Call:
    """A request that found its route."""

    hub: "Hub"
    method: str
    path: str
    """As asked, without the prefix of an Enterprise server."""
    template: str
    parts: dict[str, Any]
    query: dict[str, str]
    json: Any
    world: World
    """What this reader sees: the present, or what a lagging list still shows."""
    version: str
    actor: Actor | None = None
    """None: nobody in particular."""
    repository: Repository = field(default_factory=lambda: NOWHERE)

    @property
    def who(self) -> Actor:
        if self.actor is None:
            raise AnsweredError(401, "Requires authentication")
        return self.actor

    def issue(self, number: int | None = None) -> Issue:
        """Find the issue or pull request that the path names, or answer as for one that left."""
        found = self.repository.issues.get(self.parts["issue_number"] if number is None else number)
        if found is None:
            raise AnsweredError(404, "Not Found")
        if found.moved_to is not None:
            place, moved = found.moved_to
            rest = self.path.split(f"/issues/{found.number}", 1)[1]
            if rest.startswith("/comments"):  # of these the description knows no redirect
                raise AnsweredError(410, "This issue was transferred")
            url = f"{self.hub.api_url}/repositories/{place}/issues/{moved}{rest}"
            raise AnsweredError(301, "Moved Permanently", headers={"Location": url})
        if found.is_deleted:
            raise AnsweredError(410, "This issue was deleted")
        return found

    def pull(self) -> Issue:
        found = self.repository.issues.get(self.parts["pull_number"])
        if found is None or found.pull is None:
            raise AnsweredError(404, "Not Found")
        return found

    def text(self, name: str, *, limit: int | None = None) -> str:
        """Take a text that has to be in the body."""
        value = self.json.get(name) if isinstance(self.json, dict) else None
        if not isinstance(value, str):
            raise invalid("Request", name, "missing_field")
        if limit is not None and len(value) > limit:
            raise invalid("Request", name, message=f"{name} is too long (maximum is {limit} characters)")
        return value

    def needs(self, permission: str) -> None:
        """Refuse a caller whose credential, or whose role here, does not allow that.

        `issues:write/read`: a token that has permissions needs the first, a person with a classic token the second.
        """
        asked, _, role = permission.partition("/")
        name, level = asked.split(":")
        actor = self.who if self.repository.is_private or level != "read" else self.actor
        granted = actor.token.permissions if actor and actor.token else None
        if granted is not None:
            allowed = STEPS.index(granted.get(name, "none")) >= STEPS.index(level)
            sentence = "Resource not accessible by integration"
        else:
            allowed = self.role_level(actor.user.id if actor else 0) >= ROLES.index(role or level)
            sentence = f"Must have {'admin rights' if level == 'admin' else 'push access'} to Repository."
        if not allowed:
            raise AnsweredError(403, sentence, headers={"X-Accepted-GitHub-Permissions": f"{name}={level}"})

    def role_level(self, user_id: int) -> int:
        """Give where a person's role stands in the ladder; a custom one stands on write."""
        place = self.repository
        role = (
            "admin" if user_id == place.owner_id else place.roles.get(user_id, "none" if place.is_private else "read")
        )
        return ROLES.index(role if role in ROLES else "write")


NOWHERE: Any = None
"""What a call outside of any repository has in its place."""
