"""One repository of GitHub, known by its id, found again under another name or owner."""

from typing import Any
from urllib.parse import quote, urlsplit

from gitsched.adapters.forge.github.answers import Answer, DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.memory import Identity, Memory, Snapshot
from gitsched.adapters.forge.github.pace import Kind
from gitsched.adapters.forge.github.queries import OPENING
from gitsched.adapters.forge.github.wire import Wire
from gitsched.errors import ConfigError

GONE = (404, 410)
_MOST_PAGES = 200


class Repository:
    """Calls of one repository by paths below it."""

    def __init__(self, wire: Wire, configured: str, memory: Memory) -> None:
        """Stand on `OWNER/NAME`, or on whatever the repository that was so called before is called now."""
        self.wire = wire
        self.memory = memory
        self.known: Snapshot = memory.load()
        self._configured = configured
        if self.known.identity is not None and not self._is_configured(self.known.identity):
            self.known = Snapshot()

    @property
    def identity(self) -> Identity:
        """Tell which repository this is; asked once, and again after a rename."""
        if self.known.identity is None:
            self.known.identity = self._open(self._configured)
            self.save()
        return self.known.identity

    def save(self) -> None:
        """Keep what is known for the next process."""
        self.memory.save(self.known)

    def get(self, path: str, etag: str | None = None, **query: Any) -> Answer:
        """Read below the repository; 301 only for what has left it."""
        return self._followed(path, lambda full: self.wire.get(full, etag, **query))

    def send(self, verb: str, path: str, body: Any = None) -> Answer:
        """Write below the repository."""
        return self._followed(path, lambda full: self.wire.send(verb, full, body))

    def pages(self, path: str, first: Answer | None = None, **query: Any) -> list[dict[str, Any]]:
        """Read a list to its end, whatever its length. Raises UnfitAnswerError for what is no list."""
        answer, found = first or self.get(path, per_page=100, **query), []
        for page in range(2, _MOST_PAGES):
            if answer.status != 200 or not isinstance(answer.body, list):
                raise UnfitAnswerError(f"the list {path}", answer)
            found += [row for row in answer.body if isinstance(row, dict)]
            if 'rel="next"' not in answer.headers.get("link", ""):
                break
            answer = self.get(path, per_page=100, page=page, **query)
        return found

    def ask(self, document: str, kind: Kind = Kind.QUERY, **variables: Any) -> dict[str, Any]:
        """Ask in GraphQL about this repository and give `data`; what is not there is null in it.

        Raises UnansweredError, DeniedError, or UnfitAnswerError with the first error.
        """
        if kind is Kind.QUERY:
            owner, _, name = self.identity.full_name.partition("/")
            variables = {"owner": owner, "name": name, **variables}
        answer = self.wire.ask(document, kind, **variables)
        return _data(answer, "a query" if kind is Kind.QUERY else "a change")

    def _open(self, full_name: str) -> Identity:
        owner, _, name = full_name.partition("/")
        data = _data(self.wire.ask(OPENING, owner=owner, name=name), f"the repository {full_name}")
        found, viewer = data.get("repository"), data.get("viewer") or {}
        if found is None:
            raise ConfigError(
                f"The repository '{full_name}' was looked for on GitHub.",
                "There is none of that name, or this credential does not see it.",
                "`github.repository` names it; `gitsched doctor` looks at the credential.",
            )
        allowed = (("rebase", "rebaseMergeAllowed"), ("merge", "mergeCommitAllowed"), ("squash", "squashMergeAllowed"))
        return Identity(
            repository_id=int(found["databaseId"]),
            configured=self._configured,
            node_id=str(found["id"]),
            full_name=str(found["nameWithOwner"]),
            web_url=str(found["url"]),
            default_branch=str((found.get("defaultBranchRef") or {}).get("name") or ""),
            is_archived=bool(found.get("isArchived")),
            is_public={True: False, False: True}.get(found.get("isPrivate")),
            methods=tuple(method for method, key in allowed if found.get(key)),
            has_auto_merge=bool(found.get("autoMergeAllowed")),
            login=str(viewer.get("login") or ""),
            user_id=viewer.get("databaseId"),
        )

    def reopen(self) -> Identity:
        """Ask again what the repository is called and allows."""
        now = self._open(self.known.identity.full_name if self.known.identity else self._configured)
        if self.known.identity is not None and now.repository_id != self.known.identity.repository_id:
            raise ConfigError(
                f"The repository '{self._configured}' was to be read again.",
                "Its name now belongs to another repository.",
                "`github.repository` names the one that is meant.",
            )
        self.known.identity = now
        self.save()
        return now

    def recheck(self) -> None:
        """Ask again, so that nothing goes to a repository that was made public; what is not told counts as that."""
        try:
            self.reopen()
        except (ConfigError, DeniedError, UnfitAnswerError):
            self.identity.is_public = None
            self.save()

    def _followed(self, path: str, call: Any) -> Answer:
        answer: Answer = call(f"/repos/{quote(self.identity.full_name)}{path}")
        moved = answer.headers.get("x-moved-to")
        if moved is None or not self._is_renamed(moved):
            return answer
        again: Answer = call(f"/repos/{quote(self.identity.full_name)}{path}")
        return again

    def _is_renamed(self, location: str) -> bool:
        """Follow a rename by the id, and say whether it was one: else it is a single issue that has moved away."""
        parts = urlsplit(location).path.split("/")
        if "repositories" not in parts:
            return False
        number = parts[parts.index("repositories") + 1]
        if number != str(self.identity.repository_id):
            return False
        answer = self.wire.get(f"/repositories/{number}")
        name = answer.body.get("full_name") if isinstance(answer.body, dict) else None
        if not isinstance(name, str):
            raise UnansweredError("the repository's new name", f"it answered {answer.status}")
        self.known.identity = self._open(name)
        self.save()
        return True

    def _is_configured(self, identity: Identity) -> bool:
        """Say whether a snapshot is of this repository: by its name, or by the name it had when it was configured."""
        return identity.configured.lower() == self._configured.lower()


def _data(answer: Answer, asked: str) -> dict[str, Any]:
    body = answer.body if isinstance(answer.body, dict) else {}
    errors = [error for error in body.get("errors") or () if isinstance(error, dict)]
    left = [error for error in errors if error.get("type") != "NOT_FOUND"]
    if any(error.get("type") == "FORBIDDEN" for error in left):
        raise DeniedError(asked, Answer(answer.status, answer.headers, {"message": left[0].get("message")}))
    data = body.get("data")
    if left or not isinstance(data, dict):
        words = left[0].get("message") if left else f"status {answer.status}"
        raise UnfitAnswerError(asked, Answer(answer.status, answer.headers, {"message": words}))
    return data
