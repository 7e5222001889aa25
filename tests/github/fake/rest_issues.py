"""Issues, their labels, assignees, GitHub milestones, dependencies and parts."""

from typing import Any

from tests.github.fake import acts_issues
from tests.github.fake.calls import Answer, AnsweredError, Call, invalid
from tests.github.fake.clock import seconds_of
from tests.github.fake.model import GitHubMilestone, Issue, Label, Place
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json, listed

ISSUES = "/repos/{owner}/{repo}/issues"
ISSUE = f"{ISSUES}/{{issue_number}}"
MILESTONES = "/repos/{owner}/{repo}/milestones"
REASONS = ("completed", "not_planned", "duplicate", "reopened")


def shown(call: Call, issue: Issue) -> Json:
    return call.hub.shapes(call.world, call.version).issue(call.repository, issue)


def sorted_by(call: Call, found: list[Issue]) -> list[Issue]:
    """Put them into the order that was asked for: newest first unless told."""
    by = {"updated": "updated_at", "comments": "number"}.get(call.query.get("sort", "created"), "created_at")
    newest_first = call.query.get("direction", "desc") == "desc"
    return sorted(found, key=lambda issue: (getattr(issue, by), issue.number), reverse=newest_first)


@route("GET", ISSUES, "issues:read")
def list_issues(call: Call) -> Answer:
    found = [issue for issue in listed(call.repository) if _fits(call, issue)]
    return paged(sorted_by(call, found), lambda issue: shown(call, issue))


def _fits(call: Call, issue: Issue) -> bool:
    query, place = call.query, call.repository
    state, milestone, since = query.get("state", "open"), query.get("milestone"), query.get("since")
    names = {place.labels[number].name.lower() for number in issue.label_ids}
    wanted = {name.strip().lower() for name in query.get("labels", "").split(",") if name.strip()}
    fits_milestone = (
        milestone in {None, str(issue.milestone)}
        or (milestone == "*" and issue.milestone is not None)
        or (milestone == "none" and issue.milestone is None)
    )
    fits_state = state in {"all", issue.state}
    return (
        fits_state and fits_milestone and wanted <= names and (since is None or issue.updated_at >= seconds_of(since))
    )


@route("POST", ISSUES, "issues:write/read")
def new_issue(call: Call) -> Answer:
    place, hub, me = call.repository, call.hub, call.who.user.id
    issue = acts_issues.open_issue(hub, place, me, str(call.json.get("title", "")), call.json.get("body"))
    _sort_in(call, issue)
    return Answer(shown(call, issue), 201, {"Location": f"{hub.api_url}{call.path}/{issue.number}"})


def _sort_in(call: Call, issue: Issue) -> None:
    """Take labels, assignees and GitHub milestone as far as the body names them."""
    place, hub, me, given = call.repository, call.hub, call.who.user.id, call.json
    if given.get("labels") is not None:
        acts_issues.set_labels(hub, place, issue, [_name(label) for label in given["labels"]], me)
    if given.get("assignees") is not None:
        acts_issues.assign(hub, place, issue, given["assignees"])
    if "milestone" in given:
        acts_issues.set_milestone(hub, place, issue, given["milestone"], me)


def _name(label: Any) -> str:
    return str(label["name"] if isinstance(label, dict) else label)


@route("GET", ISSUE, "issues:read")
def one_issue(call: Call) -> Answer:
    return Answer(shown(call, call.issue()))


@route("PATCH", ISSUE, "issues:write/triage")
def edit_issue(call: Call) -> Answer:
    issue, given, hub, me = call.issue(), call.json, call.hub, call.who.user.id
    acts_issues.edit(hub, call.repository, issue, given, me)
    _sort_in(call, issue)
    if given.get("state_reason") not in {None, *REASONS}:
        raise invalid("Issue", "state_reason")
    if given.get("state") == "closed":
        acts_issues.close(hub, call.repository, issue, me, given.get("state_reason") or "completed")
    if given.get("state") == "open":
        if issue.pull and issue.pull.merged_at is not None:
            raise invalid("Issue", "state")
        acts_issues.reopen(hub, call.repository, issue, me)
    return Answer(shown(call, issue))


@route("PUT", f"{ISSUE}/lock", "issues:write")
def lock(call: Call) -> Answer:
    call.issue().is_locked = True
    return Answer(None, 204)


@route("DELETE", f"{ISSUE}/lock", "issues:write")
def unlock(call: Call) -> Answer:
    call.issue().is_locked = False
    return Answer(None, 204)


# -------------------------------------------------------------------------------------- labels


def label_shown(call: Call, label: Label) -> Json:
    return call.hub.shapes(call.world, call.version).label(call.repository, label)


def labels_of(call: Call, issue: Issue) -> list[Label]:
    return [call.repository.labels[number] for number in issue.label_ids]


@route("GET", f"{ISSUE}/labels", "issues:read")
def issue_labels(call: Call) -> Answer:
    return paged(labels_of(call, call.issue()), lambda label: label_shown(call, label))


@route("POST", f"{ISSUE}/labels", "issues:write/triage")
def add_labels(call: Call) -> Answer:
    issue = call.issue()
    acts_issues.add_labels(call.hub, call.repository, issue, _names(call), call.who.user.id)
    return Answer([label_shown(call, label) for label in labels_of(call, issue)])


@route("PUT", f"{ISSUE}/labels", "issues:write/triage")
def set_labels(call: Call) -> Answer:
    issue = call.issue()
    acts_issues.set_labels(call.hub, call.repository, issue, _names(call), call.who.user.id)
    return Answer([label_shown(call, label) for label in labels_of(call, issue)])


@route("DELETE", f"{ISSUE}/labels/{{name}}", "issues:write/triage")
def remove_label(call: Call) -> Answer:
    issue = call.issue()
    acts_issues.remove_label(call.hub, call.repository, issue, call.parts["name"], call.who.user.id)
    return Answer([label_shown(call, label) for label in labels_of(call, issue)])


def _names(call: Call) -> list[str]:
    given = call.json.get("labels", []) if isinstance(call.json, dict) else call.json
    return [_name(label) for label in given]


@route("GET", "/repos/{owner}/{repo}/labels", "issues:read")
def all_labels(call: Call) -> Answer:
    return paged(list(call.repository.labels.values()), lambda label: label_shown(call, label))


@route("POST", "/repos/{owner}/{repo}/labels", "issues:write")
def new_label(call: Call) -> Answer:
    name = call.text("name")
    if acts_issues.find_label(call.repository, name):
        raise invalid("Label", "name", "already_exists")
    made = acts_issues.label_named(call.hub, call.repository, name)
    made.color, made.description = call.json.get("color", made.color), call.json.get("description")
    return Answer(label_shown(call, made), 201)


@route("GET", "/repos/{owner}/{repo}/labels/{name}", "issues:read")
def one_label(call: Call) -> Answer:
    found = acts_issues.find_label(call.repository, call.parts["name"])
    if found is None:
        raise AnsweredError(404, "Not Found")
    return Answer(label_shown(call, found))


# --------------------------------------------------------------------------- GitHub milestones


def milestone_shown(call: Call, found: GitHubMilestone) -> Json:
    return call.hub.shapes(call.world, call.version).milestone(call.repository, found)


def _milestone(call: Call) -> GitHubMilestone:
    found = call.repository.milestones.get(call.parts["milestone_number"])
    if found is None:
        raise AnsweredError(404, "Not Found")
    return found


@route("GET", MILESTONES, "issues:read")
def milestones(call: Call) -> Answer:
    state = call.query.get("state", "open")
    every = call.repository.milestones.values()
    found = [one for one in every if state in {"all", "open" if one.closed_at is None else "closed"}]
    return paged(found, lambda one: milestone_shown(call, one))


@route("POST", MILESTONES, "issues:write")
def new_milestone(call: Call) -> Answer:
    made = acts_issues.new_milestone(call.hub, call.repository, call.text("title"), call.who.user.id)
    _edit_milestone(call, made)
    return Answer(milestone_shown(call, made), 201)


@route("GET", f"{MILESTONES}/{{milestone_number}}", "issues:read")
def one_milestone(call: Call) -> Answer:
    return Answer(milestone_shown(call, _milestone(call)))


@route("PATCH", f"{MILESTONES}/{{milestone_number}}", "issues:write")
def edit_milestone(call: Call) -> Answer:
    found = _milestone(call)
    _edit_milestone(call, found)
    return Answer(milestone_shown(call, found))


def _edit_milestone(call: Call, found: GitHubMilestone) -> None:
    given = call.json
    found.title, found.description = given.get("title", found.title), given.get("description", found.description)
    found.updated_at = call.hub.clock.tick()
    if given.get("due_on"):
        found.due_at = seconds_of(given["due_on"])
    was_open = found.closed_at is None
    if "state" in given:
        found.closed_at = found.updated_at if given["state"] == "closed" else None
    if was_open != (found.closed_at is None):
        action = "closed" if was_open else "opened"
        call.hub.hooks.milestone(call.repository, found, action, call.who.user.id)


# -------------------------------------------------------------------------------- dependencies


def _linked(call: Call, places: list[Place]) -> Answer:
    found = [(call.world.repositories[place], number) for place, number in places if place in call.world.repositories]
    shapes = call.hub.shapes(call.world, call.version)
    there = [(place, place.issues[number]) for place, number in found if number in place.issues]
    return paged(there, lambda pair: shapes.issue(*pair))


@route("GET", f"{ISSUE}/dependencies/blocked_by", "issues:read")
def blocked_by(call: Call) -> Answer:
    return _linked(call, call.issue().blocked_by)


@route("GET", f"{ISSUE}/dependencies/blocking", "issues:read")
def blocking(call: Call) -> Answer:
    me = (call.repository.id, call.issue().number)
    every = [(place.id, issue) for place in call.world.repositories.values() for issue in listed(place)]
    return _linked(call, [(place, issue.number) for place, issue in every if me in issue.blocked_by])


@route("POST", f"{ISSUE}/dependencies/blocked_by", "issues:write")
def add_blocked_by(call: Call) -> Answer:
    issue = call.issue()
    every = [(place.id, found) for place in call.world.repositories.values() for found in listed(place)]
    named = [(place, found) for place, found in every if found.id == call.json.get("issue_id")]
    if not named or named[0][1] is issue:
        raise invalid("IssueDependency", "issue_id")
    place, blocker = named[0]
    if (place, blocker.number) in issue.blocked_by:
        raise invalid("IssueDependency", "issue_id", "already_exists")
    issue.blocked_by.append((place, blocker.number))
    acts_issues.touch(call.hub, issue)
    return Answer(shown(call, issue), 201)


@route("DELETE", f"{ISSUE}/dependencies/blocked_by/{{issue_id}}", "issues:write")
def remove_blocked_by(call: Call) -> Answer:
    issue, wanted = call.issue(), call.parts["issue_id"]
    kept = [(at, number) for at, number in issue.blocked_by if call.world.repositories[at].issues[number].id != wanted]
    if len(kept) == len(issue.blocked_by):
        raise AnsweredError(404, "Not Found")
    issue.blocked_by = kept
    acts_issues.touch(call.hub, issue)
    return Answer(shown(call, issue))


@route("GET", f"{ISSUE}/sub_issues", "issues:read")
def sub_issues(call: Call) -> Answer:
    return _linked(call, call.issue().sub_issues)


@route("GET", f"{ISSUE}/parent", "issues:read")
def parent(call: Call) -> Answer:
    above = call.issue().parent
    if above is None:
        raise AnsweredError(404, "Not Found")
    place = call.world.repositories[above[0]]
    return Answer(call.hub.shapes(call.world, call.version).issue(place, place.issues[above[1]]))
