"""What an answer of GitHub is: data, a limit, a missing right, or no answer at all; told by its headers, not its words.

A 403 is not always a limit, and a limit is not always a 403 (GitHub documentation, "Rate limits").
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gitsched.errors import GitschedError, RefusedError, TemporaryError

FORBIDDEN, TOO_MANY = 403, 429
_SECONDARY = ("secondary rate limit", "abuse detection", "please wait a few minutes")


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: status, headers in lower case, decoded body (None for none)."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def ok(self) -> bool:
        """Say whether it was done, or is as it was known."""
        return 200 <= self.status < 300

    @property
    def message(self) -> str:
        """Give GitHub's own sentence, with the first of its errors."""
        if not isinstance(self.body, dict):
            return f"status {self.status}"
        errors = self.body.get("errors")
        first = errors[0] if isinstance(errors, list) and errors else None
        detail = first.get("message") or first.get("code") if isinstance(first, dict) else first
        words = str(self.body.get("message") or f"status {self.status}")
        return f"{words} ({detail})" if detail else words


class UnansweredError(TemporaryError):
    """GitHub gave no answer that decides anything; after a write it may have been done all the same."""

    def __init__(self, asked: str, detail: str, *, may_be_done: bool = False) -> None:
        """Keep whether a write may have been done."""
        self.detail = detail
        self.may_be_done = may_be_done
        super().__init__(f"GitHub was asked for {asked}.", f"{detail}.", "It is asked again later.")


class DeniedError(RefusedError):
    """GitHub answered that this credential may not do that; it is not repeated."""

    def __init__(self, asked: str, answer: Answer) -> None:
        """Name the permission that GitHub says is missing."""
        wanted = answer.headers.get("x-accepted-github-permissions")
        needs = f"Give it: {wanted}." if wanted else "`gitsched doctor` looks at the credential."
        super().__init__(f"GitHub was asked for {asked}.", f"It denied that: {answer.message}.", needs)


class UnfitAnswerError(GitschedError):
    """GitHub answered something that this call has no meaning for."""

    def __init__(self, asked: str, answer: Answer) -> None:
        """Keep GitHub's sentence."""
        super().__init__(f"GitHub was asked for {asked}.", f"It answered {answer.status}: {answer.message}.")


def decoded(status: int, headers: Mapping[str, str], text: str) -> Answer:
    """Take a response apart; a body that is no JSON is none."""
    try:
        body = json.loads(text) if text else None
        if "\\ud" in text.lower():
            body = well_formed(body)
    except (ValueError, RecursionError):
        body = None
    return Answer(status, {name.lower(): str(value) for name, value in headers.items()}, body)


def well_formed(body: Any) -> Any:
    """Give a JSON value in which halves of characters are question marks: UTF-8 has no bytes for them."""
    return json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Limited:
    """GitHub said to wait; `seconds` None: it did not say for how long. An empty pool is everything."""

    pool: str
    seconds: float | None


def limit_of(answer: Answer, now_epoch_s: float) -> Limited | None:
    """Read a limit off an answer; None when it is none. `now_epoch_s` is GitHub's own time."""
    if answer.status not in (FORBIDDEN, TOO_MANY):
        return None
    if "retry-after" in answer.headers:
        return Limited("", _number(answer.headers["retry-after"]))
    if answer.headers.get("x-ratelimit-remaining") == "0":
        reset = _number(answer.headers.get("x-ratelimit-reset"))
        pool = "graphql" if answer.headers.get("x-ratelimit-resource") == "graphql" else "rest"
        return Limited(pool, None if reset is None else max(1.0, reset - now_epoch_s + 1))
    if answer.status == TOO_MANY or any(words in answer.message.lower() for words in _SECONDARY):
        return Limited("", None)
    return None


def _number(text: str | None) -> float | None:
    try:
        number = math.nan if text is None else float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
