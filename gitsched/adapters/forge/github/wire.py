"""The wire: one call to GitHub at a time, through PyGithub's requester, its policy of retries being ours.

PyGithub repeats writes that may have been done and follows redirects without their queries; both are kept from it
here. Whatever the answer is, it comes back as a value, or as one of the errors of `answers`.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from gitsched.adapters.forge.github.answers import (
    Answer,
    DeniedError,
    Limited,
    UnansweredError,
    decoded,
    limit_of,
    well_formed,
)
from gitsched.adapters.forge.github.credentials import Credential
from gitsched.adapters.forge.github.pace import Kind, Pace

API_VERSION = "2022-11-28"
TIMEOUT_S = 30
_MOVED = (301, 302, 307, 308)
_READS = ("GET", "HEAD")
_REMEMBERED = 1000


class Wire:
    """Sends and classifies; knows nothing of issues."""

    def __init__(self, api_url: str, credential: Credential | None, pace: Pace) -> None:
        """Ask at that address, by that credential: None asks without any."""
        from github.Requester import Requester

        self.api_url = api_url.rstrip("/")
        self._credential = credential
        self._pace = pace
        self._lock = threading.Lock()
        self.calls: deque[str] = deque(maxlen=_REMEMBERED)
        """The last calls, oldest first, for whoever wants to know what a tick costs."""
        self.skew_s = 0.0
        """How far GitHub's clock was ahead of ours at the last answer."""
        self.scopes: frozenset[str] | None = None
        """What the last answer said that a person's token is good for; None for tokens of other kinds."""
        self._requester = Requester(
            auth=None,
            base_url=self.api_url,
            timeout=TIMEOUT_S,
            user_agent="gitsched",
            per_page=100,
            verify=True,
            retry=0,
            pool_size=1,
            api_version=API_VERSION,
        )
        self._connection = _unredirected(self.api_url)

    def now_s(self) -> float:
        """Tell our own time, in seconds since 1970."""
        return self._pace.now_s()

    def get(self, path: str, etag: str | None = None, **query: Any) -> Answer:
        """Read; 304 where nothing has changed since `etag`. 301, 404 and 410 come back as they are."""
        headers = {} if etag is None else {"If-None-Match": etag}
        return self._called("GET", path, Kind.READ, query=query, headers=headers)

    def send(self, verb: str, path: str, body: Any = None) -> Answer:
        """Write. An error says whether it may have been done all the same."""
        return self._called(verb, path, Kind.WRITE, body=body)

    def ask(self, document: str, kind: Kind = Kind.QUERY, **variables: Any) -> Answer:
        """Ask in GraphQL; `errors` are left in the body beside what `data` there is."""
        return self._called("POST", self._requester.graphql_url, kind, body={"query": document, "variables": variables})

    def _called(self, verb: str, path: str, kind: Kind, **parts: Any) -> Answer:
        asked = f"{verb} {urlsplit(path).path}"
        wait_s = self._pace.wait_s(kind)
        if wait_s > 0:
            raise UnansweredError(asked, f"its limits leave no room for {wait_s:.0f} s")
        answer = self._authorised(verb, path, asked, parts)
        limited = limit_of(answer, self._pace.now_s() + self.skew_s) or _graphql_limit(answer, kind)
        if limited is not None:
            seconds = self._pace.close(limited.pool, limited.seconds)
            raise UnansweredError(asked, f"a rate limit is reached; it is asked again in {seconds:.0f} s")
        if answer.status >= 500:
            may_be_done = verb not in _READS and kind is not Kind.QUERY
            raise UnansweredError(asked, f"it answered {answer.status}", may_be_done=may_be_done)
        self._pace.answered()
        if answer.status in (401, 403):
            raise DeniedError(asked, answer)
        return answer

    def _authorised(self, verb: str, path: str, asked: str, parts: Mapping[str, Any]) -> Answer:
        """Call with a token; a refused one is replaced once, where another can be had."""
        token = self._credential.token() if self._credential is not None else None
        answer = self._raw(verb, path, asked, token, parts)
        self._note(answer)
        if answer.status == 401 and self._credential is not None and token and self._credential.refuse(token):
            answer = self._raw(verb, path, asked, self._credential.token(), parts)
        return answer

    def _raw(self, verb: str, path: str, asked: str, token: str | None, parts: Mapping[str, Any]) -> Answer:
        headers = {"Accept": "application/vnd.github+json", **(parts.get("headers") or {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        with self._lock:
            self.calls.append(asked)
            try:
                status, found, text = self._requester.requestJson(
                    verb, path, parts.get("query"), headers, well_formed(parts.get("body")), self._connection
                )
            except OSError as wrong:
                # The text of a library's error may hold the address with its query, never the token.
                raise UnansweredError(asked, _reason(wrong), may_be_done=verb not in _READS) from None
        return decoded(status, found, text)

    def _note(self, answer: Answer) -> None:
        scopes, date = answer.headers.get("x-oauth-scopes"), answer.headers.get("date")
        if scopes is not None:
            self.scopes = frozenset(scope.strip() for scope in scopes.split(","))
        if date is not None:
            with suppress(ValueError, OverflowError):  # a proxy's, and no date
                self.skew_s = parsedate_to_datetime(date).timestamp() - self._pace.now_s()


def _graphql_limit(answer: Answer, kind: Kind) -> Limited | None:
    """Read a limit that GraphQL tells with status 200."""
    errors = answer.body.get("errors") if isinstance(answer.body, dict) and kind.pool == "graphql" else None
    types = {error.get("type") for error in errors or () if isinstance(error, dict)}
    return Limited("graphql", None) if types & {"RATE_LIMITED", "RATE_LIMIT"} else None


def _reason(wrong: BaseException) -> str:
    return f"there was no answer: {type(wrong).__name__}"


def _unredirected(api_url: str) -> Any:
    """Make PyGithub's connection, with redirects handed on and not followed."""
    from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass

    place = urlsplit(api_url)
    kind: Callable[..., Any] = HTTPSRequestsConnectionClass if place.scheme == "https" else HTTPRequestsConnectionClass
    connection = kind(place.hostname or "", place.port, timeout=TIMEOUT_S, retry=0, pool_size=1)
    respond = connection.getresponse

    def getresponse() -> Any:
        response = respond()
        location = response.headers.get("location")
        if response.status in _MOVED and location is not None:
            response.headers = {name: value for name, value in response.headers.items() if name.lower() != "location"}
            response.headers["x-moved-to"] = location
        return response

    connection.getresponse = getresponse
    return connection
