"""Pull requests, their reviews, and merging."""

from tests.github.fake import acts_issues, acts_merges, acts_pulls, events, shapes_pulls
from tests.github.fake.calls import Answer, AnsweredError, Call, invalid
from tests.github.fake.git_place import GitFailedError
from tests.github.fake.model import Issue, Pull, Repository, Review
from tests.github.fake.paging import paged
from tests.github.fake.rest_issues import sorted_by
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

PULLS = "/repos/{owner}/{repo}/pulls"
PULL = f"{PULLS}/{{pull_number}}"
STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


def full(call: Call, issue: Issue) -> Json:
    return shapes_pulls.full(call.hub, call.hub.shapes(call.world, call.version), call.repository, issue)


def pull_of(issue: Issue) -> Pull:
    assert issue.pull is not None
    return issue.pull


@route("GET", PULLS, "pull_requests:read")
def list_pulls(call: Call) -> Answer:
    found = [issue for issue in call.repository.issues.values() if issue.pull and _fits(call, issue)]
    shapes = call.hub.shapes(call.world, call.version)
    return paged(sorted_by(call, found), lambda issue: shapes_pulls.simple(shapes, call.repository, issue))


def _fits(call: Call, issue: Issue) -> bool:
    pull, query = pull_of(issue), call.query
    owner = call.world.users.get(pull.head_owner or 0)
    # Without "owner:" GitHub takes no notice of `head` at all.
    head = query.get("head") if ":" in query.get("head", "") else None
    fits_head = head in {None, f"{owner.login if owner else ''}:{pull.source}"}
    return query.get("state", "open") in {"all", issue.state} and fits_head and query.get("base") in {None, pull.base}


@route("POST", PULLS, "pull_requests:write/read")
def open_pull(call: Call) -> Answer:
    owner, _, source = call.text("head").rpartition(":")
    place = _head_place(call, owner)
    wanted = acts_pulls.Wanted(
        title=str(call.json.get("title", "")),
        body=call.json.get("body"),
        source=source,
        base=call.text("base"),
        head_repository=place.id,
        is_draft=bool(call.json.get("draft", False)),
    )
    issue = acts_pulls.open_pull(call.hub, call.repository, wanted, call.who.user.id)
    body = full(call, issue)
    return Answer(body, 201, {"Location": body["url"]})


def _head_place(call: Call, owner: str) -> Repository:
    if not owner or owner.lower() == call.world.users[call.repository.owner_id].login.lower():
        return call.repository
    for place in call.world.repositories.values():
        is_theirs = call.world.users[place.owner_id].login.lower() == owner.lower()
        if is_theirs and place.parent == call.repository.id:
            return place
    raise invalid("PullRequest", "head")


@route("GET", PULL, "pull_requests:read")
def one_pull(call: Call) -> Answer:
    return Answer(full(call, call.pull()))


@route("PATCH", PULL, "pull_requests:write")
def edit_pull(call: Call) -> Answer:
    issue, given, me = call.pull(), call.json, call.who.user.id
    pull = pull_of(issue)
    acts_issues.edit(call.hub, call.repository, issue, given, me)
    if given.get("base", pull.base) != pull.base:
        base = call.hub.git(call.repository).branch(given["base"])
        if base is None:
            raise invalid("PullRequest", "base")
        pull.base, pull.base_sha, pull.auto_merge = given["base"], base, None
    if given.get("state") == "closed":
        acts_issues.close(call.hub, call.repository, issue, me)
        pull.auto_merge = pull.entry = None
    elif given.get("state") == "open":
        _reopen(call, issue, pull)
    return Answer(full(call, issue))


def _reopen(call: Call, issue: Issue, pull: Pull) -> None:
    if pull.merged_at is not None:
        raise invalid("PullRequest", "state")
    place = call.world.repositories.get(pull.head_repository or 0)
    if place is None or call.hub.git(place).branch(pull.source) is None:
        raise invalid("PullRequest", "state", message="The head branch or repository was deleted")
    acts_issues.reopen(call.hub, call.repository, issue, call.who.user.id)


@route("GET", f"{PULL}/merge", "contents:read")
def is_merged(call: Call) -> Answer:
    if pull_of(call.pull()).merged_at is None:
        raise AnsweredError(404, "Not Found")
    return Answer(None, 204)


@route("PUT", f"{PULL}/merge", "contents:write")
def merge(call: Call) -> Answer:
    issue = call.pull()
    method = call.json.get("merge_method", "merge")
    if method not in acts_merges.METHODS:
        raise invalid("PullRequest", "merge_method")
    made = acts_merges.merge_by_call(call.hub, call.repository, issue, call.who.user.id, method, call.json.get("sha"))
    return Answer({"sha": made, "merged": True, "message": "Pull Request successfully merged"})


@route("PUT", f"{PULL}/update-branch", "pull_requests:write")
def update_branch(call: Call) -> Answer:
    issue = call.pull()
    pull, place = pull_of(issue), call.hub.git(call.repository)
    if call.json.get("expected_head_sha") not in {None, pull.head}:
        raise AnsweredError(422, "expected head sha didn't match current head ref.", errors=[])
    base = place.branch(pull.base)
    made = place.merge(pull.head, base or "", f"Merge branch '{pull.base}' into {pull.source}\n", call.hub.now())
    if made is None:
        raise AnsweredError(422, "merge conflict between base and head", errors=[])
    place.move(f"refs/heads/{pull.source}", made, pull.head)
    return Answer({"message": "Updating pull request branch.", "url": f"{call.hub.web_url}{call.path}"}, 202)


@route("GET", f"{PULL}/commits", "pull_requests:read")
def commits(call: Call) -> Answer:
    pull, place = pull_of(call.pull()), call.hub.git(call.repository)
    shapes = call.hub.shapes(call.world, call.version)
    found = place.between(pull.base_sha, pull.head)[:250]
    return paged(found, lambda sha: shapes_pulls.commit(shapes, call.repository, place.commit(sha)))


@route("GET", f"{PULL}/files", "pull_requests:read")
def files(call: Call) -> Answer:
    pull, place = pull_of(call.pull()), call.hub.git(call.repository)
    here = call.hub.shapes(call.world, call.version).place(call.repository)

    def shown(changed: tuple[int, int, str]) -> Json:
        added, removed, path = changed
        try:
            blob, status = place.git("rev-parse", f"{pull.head}:{path}"), "modified" if removed else "added"
        except GitFailedError:
            blob, status = "0" * 40, "removed"
        counted = {"additions": added, "deletions": removed, "changes": added + removed}
        urls = {"blob_url": f"{here}/blob/{path}", "raw_url": f"{here}/raw/{path}"}
        contents = {"contents_url": f"{here}/contents/{path}?ref={pull.head}"}
        return {"sha": blob, "filename": path, "status": status, **counted, **urls, **contents}

    return paged(place.numstat(pull.base_sha, pull.head), shown)


# ------------------------------------------------------------------------------------- reviews


def _review(call: Call, found: Review) -> Json:
    return shapes_pulls.review(call.hub.shapes(call.world, call.version), call.repository, call.pull(), found)


@route("GET", f"{PULL}/reviews", "pull_requests:read")
def reviews(call: Call) -> Answer:
    return paged(pull_of(call.pull()).reviews, lambda found: _review(call, found))


@route("POST", f"{PULL}/reviews", "pull_requests:write/read")
def new_review(call: Call) -> Answer:
    issue, hub, me = call.pull(), call.hub, call.who.user.id
    pull = pull_of(issue)
    state = STATES.get(call.json.get("event", ""), "PENDING")
    if state in {"APPROVED", "CHANGES_REQUESTED"} and me == issue.user_id:
        raise AnsweredError(422, "Unprocessable Entity", errors=["Can not approve your own pull request"])
    commit = call.json.get("commit_id") or pull.head
    made = Review(hub.world.fresh_id(), me, state, call.json.get("body") or "", commit, hub.clock.tick())
    pull.reviews.append(made)
    events.reviewed(hub, call.repository, issue, made)
    return Answer(_review(call, made))


@route("POST", f"{PULL}/requested_reviewers", "pull_requests:write")
def ask_reviewers(call: Call) -> Answer:
    issue = call.pull()
    pull = pull_of(issue)
    for login in call.json.get("reviewers", []):
        user = call.world.user(login)
        if user is None or user.id not in call.repository.roles:
            raise AnsweredError(422, "Reviews may only be requested from collaborators.", errors=[])
        if user.id not in pull.reviewers:
            pull.reviewers.append(user.id)
            asked = {"requested_reviewer": call.hub.shapes().user(user)}
            call.hub.hooks.pull(call.repository, issue, "review_requested", call.who.user.id, **asked)
    shapes = call.hub.shapes(call.world, call.version)
    return Answer(shapes_pulls.simple(shapes, call.repository, issue), 201)
