"""Git's refs, commits, comparisons and contents as the API shows them."""

import base64

from tests.github.fake import acts_merges, shapes_pulls
from tests.github.fake.calls import Answer, AnsweredError, Call
from tests.github.fake.git_place import GitFailedError
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

REPO = "/repos/{owner}/{repo}"
ABSENT = "0" * 40


def _shown(call: Call, ref: str, kind: str, sha: str) -> Json:
    here = f"{call.hub.shapes(call.world, call.version).place(call.repository)}/git"
    pointed = {"type": kind, "sha": sha, "url": f"{here}/{kind}s/{sha}"}
    return {"ref": ref, "node_id": f"REF_{ref}", "url": f"{here}/{ref}", "object": pointed}


def _ref(call: Call) -> str:
    return f"refs/{call.parts['ref']}"


@route("GET", f"{REPO}/git/ref/{{ref}}", "contents:read")
def one_ref(call: Call) -> Answer:
    found = call.hub.git(call.repository).refs(_ref(call)).get(_ref(call))
    if found is None:
        raise AnsweredError(404, "Not Found")
    return Answer(_shown(call, _ref(call), *found))


@route("GET", f"{REPO}/git/matching-refs/{{ref}}", "contents:read")
def matching_refs(call: Call) -> Answer:
    every = call.hub.git(call.repository).refs()
    found = [name for name in every if name.startswith(_ref(call))]
    return Answer([_shown(call, name, *every[name]) for name in found])


@route("POST", f"{REPO}/git/refs", "contents:write")
def new_ref(call: Call) -> Answer:
    ref, place = call.text("ref"), call.hub.git(call.repository)
    if not ref.startswith("refs/") or ref.count("/") < 2:
        raise AnsweredError(422, "Reference name must start with 'refs/' and include at least two slashes")
    if ref in place.refs(ref):
        raise AnsweredError(422, "Reference already exists")
    try:
        place.move(ref, call.text("sha"), ABSENT)
    except GitFailedError:
        raise AnsweredError(422, "Object does not exist") from None
    return Answer(_shown(call, ref, *place.refs(ref)[ref]), 201)


@route("PATCH", f"{REPO}/git/refs/{{ref}}", "contents:write")
def move_ref(call: Call) -> Answer:
    """Move a ref; there is no expected old value, only "must be a fast-forward"."""
    ref, place, sha = _ref(call), call.hub.git(call.repository), call.text("sha")
    found = place.refs(ref).get(ref)
    if found is None:
        raise AnsweredError(422, "Reference does not exist")
    protection = call.repository.protection(ref.removeprefix("refs/heads/"))
    if protection and protection.no_direct_push:
        raise AnsweredError(422, "Changes must be made through a pull request.")
    if not call.json.get("force", False) and not place.holds(sha, found[1]):
        raise AnsweredError(422, "Update is not a fast forward")
    try:
        place.move(ref, sha)
    except GitFailedError:
        raise AnsweredError(422, "Object does not exist") from None
    return Answer(_shown(call, ref, *place.refs(ref)[ref]))


@route("DELETE", f"{REPO}/git/refs/{{ref}}", "contents:write")
def delete_ref(call: Call) -> Answer:
    ref, place = _ref(call), call.hub.git(call.repository)
    if ref not in place.refs(ref):
        raise AnsweredError(422, "Reference does not exist")
    protection = call.repository.protection(ref.removeprefix("refs/heads/"))
    if protection and not protection.allow_force:
        raise AnsweredError(422, "Cannot delete this branch")
    place.forget(ref)
    acts_merges.settle(call.hub, call.repository)
    return Answer(None, 204)


@route("GET", f"{REPO}/commits/{{ref}}", "contents:read")
def one_commit(call: Call) -> Answer:
    place = call.hub.git(call.repository)
    sha = place.sha(call.parts["ref"])
    if sha is None:
        raise AnsweredError(422, f"No commit found for SHA: {call.parts['ref']}")
    shapes = call.hub.shapes(call.world, call.version)
    return Answer({**shapes_pulls.commit(shapes, call.repository, place.commit(sha)), "files": []})


@route("GET", f"{REPO}/commits", "contents:read")
def commits(call: Call) -> Answer:
    place, shapes = call.hub.git(call.repository), call.hub.shapes(call.world, call.version)
    start = place.sha(call.query.get("sha", call.repository.default_branch))
    if start is None:
        raise AnsweredError(404, "Not Found")
    found = place.git("rev-list", start).split()
    return paged(found, lambda sha: shapes_pulls.commit(shapes, call.repository, place.commit(sha)))


@route("GET", f"{REPO}/compare/{{basehead}}", "contents:read")
def compare(call: Call) -> Answer:
    place, shapes = call.hub.git(call.repository), call.hub.shapes(call.world, call.version)
    names = call.parts["basehead"].split("...")
    base, head = (place.sha(name) for name in names) if len(names) == 2 else (None, None)
    shared = place.merge_base(base, head) if base and head else None
    if base is None or head is None or shared is None:
        raise AnsweredError(404, "Not Found")
    ahead, behind = place.between(base, head), place.between(head, base)
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}.get(
        (bool(ahead), bool(behind)), "diverged"
    )
    page = f"{shapes.page(call.repository)}/compare/{call.parts['basehead']}"

    def shown(sha: str) -> Json:
        return shapes_pulls.commit(shapes, call.repository, place.commit(sha))

    return Answer(
        {
            **{"url": f"{call.hub.api_url}{call.path}", "html_url": page, "permalink_url": page},
            **{"diff_url": f"{page}.diff", "patch_url": f"{page}.patch"},
            **{"base_commit": shown(base), "merge_base_commit": shown(shared), "status": status},
            **{"ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead)},
            **{"commits": [shown(sha) for sha in ahead[:250]], "files": []},
        }
    )


@route("GET", f"{REPO}/contents/{{path}}", "contents:read")
def contents(call: Call) -> Answer:
    """Show one file; folders are not served here."""
    place, path = call.hub.git(call.repository), call.parts["path"]
    ref = call.query.get("ref", call.repository.default_branch)
    try:
        blob = place.git("rev-parse", "--verify", "-q", f"{ref}:{path}")
        text = place.git("cat-file", "blob", blob)
    except GitFailedError:
        raise AnsweredError(404, "Not Found") from None
    shapes = call.hub.shapes(call.world, call.version)
    here, page = (
        f"{shapes.place(call.repository)}/contents/{path}?ref={ref}",
        f"{shapes.page(call.repository)}/blob/{ref}/{path}",
    )
    git_url = f"{shapes.place(call.repository)}/git/blobs/{blob}"
    data = text.encode(errors="surrogateescape") + b"\n"
    return Answer(
        {
            **{"type": "file", "encoding": "base64", "size": len(data), "name": path.rsplit("/", 1)[-1], "path": path},
            **{"content": base64.encodebytes(data).decode(), "sha": blob, "url": here, "git_url": git_url},
            **{"html_url": page, "download_url": page, "_links": {"self": here, "git": git_url, "html": page}},
        }
    )
