"""Smart HTTP for git on the same port: `git http-backend`, with the token as password."""

import os
import re
import subprocess
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request, Response

from tests.github.fake import acts_merges, acts_pulls, callers, events
from tests.github.fake.calls import STEPS, Actor, AnsweredError
from tests.github.fake.model import Repository

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

PATH = re.compile(r"/([^/]+)/([^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)")
PUSH = "git-receive-pack"
REALM = {"WWW-Authenticate": 'Basic realm="GitHub"'}


def is_git(path: str) -> bool:
    return PATH.fullmatch(path) is not None


def serve(hub: "Hub", request: Request) -> Response:
    """Answer one of git's requests."""
    found = PATH.fullmatch(request.path)
    assert found is not None
    owner, name, rest = found.groups()
    is_push = PUSH in (rest, request.args.get("service"))
    with hub.lock:
        repository = hub.world.named(f"{owner}/{name}") or _moved(hub, f"{owner}/{name}")
        try:
            actor = callers.actor_of(hub, request)
        except AnsweredError:
            return Response("Bad credentials\n", status=401, headers=REALM)
        refused = _refusal(repository, actor, is_push=is_push)
        if refused is not None:
            return refused
        assert repository is not None
        environ = _environment(hub, request, repository, rest, actor)
    before = hub.git(repository).refs() if rest == PUSH else {}
    response = _backend(request, environ)
    with hub.lock:
        if rest == PUSH:
            user_id = actor.user.id if actor else None
            events.pushed(hub, repository, _moves(before, hub.git(repository).refs()), user_id)
            acts_merges.settle(hub, repository)
    return response


def _moves(before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]) -> events.Moves:
    none = ("", events.ABSENT)
    return {ref: (before.get(ref, none)[1], after.get(ref, none)[1]) for ref in sorted(before.keys() | after.keys())}


def _moved(hub: "Hub", full_name: str) -> Repository | None:
    return hub.world.repositories.get(hub.world.old_names.get(full_name.lower(), 0))


def _refusal(repository: Repository | None, actor: Actor | None, *, is_push: bool) -> Response | None:
    is_open = repository is not None and not repository.is_private and not is_push
    if actor is None:
        return None if is_open else Response("Authentication required\n", status=401, headers=REALM)
    if repository is None or not may(actor, repository, "read"):
        return Response("Repository not found.\n", status=404)
    if is_push and not may(actor, repository, "write"):
        told = f"Permission to {repository.name}.git denied to {actor.user.login}.\n"
        return Response(told, status=403)
    if is_push and repository.is_archived:
        return Response("This repository was archived so it is read-only.\n", status=403)
    return None


def may(actor: Actor, repository: Repository, level: str) -> bool:
    """Tell whether a credential reads or writes contents here."""
    token = actor.token
    if token is None or (actor.places is not None and repository.id not in actor.places):
        return False
    if token.permissions is not None:
        return STEPS.index(token.permissions.get("contents", "none")) >= STEPS.index(level)
    is_owner = actor.user.id == repository.owner_id
    role = "admin" if is_owner else repository.roles.get(actor.user.id, "none" if repository.is_private else "read")
    return role in {"write", "maintain", "admin"} or (level == "read" and role != "none")


def _environment(
    hub: "Hub", request: Request, repository: Repository, rest: str, actor: Actor | None
) -> dict[str, str]:
    protections = repository.protections.items()
    queued = [issue.pull.source for issue in acts_pulls.open_pulls(repository) if issue.pull and issue.pull.entry]
    return {
        **os.environ,
        "GIT_PROJECT_ROOT": str(repository.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repository.path.name}/{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query_string.decode(),
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(request.get_data())),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "REMOTE_USER": actor.user.login if actor else "",
        "REMOTE_ADDR": request.remote_addr or "",
        "FAKE_NO_PUSH": " ".join(name for name, found in protections if found.no_direct_push),
        "FAKE_NO_FORCE": " ".join(name for name, found in protections if not found.allow_force),
        "FAKE_QUEUED": " ".join(queued),
        "FAKE_NO_WORKFLOWS": "" if _may_push_workflows(actor) else "1",
    }


def _may_push_workflows(actor: Actor | None) -> bool:
    token = actor.token if actor else None
    if token is None or (token.permissions is None and token.scopes is None):
        return True
    return (token.permissions or {}).get("workflows") == "write" or "workflow" in (token.scopes or ())


def _backend(request: Request, environ: dict[str, str]) -> Response:
    ended = subprocess.run(
        ["git", "http-backend"], input=request.get_data(), env=environ, capture_output=True, check=False
    )
    head, _, body = ended.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
    status = headers.pop("Status", "200 OK" if not ended.returncode else "500 Internal Server Error")
    return Response(body, status=status, headers=headers)
