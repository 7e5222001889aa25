"""Opening an issue of ours on GitHub, once: looked for before it is written, and noted before and after."""

from collections.abc import Callable, Mapping, Sequence

from gitsched.adapters.forge.github.answers import UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.markers import carries, fitted, marked
from gitsched.adapters.forge.github.memory import Writing
from gitsched.adapters.forge.github.repository import Repository
from gitsched.adapters.forge.github.shapes import author_id
from gitsched.domain.instants import Instant, seconds_between


class Openings:
    """The issues of one repository that gitsched opened."""

    def __init__(self, repository: Repository, now: Callable[[], Instant], settle_s: float) -> None:
        """Stand on a repository."""
        self._repository = repository
        self._now = now
        self._settle_s = settle_s

    def open(self, title: str, body: str, marker: str, labels: Sequence[str]) -> int:
        """Open an issue, unless an open one of ours carries the marker; give its number.

        Raises UnansweredError while it cannot be told whether an earlier try has been done.
        """
        key = f"issue {marker}"
        noted = self._repository.memory.writing(key)
        if noted is not None and noted.number is not None:
            return noted.number
        known = self._ours(marker)
        if known is not None:
            return self._done(Writing(key=key, begun_at=self._now(), number=known))
        if noted is not None and seconds_between(noted.begun_at, self._now()) < self._settle_s:
            raise UnansweredError(key, "its last answer was lost; it is looked for again")
        wanted = {"title": title, "body": marked(fitted(body), marker), "labels": list(labels)}
        return self._post(wanted, Writing(key=key, begun_at=self._now()))

    def _ours(self, marker: str) -> int | None:
        me = self._repository.identity.user_id
        for row in self._repository.pages("/issues", state="open", sort="created", direction="desc"):
            if author_id(row) == me and "pull_request" not in row and carries(str(row.get("body") or ""), marker):
                return int(row["number"])
        return None

    def _post(self, wanted: Mapping[str, object], writing: Writing) -> int:
        self._repository.memory.note(writing)
        try:
            answer = self._repository.send("POST", "/issues", dict(wanted))
        except UnansweredError as wrong:
            if not wrong.may_be_done:
                self._repository.memory.forget(writing.key)
            raise
        if answer.status != 201 or not isinstance(answer.body, dict):
            self._repository.memory.forget(writing.key)
            raise UnfitAnswerError(f"a new issue '{wanted['title']}'", answer)
        writing.number = int(answer.body["number"])
        return self._done(writing)

    def _done(self, writing: Writing) -> int:
        self._repository.memory.note(writing)
        assert writing.number is not None
        return writing.number
