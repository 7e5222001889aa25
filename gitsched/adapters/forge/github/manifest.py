"""Making an App by GitHub's manifest flow: a page on this machine, one code that works once, secrets into files.

Source: GitHub's documentation, "Registering a GitHub App from a manifest".
"""

import hmac
import html
import os
import secrets
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

import msgspec
from msgspec import Struct

from gitsched.adapters.forge.github.answers import UnfitAnswerError
from gitsched.adapters.forge.github.pace import Pace
from gitsched.adapters.forge.github.wire import Wire
from gitsched.errors import RefusedError, TemporaryError

PERMISSIONS: Final[Mapping[str, str]] = {
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
    "statuses": "read",
    "actions": "read",
    "merge_queues": "read",
    "metadata": "read",
}
EVENTS: Final = (
    *("issues", "milestone", "issue_comment", "issue_dependencies", "pull_request", "pull_request_review", "push"),
    *("check_run", "check_suite", "status", "workflow_run", "merge_group", "repository"),
)
LOCAL: Final = "127.0.0.1"
_HOME: Final = "https://github.com"
"""GitHub wants a home page for every App; an App of one's own has none."""
_STEP_S: Final = 1.0


class Wanted(Struct, frozen=True, kw_only=True):
    """The App that is to be made."""

    name: str
    organization: str | None = None
    webhook_url: str | None = None
    changes_workflows: bool = False


class MadeApp(Struct, frozen=True, kw_only=True):
    """An App as GitHub made it, and the files in which its secrets are."""

    id: int
    slug: str
    page: str
    private_key_file: str
    webhook_secret_file: str | None


def manifest_of(wanted: Wanted, redirect_url: str) -> dict[str, Any]:
    """Write down the App: no public one, with the least rights."""
    extra = {"workflows": "write"} if wanted.changes_workflows else {}
    manifest: dict[str, Any] = {
        "name": wanted.name,
        "url": _HOME,
        "redirect_url": redirect_url,
        "public": False,
        "default_permissions": {**PERMISSIONS, **extra},
    }
    if wanted.webhook_url is not None:
        manifest["hook_attributes"] = {"url": wanted.webhook_url, "active": True}
        manifest["default_events"] = list(EVENTS)
    return manifest


class AppPage:
    """A page on loopback that leads through the flow once."""

    def __init__(self, web_url: str, wanted: Wanted, port: int = 0) -> None:
        """Listen; `web_url` is where people look at GitHub."""
        self._wanted = wanted
        self._state = secrets.token_urlsafe(32)
        self._code: str | None = None
        place = f"/organizations/{quote(wanted.organization)}" if wanted.organization else ""
        self._target = f"{web_url}{place}/settings/apps/new?state={self._state}"
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page.answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Keep the code out of every log."""

        self._server = HTTPServer((LOCAL, port), Handler)
        self._server.timeout = _STEP_S

    @property
    def url(self) -> str:
        """Name the address to open."""
        return f"http://{LOCAL}:{self._server.server_port}/"

    def wait(self, seconds: float) -> str:
        """Serve until GitHub has sent the person back, and give the code. Raises TemporaryError after that long."""
        left = int(seconds / _STEP_S)
        try:
            while self._code is None and left > 0:
                self._server.handle_request()
                left -= 1
        finally:
            self._server.server_close()
        if self._code is None:
            raise TemporaryError("An App was to be made.", "Nobody came back from GitHub in time.", "Try again.")
        return self._code

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request: the form, or the way back."""
        place = urlsplit(request.path)
        if place.path == "/":
            _respond(request, 200, self._form())
        elif place.path == "/made" and self._takes(parse_qs(place.query)):
            _respond(request, 200, "<p>The App is being set up. You can close this page.</p>")
        else:
            _respond(request, 400, "<p>That is not the way back from GitHub. Begin again.</p>")

    def _takes(self, query: Mapping[str, list[str]]) -> bool:
        state, code = query.get("state", [""])[0], query.get("code", [""])[0]
        if self._code is not None or not code or not hmac.compare_digest(state.encode(), self._state.encode()):
            return False
        self._code = code
        return True

    def _form(self) -> str:
        manifest = msgspec.json.encode(manifest_of(self._wanted, f"{self.url}made")).decode()
        return (
            f'<form method="post" action="{html.escape(self._target)}">'
            f'<input type="hidden" name="manifest" value="{html.escape(manifest)}">'
            f"<p>GitHub is asked for the App <b>{html.escape(self._wanted.name)}</b>.</p>"
            '<button type="submit">Go on to GitHub</button></form>'
        )


def convert(api_url: str, code: str, folder: Path, now_s: Callable[[], float]) -> MadeApp:
    """Trade the code, which works once, for the App, and keep its secrets in files of mode 0600.

    Raises RefusedError where a file is in the way: a secret is never written over another.
    """
    answer = Wire(api_url, None, Pace(now_s)).send("POST", f"/app-manifests/{quote(code, safe='')}/conversions")
    body = answer.body
    if answer.status != 201 or not isinstance(body, dict):
        raise UnfitAnswerError("the App of a manifest", answer)
    slug = str(body.get("slug") or body["id"])
    key = _kept(folder / f"{slug}.pem", str(body["pem"]))
    secret = body.get("webhook_secret")
    kept = None if not secret else _kept(folder / f"{slug}.webhook-secret", str(secret))
    return MadeApp(
        id=int(body["id"]), slug=slug, page=str(body["html_url"]), private_key_file=key, webhook_secret_file=kept
    )


def _kept(file: Path, content: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as there:
        raise RefusedError(
            f"A secret was to be kept in '{file}'.", "That file is there already.", "Move it away."
        ) from there
    with os.fdopen(number, "w", encoding="ascii") as out:
        out.write(content)
    return str(file)


def _respond(request: BaseHTTPRequestHandler, status: int, body: str) -> None:
    page = f"<!doctype html><meta charset='utf-8'><title>gitsched</title>{body}".encode()
    request.send_response(status)
    request.send_header("Content-Type", "text/html; charset=utf-8")
    request.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
    request.send_header("Content-Length", str(len(page)))
    request.end_headers()
    request.wfile.write(page)
