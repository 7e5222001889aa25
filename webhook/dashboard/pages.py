"""The dashboard's pages: overview, batch with everything about it, a member's log, a file of its evidence."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, abort, redirect, request
from flask.typing import ResponseReturnValue

from gitsched.domain.ids import is_batch_id
from gitsched.errors import GitschedError
from gitsched.view.html import asset, render_frame, render_overview, render_part, render_sheet
from gitsched.wiring.clone import Clone
from gitsched.wiring.service import Repository
from gitsched.wiring.showing import log_of, overview_and_ended_of, sheet_of
from webhook.dashboard.door import COOKIE, Door
from webhook.dashboard.places import Places, batch_in
from webhook.dashboard.streams import Streams

if TYPE_CHECKING:
    from gitsched.domain.records import Batch

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_ASSETS: Final = {"style.css": "text/css", "live.js": "text/javascript"}
_LOG_CHARS: Final = 200_000
_ROOT: Final = "/dashboard"


def dashboard(
    listed: Callable[[], Sequence[Repository]], token_env: Callable[[], str], is_stopping: Callable[[], bool]
) -> Blueprint:
    """Make the pages over these repositories; the overview stands at `/`."""
    pages = _Pages(Places(listed), Streams(is_stopping))
    door, made = Door(token_env), Blueprint("dashboard", __name__)
    _watch(made, door)
    made.add_url_rule("/", "home", pages.home)
    made.add_url_rule("/r/<key>/", "overview", pages.overview)
    made.add_url_rule("/r/<key>/batch/<name>", "batch", pages.batch)
    made.add_url_rule("/r/<key>/batch/<name>/log/<int:issue>", "log", pages.log)
    made.add_url_rule("/r/<key>/batch/<name>/evidence/<path:path>", "evidence", pages.evidence)
    made.add_url_rule("/r/<key>/events", "events", pages.events)
    return made


def _watch(made: Blueprint, door: Door) -> None:
    """Put the door before the pages, and the same headers on all of them."""

    @made.before_request
    def let_in() -> ResponseReturnValue | None:
        # The style and the script tell nothing of anybody's work, and the login needs the first of them.
        if request.path == f"{_ROOT}/login" or request.path.startswith(f"{_ROOT}/assets/") or door.is_open_to(request):
            return None
        if not door.has_token:
            return _text("Off loopback the dashboard needs a token: github.dashboard_token_env names it.\n", 403)
        return redirect(f"{_ROOT}/login")

    @made.route(f"{_ROOT}/login", methods=["GET", "POST"])
    def login() -> ResponseReturnValue:
        if request.method == "POST" and door.is_right(request.form.get("token", "")):
            answer = redirect("/")
            answer.set_cookie(COOKIE, door.ticket(), httponly=True, samesite="Strict", secure=request.is_secure)
            return answer
        page = _framed(render_part("login.j2", is_wrong=request.method == "POST"), "Log in", "", ())
        page.status_code = 403 if request.method == "POST" else 200
        return page

    @made.get(f"{_ROOT}/assets/<name>")
    def assets(name: str) -> Response:
        if name not in _ASSETS:
            abort(404)
        return Response(asset(name), content_type=f"{_ASSETS[name]}; charset=utf-8")

    @made.errorhandler(GitschedError)
    def told(refused: GitschedError) -> Response:
        return _text(f"{refused}\n", 503)

    @made.after_request
    def close_the_door(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Referrer-Policy"] = "no-referrer"
        return response


class _Pages:
    """Writes the pages."""

    def __init__(self, places: Places, streams: Streams) -> None:
        self._places = places
        self._streams = streams

    def home(self) -> ResponseReturnValue:
        """Show the one repository, or list several."""
        keys = self._places.keys
        if len(keys) == 1:
            return self.overview(next(iter(keys)))
        places = [(f"/r/{key}/", repository.name) for key, repository in sorted(keys.items())]
        return _framed(render_part("places.j2", places=places), "gitsched", "", (("/", "Repositories"),))

    def overview(self, key: str) -> Response:
        """Show everything of a repository at once."""
        repository, clone = self._found(key)
        shown, over = overview_and_ended_of(clone)
        body = render_overview(shown, over, repository.name, f"/r/{key}")
        return _framed(body, repository.name, _events(key, shown.tip), self._trail(key))

    def batch(self, key: str, name: str) -> Response:
        """Show one batch."""
        _, clone = self._found(key)
        clone.store.read()
        tip = clone.store.tip  # before anything is written, so that what changes meanwhile is told
        place, found = _batch(clone, name)
        body = render_sheet(sheet_of(place, found), f"/r/{key}")
        return _framed(body, f"{name} {found.status}", _events(key, tip), (*self._trail(key), (_at(key, name), name)))

    def log(self, key: str, name: str, issue: int) -> Response:
        """Show what a member's agent printed."""
        from gitsched.codec.plain import plain_text

        _, clone = self._found(key)
        clone.store.read()
        tip = clone.store.tip  # before anything is written, so that what changes meanwhile is told
        place, _ = _batch(clone, name)
        member = place.store.read().members.get((name, issue))
        gen = request.args.get("gen", default=member.gen if member is not None else -1, type=int)
        if member is None or not 0 <= gen <= member.gen:
            abort(404)
        text = plain_text(log_of(place, member, gen))
        body = render_part(
            "log.j2",
            base=f"{_at(key, name)}/log",
            issue=issue,
            title=member.title,
            gens=range(member.gen + 1),
            shown=gen,
            text=text[-_LOG_CHARS:],
            cut=len(text) > _LOG_CHARS,
        )
        trail = (*self._trail(key), (_at(key, name), name), (f"{_at(key, name)}/log/{issue}", f"#{issue}"))
        return _framed(body, f"#{issue} {member.title}", _events(key, tip), trail)

    def evidence(self, key: str, name: str, path: str) -> Response:
        """Give one file of a batch's evidence as text, whatever it holds."""
        _, clone = self._found(key)
        place, _ = _batch(clone, name)
        files = place.store.evidence(name)
        found = [files[path]] if path in files else [files[under] for under in sorted(files) if _is_under(under, path)]
        if not found:
            abort(404)
        return _text(b"\n".join(found).decode("utf-8", "replace"), 200)

    def events(self, key: str) -> Response:
        """Tell of changes for as long as the stream lasts."""
        repository, _ = self._found(key)
        seen = request.headers.get("Last-Event-ID") or request.args.get("seen", "")
        stream = self._streams.open(Clone(repository.path), seen)
        if stream is None:
            return _text("Too many are looking live; ask again.\n", 503)
        return Response(stream, content_type="text/event-stream; charset=utf-8")

    def _found(self, key: str) -> tuple[Repository, Clone]:
        repository = self._places.keys.get(key)
        if repository is None:
            abort(404)
        return repository, self._places.clone_of(repository)

    def _trail(self, key: str) -> tuple[tuple[str, str], ...]:
        one = len(self._places.keys) == 1
        return (("/", "Overview"),) if one else (("/", "Repositories"), (f"/r/{key}/", key.replace("~", "/")))


def _batch(clone: Clone, name: str) -> "tuple[Clone, Batch]":
    found = batch_in(clone, name) if is_batch_id(name) else None
    if found is None:
        abort(404)
    return found


def _is_under(file: str, folder: str) -> bool:
    return file.startswith(f"{folder}/")


def _at(key: str, batch: str) -> str:
    return f"/r/{key}/batch/{batch}"


def _events(key: str, tip: str | None) -> str:
    return f"/r/{key}/events?seen={tip or ''}"


def _framed(body: str, title: str, events: str, trail: tuple[tuple[str, str], ...]) -> Response:
    page = render_frame(body, title=title, events=events, trail=trail, root=f"{_ROOT}/assets")
    return Response(page, content_type="text/html; charset=utf-8")


def _text(text: str, status: int) -> Response:
    return Response(text, status, content_type="text/plain; charset=utf-8")
