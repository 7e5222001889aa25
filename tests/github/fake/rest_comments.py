"""Comments and reactions."""

from tests.github.fake import acts_issues
from tests.github.fake.calls import ROLES, Answer, AnsweredError, Call, invalid
from tests.github.fake.clock import seconds_of
from tests.github.fake.model import Comment, Reaction
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
COMMENTS = "/repos/{owner}/{repo}/issues/comments"
COMMENT = f"{COMMENTS}/{{comment_id}}"
CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def shown(call: Call, comment: Comment) -> Json:
    return call.hub.shapes(call.world, call.version).comment(call.repository, comment)


def _found(call: Call) -> Comment:
    found = call.repository.comments.get(call.parts["comment_id"])
    if found is None:
        raise AnsweredError(404, "Not Found")
    return found


def _since(call: Call, comments: list[Comment]) -> list[Comment]:
    """Leave out what was not changed since; `since` is by update."""
    since = call.query.get("since")
    return comments if since is None else [one for one in comments if one.updated_at >= seconds_of(since)]


@route("GET", f"{ISSUE}/comments", "issues:read")
def of_issue(call: Call) -> Answer:
    number = call.issue().number
    found = [comment for comment in call.repository.comments.values() if comment.number == number]
    return paged(_since(call, found), lambda comment: shown(call, comment))


@route("GET", COMMENTS, "issues:read")
def of_repository(call: Call) -> Answer:
    by = "updated_at" if call.query.get("sort") == "updated" else "created_at"
    newest_first = call.query.get("direction") == "desc"
    every = sorted(call.repository.comments.values(), key=lambda one: (getattr(one, by), one.id), reverse=newest_first)
    return paged(_since(call, every), lambda comment: shown(call, comment))


@route("POST", f"{ISSUE}/comments", "issues:write/read")
def post(call: Call) -> Answer:
    issue, actor = call.issue(), call.who
    if issue.is_locked and call.role_level(actor.user.id) < ROLES.index("write") and actor.app is None:
        raise AnsweredError(403, "Unable to create comment because issue is locked.")
    app_id = actor.app.id if actor.app else None
    made = acts_issues.comment(call.hub, call.repository, issue, call.text("body"), actor.user.id, app_id)
    body = shown(call, made)
    return Answer(body, 201, {"Location": body["url"]})


@route("GET", COMMENT, "issues:read")
def one(call: Call) -> Answer:
    return Answer(shown(call, _found(call)))


@route("PATCH", COMMENT, "issues:write/read")
def edit(call: Call) -> Answer:
    found = _found(call)
    is_own = found.user_id == call.who.user.id
    if not is_own and call.who.app is None and call.role_level(call.who.user.id) < ROLES.index("write"):
        raise AnsweredError(403, "Must have push access to Repository.")
    acts_issues.edit_comment(call.hub, call.repository, found, call.text("body"), call.who.user.id)
    return Answer(shown(call, found))


@route("DELETE", COMMENT, "issues:write")
def delete(call: Call) -> Answer:
    acts_issues.delete_comment(call.hub, call.repository, _found(call), call.who.user.id)
    return Answer(None, 204)


@route("GET", f"{COMMENT}/reactions", "issues:read")
def reactions(call: Call) -> Answer:
    shapes = call.hub.shapes(call.world, call.version)
    return paged(_found(call).reactions, shapes.reaction)


@route("POST", f"{COMMENT}/reactions", "issues:write/read")
def react(call: Call) -> Answer:
    """A second reaction of the same kind by the same person is the first one: 200 instead of 201."""
    found, content, me = _found(call), call.text("content"), call.who.user.id
    if content not in CONTENTS:
        raise invalid("Reaction", "content")
    shapes = call.hub.shapes(call.world, call.version)
    same = [one for one in found.reactions if (one.user_id, one.content) == (me, content)]
    if same:
        return Answer(shapes.reaction(same[0]), 200)
    made = Reaction(call.hub.world.fresh_id(), me, content, call.hub.clock.tick())
    found.reactions.append(made)
    return Answer(shapes.reaction(made), 201)


@route("DELETE", f"{COMMENT}/reactions/{{reaction_id}}", "issues:write")
def unreact(call: Call) -> Answer:
    found = _found(call)
    found.reactions = [one for one in found.reactions if one.id != call.parts["reaction_id"]]
    return Answer(None, 204)
