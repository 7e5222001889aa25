"""Workflows and their runs, deployments and what became of them."""

from tests.github.fake.calls import Answer, AnsweredError, Call
from tests.github.fake.clock import stamp
from tests.github.fake.model_evidence import Deployment, DeploymentStatus, WorkflowRun
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

REPO = "/repos/{owner}/{repo}"
RUN = f"{REPO}/actions/runs/{{run_id}}"
WORKFLOW = f"{REPO}/actions/workflows/{{workflow_id}}"
MOST_INPUTS = 25


def _workflow(call: Call, name: str) -> Json:
    shapes = call.hub.shapes(call.world, call.version)
    number, at = call.repository.workflows[name], stamp(call.repository.created_at)
    path, page = f".github/workflows/{name}", shapes.page(call.repository)
    return {
        **{"id": number, "node_id": f"W_{number}", "name": name, "path": path, "state": "active"},
        **{"created_at": at, "updated_at": at, "html_url": f"{page}/blob/{call.repository.default_branch}/{path}"},
        "url": f"{shapes.place(call.repository)}/actions/workflows/{number}",
        "badge_url": f"{page}/workflows/{name}/badge.svg",
    }


def _named(call: Call) -> str:
    for name, number in call.repository.workflows.items():
        if call.parts["workflow_id"] in {name, str(number)}:
            return name
    raise AnsweredError(404, "Not Found")


@route("GET", f"{REPO}/actions/workflows", "actions:read")
def workflows(call: Call) -> Answer:
    return paged(list(call.repository.workflows), lambda name: _workflow(call, name), "workflows")


@route("GET", WORKFLOW, "actions:read")
def workflow(call: Call) -> Answer:
    return Answer(_workflow(call, _named(call)))


@route("POST", f"{WORKFLOW}/dispatches", "actions:write")
def dispatch(call: Call) -> Answer:
    """Start a run; its id is told when it was asked for, or always in the newer version."""
    name, hub, ref = _named(call), call.hub, call.text("ref")
    head = hub.git(call.repository).branch(ref.removeprefix("refs/heads/"))
    if head is None:
        raise AnsweredError(422, f"No ref found for: {ref}")
    inputs = call.json.get("inputs") or {}
    if len(inputs) > MOST_INPUTS:
        raise AnsweredError(422, f"Inputs may not have more than {MOST_INPUTS} entries")
    run = hub.repository(call.world.full_name(call.repository)).start_run(name, ref, call.who.user.login, inputs)
    if hub.jobs is not None:
        hub.jobs.start(run)
    shapes = hub.shapes(call.world, call.version)
    if not (shapes.is_new or call.json.get("return_run_details")):
        return Answer(None, 204)
    here = f"actions/runs/{run.id}"
    urls = {"run_url": f"{shapes.place(call.repository)}/{here}", "html_url": f"{shapes.page(call.repository)}/{here}"}
    return Answer({"workflow_run_id": run.id, **urls})


def _run(call: Call, run: WorkflowRun) -> Json:
    shapes = call.hub.shapes(call.world, call.version)
    here = f"{shapes.place(call.repository)}/actions/runs/{run.id}"
    actor, place = shapes.maybe_user(run.actor_id), shapes.minimal(call.repository)
    number = call.repository.workflows[run.workflow]
    commit = call.hub.git(call.repository).commit(run.head)
    signed = {"name": commit.author[0], "email": commit.author[1]}
    head = {"id": run.head, "tree_id": commit.tree, "message": commit.message, "timestamp": commit.author[2]}
    by = {} if actor is None else {"actor": actor, "triggering_actor": actor}
    return {
        **{"id": run.id, "node_id": f"WFR_{run.id}", "name": run.workflow, "path": f".github/workflows/{run.workflow}"},
        **{
            "head_branch": run.head_branch,
            "head_sha": run.head,
            "event": run.event,
            "display_title": run.title or run.workflow,
        },
        **{"status": run.status, "conclusion": run.conclusion, "run_number": run.number, "run_attempt": run.attempt},
        **{"workflow_id": number, "workflow_url": f"{shapes.place(call.repository)}/actions/workflows/{number}"},
        **{"check_suite_id": run.id, "check_suite_node_id": f"CS_{run.id}", "check_suite_url": f"{here}/check-suite"},
        **{"url": here, "html_url": f"{shapes.page(call.repository)}/actions/runs/{run.id}", "pull_requests": []},
        **{
            "created_at": stamp(run.created_at),
            "updated_at": stamp(run.updated_at),
            "run_started_at": stamp(run.created_at),
        },
        **{f"{name}_url": f"{here}/{name}" for name in ("jobs", "logs", "artifacts", "cancel", "rerun")},
        **{"previous_attempt_url": None, **by, "head_commit": {**head, "author": signed, "committer": signed}},
        **{"repository": place, "head_repository": place},
    }


def _found(call: Call) -> WorkflowRun:
    for run in call.repository.runs:
        if run.id == call.parts["run_id"]:
            return run
    raise AnsweredError(404, "Not Found")


@route("GET", f"{WORKFLOW}/runs", "actions:read")
def runs_of_one(call: Call) -> Answer:
    return _listed(call, _named(call))


@route("GET", f"{REPO}/actions/runs", "actions:read")
def runs(call: Call) -> Answer:
    return _listed(call, None)


def _listed(call: Call, name: str | None) -> Answer:
    query = call.query
    found = [run for run in reversed(call.repository.runs) if query.get("head_sha") in {None, run.head}]
    found = [run for run in found if name in {None, run.workflow}]
    found = [
        run
        for run in found
        if query.get("branch") in {None, run.head_branch} and query.get("event") in {None, run.event}
    ]
    found = [run for run in found if query.get("status") in {None, run.status, run.conclusion}]
    return paged(found, lambda run: _run(call, run), "workflow_runs")


@route("GET", RUN, "actions:read")
def one_run(call: Call) -> Answer:
    return Answer(_run(call, _found(call)))


@route("POST", f"{RUN}/cancel", "actions:write")
def cancel(call: Call) -> Answer:
    run = _found(call)
    if run.status == "completed":
        raise AnsweredError(409, "Cannot cancel a workflow run that is completed.")
    if call.hub.jobs is not None:
        call.hub.jobs.cancel(run)  # it ends when its steps have
        return Answer({}, 202)
    run.status, run.conclusion, run.updated_at = "completed", "cancelled", call.hub.clock.tick()
    return Answer({}, 202)


@route("POST", f"{RUN}/rerun", "actions:write")
def rerun(call: Call) -> Answer:
    run = _found(call)
    run.status, run.conclusion, run.attempt = "queued", None, run.attempt + 1
    run.updated_at = call.hub.clock.tick()
    return Answer({}, 201)


# --------------------------------------------------------------------------------- deployments


def _deployment(call: Call, found: Deployment) -> Json:
    shapes = call.hub.shapes(call.world, call.version)
    here = f"{shapes.place(call.repository)}/deployments/{found.id}"
    at = stamp(found.at)
    return {
        **{"id": found.id, "node_id": f"DE_{found.id}", "sha": found.sha, "ref": found.ref, "task": found.task},
        **{"payload": {}, "environment": found.environment, "description": found.description},
        **{"creator": shapes.maybe_user(found.user_id), "created_at": at, "updated_at": at},
        **{"url": here, "statuses_url": f"{here}/statuses", "repository_url": shapes.place(call.repository)},
    }


def _one_deployment(call: Call) -> Deployment:
    for found in call.repository.deployments:
        if found.id == call.parts["deployment_id"]:
            return found
    raise AnsweredError(404, "Not Found")


@route("GET", f"{REPO}/deployments", "deployments:read")
def deployments(call: Call) -> Answer:
    query = call.query
    wanted = [("sha", "sha"), ("ref", "ref"), ("environment", "environment"), ("task", "task")]
    found = [
        one
        for one in reversed(call.repository.deployments)
        if all(query.get(name) in {None, getattr(one, field)} for name, field in wanted)
    ]
    return paged(found, lambda one: _deployment(call, one))


@route("POST", f"{REPO}/deployments", "deployments:write")
def new_deployment(call: Call) -> Answer:
    ref = call.text("ref")
    sha = call.hub.git(call.repository).sha(ref)
    if sha is None:
        raise AnsweredError(422, f"No ref found for: {ref}", errors=[])
    environment = call.json.get("environment", "production")
    made = Deployment(call.hub.world.fresh_id(), sha, ref, environment, call.who.user.id, call.hub.clock.tick())
    call.repository.deployments.append(made)
    return Answer(_deployment(call, made), 201)


@route("GET", f"{REPO}/deployments/{{deployment_id}}/statuses", "deployments:read")
def deployment_statuses(call: Call) -> Answer:
    found = _one_deployment(call)
    return paged(found.statuses[::-1], lambda one: _deployment_status(call, found, one))


@route("POST", f"{REPO}/deployments/{{deployment_id}}/statuses", "deployments:write")
def new_deployment_status(call: Call) -> Answer:
    found = _one_deployment(call)
    made = DeploymentStatus(call.hub.world.fresh_id(), call.text("state"), call.who.user.id, call.hub.clock.tick())
    made.description = call.json.get("description", "")
    found.statuses.append(made)
    return Answer(_deployment_status(call, found, made), 201)


def _deployment_status(call: Call, of: Deployment, found: DeploymentStatus) -> Json:
    shapes, at = call.hub.shapes(call.world, call.version), stamp(found.at)
    here = f"{shapes.place(call.repository)}/deployments/{of.id}"
    return {
        **{"id": found.id, "node_id": f"DES_{found.id}", "state": found.state, "url": f"{here}/statuses/{found.id}"},
        **{
            "creator": shapes.maybe_user(found.user_id),
            "description": found.description,
            "target_url": found.target_url or f"{shapes.page(call.repository)}/deployments",
        },
        **{"environment": of.environment, "created_at": at, "updated_at": at, "deployment_url": here},
        "repository_url": shapes.place(call.repository),
    }
