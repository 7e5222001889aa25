"""A plain client of the fake, for its own tests: one request, its status, its headers, its body."""

import json
from typing import Any
from urllib.parse import urlsplit

import urllib3

from tests.github.fake.hub import Hub

Json = dict[str, Any]


class Reply:
    """What came back."""

    def __init__(self, raw: urllib3.BaseHTTPResponse) -> None:
        self.status, self.headers = raw.status, raw.headers
        self.json: Any = json.loads(raw.data) if raw.data else None

    def link(self, name: str) -> str | None:
        """Give the address that the Link header names."""
        for part in self.headers.get("Link", "").split(", "):
            if f'rel="{name}"' in part:
                return part[1 : part.index(">")]
        return None


class Asking:
    """Asks a hub with one token; never repeats and never follows by itself."""

    def __init__(self, hub: Hub, token: str | None = None, scheme: str = "Bearer") -> None:
        self.hub = hub
        self._token, self._scheme = token, scheme
        self._pool = urllib3.PoolManager(retries=False)

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        url = path if urlsplit(path).scheme else self.hub.api_url + path
        own = {"Authorization": f"{self._scheme} {self._token}"} if self._token else {}
        data = None if body is None else json.dumps(body).encode()
        raw = self._pool.request(method, url, body=data, headers={**own, **(headers or {})}, redirect=False, timeout=20)
        reply = Reply(raw)
        raw.release_conn()
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, body: Any) -> Reply:
        return self.ask("POST", path, body)

    def patch(self, path: str, body: Any) -> Reply:
        return self.ask("PATCH", path, body)

    def put(self, path: str, body: Any = None) -> Reply:
        return self.ask("PUT", path, body)

    def delete(self, path: str) -> Reply:
        return self.ask("DELETE", path)

    def graphql(self, document: str, **variables: Any) -> Json:
        """Ask in GraphQL; give the whole answer, data and errors."""
        url = self.hub.web_url + ("/api/graphql" if self.hub.prefix else "/graphql")
        reply = self.ask("POST", url, {"query": document, "variables": variables})
        assert reply.status == 200, reply.json
        found: Json = reply.json
        return found

    def close(self) -> None:
        self._pool.clear()
