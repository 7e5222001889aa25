"""From a request to its answer: who calls, limits, the route, paging, ETags, and the look into GitHub's description."""

import hashlib
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.wrappers import Request, Response

from tests.github.fake import acts_merges, callers
from tests.github.fake.audit import Heard
from tests.github.fake.calls import READS, Actor, Answer, AnsweredError, Call
from tests.github.fake.clock import http_date
from tests.github.fake.model import Repository
from tests.github.fake.paging import Page
from tests.github.fake.routes import Route, table

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

OLDEST, NEWEST = "2022-11-28", "2026-03-10"
FREE = frozenset({"/rate_limit"})
CONTENT = ("/issues", "/pulls", "/comments", "/check-runs", "/statuses", "/milestones", "/labels", "/reviews")


class Exchange:
    """Answers the API's requests, one at a time."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub

    def response(self, answer: Answer) -> Response:
        body = b"" if answer.body is None else json.dumps(answer.body).encode()
        response = Response(body, status=answer.status, content_type="application/json; charset=utf-8")
        if answer.body is None:
            del response.headers["Content-Type"]
        named = {
            "Date": http_date(self._hub.now_s()),
            "X-GitHub-Media-Type": "github.v3; format=json",
            "Server": "github.com",
        }
        for name, value in (named | answer.headers).items():
            response.headers[name] = value
        return response

    def answer(self, request: Request, heard: Heard) -> Response:
        hub = self._hub
        with hub.lock:
            caller, actor = request.remote_addr or "", None
            try:
                actor = callers.actor_of(hub, request)
                caller = callers.name_of(actor) or caller
                heard.caller = caller = caller if not is_graphql(request.path) else f"{caller}, GraphQL"
                answer = self._routed(request, heard, actor, caller)
            except AnsweredError as told:
                answer = Answer(told.body(), told.status, dict(told.headers))
                if "Location" in told.headers:
                    answer.body["url"] = told.headers["Location"]
            limits = hub.limits.headers(caller, hub.now_s())
            if is_graphql(request.path):
                limits["X-RateLimit-Resource"] = "graphql"
            if actor is not None and actor.token is not None and actor.token.scopes is not None:
                limits["X-OAuth-Scopes"] = ", ".join(actor.token.scopes)
            answer.headers = {**limits, "X-GitHub-Api-Version-Selected": _version(request), **answer.headers}
            if hub.description is not None:
                hub.description.check(request, heard, answer)
            return self.response(self._conditional(request, answer, caller))

    def _routed(self, request: Request, heard: Heard, actor: Actor | None, caller: str) -> Answer:
        hub = self._hub
        path = request.path.removeprefix(hub.prefix)
        if is_graphql(request.path) and request.method == "POST":
            from tests.github.fake.graphql import answer_graphql

            heard.operation = "graphql"
            return answer_graphql(hub, request, actor, caller)
        path, repository = self._in_place(path, request)
        if path not in FREE:
            hub.limits.spend(caller, hub.now_s())
        return self._performed(*self._called(request, heard, path, actor), repository)

    def _called(self, request: Request, heard: Heard, path: str, actor: Actor | None) -> tuple[Call, Route, str]:
        """Find the route, and say what it asks of the caller."""
        try:
            found, parts = table().bind("").match(path, request.method)
        except (MethodNotAllowed, NotFound):
            raise AnsweredError(404, "Not Found") from None
        function, needs, heard.operation = found
        call = Call(
            hub=self._hub,
            method=request.method,
            path=path,
            template=heard.operation,
            parts=dict(parts),
            query=request.args.to_dict(),
            json=_json(request),
            world=self._hub.world,
            version=_version(request),
            actor=actor,
        )
        return call, function, needs

    def _performed(self, call: Call, function: Route, needs: str, repository: Repository | None) -> Answer:
        hub, is_read = self._hub, call.method in READS
        if call.template.startswith("/repos/"):
            assert repository is not None
            self._enter(call, repository, needs)
        if not is_read:
            if any(part in call.template for part in CONTENT):
                hub.limits.write(hub.now_s())
            hub.lags.keep(hub.world)
        answer = function(call)
        if isinstance(answer.body, Page):
            answer = answer.body.told(call)
        if not is_read and repository is not None:
            acts_merges.settle(hub, repository)
        return answer

    def _enter(self, call: Call, repository: Repository, needs: str) -> None:
        """Let a caller into a repository: what they may not see is not there."""
        call.repository = repository
        is_list = call.method == "GET" and not call.template.endswith("}")
        acts_merges.settle(call.hub, repository)
        if needs:
            if not callers.is_seen(call.actor, repository):
                raise AnsweredError(404, "Not Found")
            if not needs.startswith("metadata"):
                call.needs(needs)
        if call.method not in READS and repository.is_archived:
            raise AnsweredError(403, "Repository was archived so is read-only.")
        if is_list:
            call.world = call.hub.lags.seen_by(f"{call.path}?{urlencode(call.query)}", call.world)
            call.repository = call.world.repositories.get(repository.id, repository)

    def _in_place(self, path: str, request: Request) -> tuple[str, Repository | None]:
        """Find the repository that a path names; an old name is answered with where it went."""
        world, parts = self._hub.world, path.split("/")
        if len(parts) > 2 and parts[1] == "repositories" and parts[2].isdigit():
            found = world.repositories.get(int(parts[2]))
            if found is None:
                raise AnsweredError(404, "Not Found")
            return "/".join(["/repos", world.full_name(found), *parts[3:]]), found
        if len(parts) < 4 or parts[1] != "repos":
            return path, None
        found = world.named(f"{parts[2]}/{parts[3]}")
        if found is None:
            moved = world.old_names.get(f"{parts[2]}/{parts[3]}".lower())
            if moved is None or moved not in world.repositories:
                raise AnsweredError(404, "Not Found")
            rest = "/".join([str(moved), *parts[4:]]) + (
                f"?{request.query_string.decode()}" if request.query_string else ""
            )
            location = {"Location": f"{self._hub.api_url}/repositories/{rest}"}
            is_get = request.method in READS
            raise AnsweredError(
                301 if is_get else 307, "Moved Permanently" if is_get else "Temporary Redirect", headers=location
            )
        return path, found

    def _conditional(self, request: Request, answer: Answer, caller: str) -> Answer:
        if request.method != "GET" or answer.status != 200:
            return answer
        shown = json.dumps(answer.body, sort_keys=True).encode() + answer.headers.get("Link", "").encode()
        tag = f'W/"{hashlib.sha256(shown).hexdigest()}"'
        if request.headers.get("If-None-Match") == tag:
            if request.authorization is not None or "Authorization" in request.headers:
                self._hub.limits.refund(caller)
            return Answer(
                None, 304, {**answer.headers, "ETag": tag, **self._hub.limits.headers(caller, self._hub.now_s())}
            )
        answer.headers["ETag"] = tag
        answer.headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
        return answer


def is_graphql(path: str) -> bool:
    return path in {"/graphql", "/api/graphql"}


def _json(request: Request) -> Any:
    if not request.data:
        return {}
    try:
        return json.loads(request.data)
    except ValueError:
        raise AnsweredError(400, "Problems parsing JSON") from None


def _version(request: Request) -> str:
    version = request.headers.get("X-GitHub-Api-Version", OLDEST)
    if version not in {OLDEST, NEWEST}:
        return OLDEST
    return version
