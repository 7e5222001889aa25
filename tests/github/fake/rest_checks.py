"""Check runs, check suites and commit statuses."""

from tests.github.fake import events
from tests.github.fake.calls import Answer, AnsweredError, Call, invalid
from tests.github.fake.clock import maybe, seconds_of, stamp
from tests.github.fake.model_evidence import CheckRun, CommitStatus
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

REPO = "/repos/{owner}/{repo}"
LONGEST = 65_535
MOST_ACTIONS, LONGEST_LABEL = 3, 20
MOST_STATUSES = 1_000


def shown(call: Call, check: CheckRun) -> Json:
    return events.check_run(call.hub, call.hub.shapes(call.world, call.version), call.repository, check)


def sha_of(call: Call) -> str:
    found = call.hub.git(call.repository).sha(call.parts["ref"])
    if found is None:
        raise AnsweredError(422, f"No commit found for SHA: {call.parts['ref']}", errors=[])
    return found


@route("POST", f"{REPO}/check-runs", "checks:write")
def new_check(call: Call) -> Answer:
    """Make one; only Apps may."""
    app = call.who.app
    if app is None:
        raise AnsweredError(403, "You must authenticate via a GitHub App.")
    suites = [
        one.suite_id for one in call.repository.checks if (one.head, one.app_id) == (call.json["head_sha"], app.id)
    ]
    fresh = call.hub.world.fresh_id
    made = CheckRun(fresh(), suites[0] if suites else fresh(), call.text("name"), call.text("head_sha"), app.id)
    made.started_at = call.hub.clock.tick()
    _edit(call, made)
    call.repository.checks.append(made)
    events.checked(call.hub, call.repository, made)
    return Answer(shown(call, made), 201)


def _edit(call: Call, check: CheckRun) -> None:
    given = call.json
    for name in ("name", "status", "external_id", "details_url"):
        setattr(check, name, given.get(name, getattr(check, name)))
    output = given.get("output") or {}
    if any(len(output.get(name) or "") > LONGEST for name in ("summary", "text")):
        raise invalid("CheckRun", "output", message=f"Only {LONGEST} characters are allowed")
    actions = given.get("actions") or []
    if len(actions) > MOST_ACTIONS or any(len(action["label"]) > LONGEST_LABEL for action in actions):
        raise invalid("CheckRun", "actions")
    check.output, check.actions = {**check.output, **output}, actions or check.actions
    if given.get("conclusion"):
        check.status, check.conclusion = "completed", given["conclusion"]
        at = given.get("completed_at")
        check.completed_at = seconds_of(at) if at else call.hub.now_s()


def _found(call: Call) -> CheckRun:
    for check in call.repository.checks:
        if check.id == call.parts["check_run_id"]:
            return check
    raise AnsweredError(404, "Not Found")


@route("PATCH", f"{REPO}/check-runs/{{check_run_id}}", "checks:write")
def edit_check(call: Call) -> Answer:
    found = _found(call)
    if call.who.app is None or call.who.app.id != found.app_id:
        raise AnsweredError(403, "Resource not accessible by integration")
    _edit(call, found)
    if found.conclusion:
        events.checked(call.hub, call.repository, found)
    return Answer(shown(call, found))


@route("GET", f"{REPO}/check-runs/{{check_run_id}}", "checks:read")
def one_check(call: Call) -> Answer:
    return Answer(shown(call, _found(call)))


@route("GET", f"{REPO}/commits/{{ref}}/check-runs", "checks:read")
def checks(call: Call) -> Answer:
    """List check runs, newest first; `filter=latest` (the default) leaves one for each name, App and suite."""
    sha, query = sha_of(call), call.query
    found = [one for one in reversed(call.repository.checks) if one.head == sha]
    found = [
        one
        for one in found
        if query.get("check_name") in {None, one.name} and query.get("status") in {None, one.status}
    ]
    found = [one for one in found if query.get("app_id") in {None, str(one.app_id)}]
    if query.get("filter", "latest") == "latest":
        found = list({(one.name, one.app_id, one.suite_id): one for one in reversed(found)}.values())[::-1]
    return paged(found, lambda one: shown(call, one), "check_runs")


def suites_of(call: Call) -> dict[int, list[CheckRun]]:
    sha = sha_of(call)
    found: dict[int, list[CheckRun]] = {}
    for check in call.repository.checks:
        if check.head == sha:
            found.setdefault(check.suite_id, []).append(check)
    return found


@route("GET", f"{REPO}/commits/{{ref}}/check-suites", "checks:read")
def suites(call: Call) -> Answer:
    found, sha = suites_of(call), sha_of(call)
    return paged(list(found), lambda number: _suite(call, number, found[number], sha), "check_suites")


def _suite(call: Call, number: int, runs: list[CheckRun], sha: str) -> Json:
    shapes = call.hub.shapes(call.world, call.version)
    here, place = shapes.place(call.repository), call.hub.git(call.repository)
    words = {run.conclusion for run in runs}
    app = call.world.apps.get(runs[0].app_id or 0)
    commit = place.commit(sha)
    signed = {"name": commit.author[0], "email": commit.author[1]}
    head = {"id": sha, "tree_id": commit.tree, "message": commit.message, "timestamp": commit.author[2]}
    at = maybe(runs[0].started_at) or stamp(call.hub.now_s())
    return {
        **{"id": number, "node_id": f"CS_{number}", "head_branch": None, "head_sha": sha},
        "status": "queued" if None in words else "completed",
        "conclusion": None if None in words else "success" if words <= {"success", "neutral", "skipped"} else "failure",
        **{"url": f"{here}/check-suites/{number}", "before": None, "after": None, "pull_requests": []},
        **{"app": call.hub.app.shown(call.world, app) if app else None, "repository": shapes.minimal(call.repository)},
        **{"created_at": at, "updated_at": at, "latest_check_runs_count": len(runs)},
        "head_commit": {**head, "author": signed, "committer": signed},
        "check_runs_url": f"{here}/check-suites/{number}/check-runs",
    }


# ------------------------------------------------------------------------------------ statuses


def _status(call: Call, status: CommitStatus) -> Json:
    return events.status_shown(call.hub.shapes(call.world, call.version), call.repository, status)


def _of_sha(call: Call, sha: str) -> list[CommitStatus]:
    return [status for status in reversed(call.repository.statuses) if status.sha == sha]


@route("POST", f"{REPO}/statuses/{{sha}}", "statuses:write")
def new_status(call: Call) -> Answer:
    sha, context = call.parts["sha"], call.json.get("context", "default")
    if call.json.get("state") not in {"error", "failure", "pending", "success"}:
        raise invalid("Status", "state")
    if sum(1 for one in _of_sha(call, sha) if one.context == context) >= MOST_STATUSES:
        raise invalid("Status", "context", message="This SHA and context has reached the maximum number of statuses.")
    made = CommitStatus(
        call.hub.world.fresh_id(), sha, context, call.json["state"], call.who.user.id, call.hub.clock.tick()
    )
    made.description, made.target_url = call.json.get("description"), call.json.get("target_url")
    call.repository.statuses.append(made)
    events.posted(call.hub, call.repository, made)
    return Answer({**_status(call, made), "creator": call.hub.shapes(call.world).user(call.who.user)}, 201)


@route("GET", f"{REPO}/commits/{{ref}}/statuses", "statuses:read")
def statuses(call: Call) -> Answer:
    shapes = call.hub.shapes(call.world, call.version)
    return paged(
        _of_sha(call, sha_of(call)), lambda one: {**_status(call, one), "creator": shapes.maybe_user(one.user_id)}
    )


@route("GET", f"{REPO}/commits/{{ref}}/status", "statuses:read")
def combined(call: Call) -> Answer:
    """Fold them: the newest of each context; pending where there is none at all."""
    sha, shapes = sha_of(call), call.hub.shapes(call.world, call.version)
    newest = list({one.context: one for one in reversed(_of_sha(call, sha))}.values())
    words = {one.state for one in newest}
    state = "failure" if words & {"failure", "error"} else "success" if words == {"success"} else "pending"
    here = f"{shapes.place(call.repository)}/commits/{sha}"
    return Answer(
        {
            **{
                "state": state,
                "sha": sha,
                "total_count": len(newest),
                "statuses": [_status(call, one) for one in newest],
            },
            **{"repository": shapes.minimal(call.repository), "commit_url": here, "url": f"{here}/status"},
        }
    )
