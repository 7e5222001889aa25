"""Every request that came, as it came, for counting calls and for looking after tokens."""

import re
import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Heard:
    """One request and what it was answered."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    at_s: float
    """By the fake's clock."""
    status: int = 0
    """0: the connection was cut."""
    operation: str = ""
    """GitHub's path template, `graphql`, `git`, or nothing for what has no route."""
    caller: str = ""
    fate: list[str] = field(default_factory=list)
    """What was scripted to go wrong with it."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}{'?' if self.query else ''}{self.query} {self.status}"


class Audit:
    """All requests, in order of arrival."""

    def __init__(self) -> None:
        self._heard: list[Heard] = []
        self._lock = threading.Lock()

    def hear(self, request: Heard) -> None:
        with self._lock:
            self._heard.append(request)

    def requests(self, method: str | None = None, path: str = "", text: str = "") -> list[Heard]:
        """Return those whose path, and whose body, hold these patterns."""
        with self._lock:
            every = list(self._heard)
        return [
            heard
            for heard in every
            if method in {None, heard.method}
            and re.search(path, heard.path)
            and re.search(text, heard.body.decode(errors="replace"))
        ]

    def calls(self) -> Counter[str]:
        """Count what the API was asked, as `GET /repos/{owner}/{repo}/issues`; git's requests are not among them."""
        return Counter(
            f"{heard.method} {heard.operation or heard.path}" for heard in self.requests() if heard.operation != "git"
        )

    def writes(self) -> list[Heard]:
        """Return the requests that would change something."""
        api = [heard for heard in self.requests() if heard.operation != "git"]
        return [heard for heard in api if heard.method not in {"GET", "HEAD"} and not _is_query(heard)]

    def leaks(self, secret: str) -> list[str]:
        """Name the requests whose path, query or body hold a secret; headers are where it belongs."""
        found = [
            heard
            for heard in self.requests()
            if secret in f"{heard.path}?{heard.query}" or secret.encode() in heard.body
        ]
        return [str(heard) for heard in found]

    def clear(self) -> None:
        """Forget all, so that the next tick can be counted by itself."""
        with self._lock:
            self._heard.clear()


def _is_query(heard: Heard) -> bool:
    return heard.operation == "graphql" and b"mutation" not in heard.body
