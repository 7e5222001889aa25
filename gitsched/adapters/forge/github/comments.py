"""Comments and labels: each written once, looked for before it is written, and edited in place."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from gitsched.adapters.forge.github.answers import Answer, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.markers import carries, fitted, marked
from gitsched.adapters.forge.github.memory import Writing, fingerprint
from gitsched.adapters.forge.github.repository import GONE, Repository
from gitsched.adapters.forge.github.shapes import author_id, comment_of
from gitsched.domain.forge import Comment
from gitsched.domain.instants import Instant, seconds_between
from gitsched.errors import UnknownUnitError

SETTLE_S: Final = 60.0
"""After a write whose answer was lost: for how long a list may not show it yet."""


class Comments:
    """The comments of one repository, as gitsched writes them."""

    def __init__(self, repository: Repository, now: Callable[[], Instant], settle_s: float = SETTLE_S) -> None:
        """Stand on a repository."""
        self._repository = repository
        self._now = now
        self._settle_s = settle_s

    def read(self, number: int) -> tuple[Comment, ...]:
        """Read all comments, oldest first; none of what is gone."""
        return tuple(comment_of(row, number) for row in self._rows(number))

    def write(self, number: int, body: str, marker: str) -> int:
        """Post a comment once, or edit the one of ours that carries the marker.

        Raises UnansweredError while it cannot be told whether an earlier try has been done.
        """
        text = marked(fitted(body), marker)
        key, content = f"comment {number} {marker}", fingerprint(text)
        noted = self._repository.memory.writing(key)
        if noted is not None and noted.number is not None:
            return self._edited(number, noted.number, noted, text) if noted.content != content else noted.number
        known = self._ours(number, marker)
        if known is not None:
            noted = Writing(key=key, begun_at=self._now(), number=int(known["id"]), content=fingerprint(_body(known)))
            return (
                self._edited(number, noted.number or 0, noted, text) if noted.content != content else self._done(noted)
            )
        self._wait_for(noted, key)
        return self._post(number, text, Writing(key=key, begun_at=self._now(), content=content))

    def _post(self, number: int, text: str, writing: Writing) -> int:
        self._repository.memory.note(writing)
        try:
            answer = self._repository.send("POST", f"/issues/{number}/comments", {"body": text})
        except UnansweredError as wrong:
            if not wrong.may_be_done:
                self._repository.memory.forget(writing.key)
            raise
        if answer.status != 201 or not isinstance(answer.body, dict):
            self._repository.memory.forget(writing.key)
            raise _unknown(number) if _is_gone(answer) else UnfitAnswerError(f"a comment on {number}", answer)
        writing.number = int(answer.body["id"])
        return self._done(writing)

    def _edited(self, number: int, comment: int, writing: Writing, text: str) -> int:
        answer = self._repository.send("PATCH", f"/issues/comments/{comment}", {"body": text})
        if _is_gone(answer):  # somebody deleted it: that is theirs to do, and it is not written again
            return self._done(writing)
        if not answer.ok:
            raise UnfitAnswerError(f"an edit of the comment {comment} on {number}", answer)
        writing.content = fingerprint(text)
        return self._done(writing)

    def _done(self, writing: Writing) -> int:
        self._repository.memory.note(writing)
        assert writing.number is not None
        return writing.number

    def _wait_for(self, noted: Writing | None, key: str) -> None:
        """Hold back while an earlier try may still show up in the list."""
        if noted is None:
            return
        waited_s = seconds_between(noted.begun_at, self._now())
        if waited_s < self._settle_s:
            left_s = self._settle_s - waited_s
            raise UnansweredError(key, f"its last answer was lost; it is looked for again in {left_s:.0f} s")

    def _ours(self, number: int, marker: str) -> dict[str, Any] | None:
        me = self._repository.identity.user_id
        ours = (row for row in self._rows(number) if author_id(row) == me and carries(_body(row), marker))
        return next(ours, None)

    def _rows(self, number: int) -> list[dict[str, Any]]:
        path = f"/issues/{number}/comments"
        first = self._repository.get(path, per_page=100)
        if _is_gone(first):
            return []
        return self._repository.pages(path, first)

    def add_labels(self, number: int, labels: tuple[str, ...]) -> None:
        """Put labels on an issue or pull request; those that are there stay."""
        answer = self._repository.send("POST", f"/issues/{number}/labels", {"labels": list(labels)})
        if not answer.ok:
            raise UnfitAnswerError(f"labels for {number}", answer)

    def label_exists(self, name: str) -> bool:
        """Say whether the repository has a label."""
        return self._repository.get(f"/labels/{quote(name, safe='')}").ok


def _is_gone(answer: Answer) -> bool:
    """Say whether it is not there, or in another repository by now."""
    return answer.status in GONE or "x-moved-to" in answer.headers


def _body(row: dict[str, Any]) -> str:
    return str(row.get("body") or "")


def _unknown(number: int) -> UnknownUnitError:
    asked, against = f"Number {number} was to be commented on.", "GitHub has no such issue or pull request."
    return UnknownUnitError(asked, against, "It was deleted or moved, or this credential does not see it.")
