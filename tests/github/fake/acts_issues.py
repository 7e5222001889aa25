"""What happens to issues, comments, labels and GitHub milestones, whoever asked for it."""

import re
from typing import TYPE_CHECKING, Any

from tests.github.fake.calls import AnsweredError, invalid
from tests.github.fake.model import Comment, GitHubMilestone, Issue, Label, Repository

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

MAX_BODY = 65_536
CLOSING = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b", re.IGNORECASE)


def check_body(body: str | None, resource: str = "Issue") -> None:
    """Refuse what is too long, as GitHub does."""
    if body is not None and len(body) > MAX_BODY:
        raise invalid(resource, "body", message=f"body is too long (maximum is {MAX_BODY} characters)")


def check_title(title: Any, resource: str = "Issue") -> None:
    if not isinstance(title, str) or not title.strip():
        raise invalid(resource, "title", "missing_field")
    if len(title) > 256:
        raise invalid(resource, "title", message="title is too long (maximum is 256 characters)")


def next_number(repository: Repository) -> int:
    return max(repository.issues, default=0) + 1


def open_issue(hub: "Hub", repository: Repository, user_id: int, title: str, body: str | None) -> Issue:
    check_title(title)
    check_body(body)
    return enter(hub, repository, next_number(repository), user_id, title, body)


def enter(  # many-parameters: the fields of an issue
    hub: "Hub", repository: Repository, number: int, user_id: int, title: str, body: str | None
) -> Issue:
    """Enter an issue under a number of the caller's choice."""
    now_s = hub.clock.tick()
    made = Issue(hub.world.fresh_id(), number, title, body, user_id, now_s, now_s)
    repository.issues[number] = made
    hub.hooks.issue(repository, made, "opened", user_id)
    return made


def edit(hub: "Hub", repository: Repository, issue: Issue, fields: dict[str, Any], user_id: int | None) -> None:
    """Change title and body, as far as they are named."""
    resource = "PullRequest" if issue.pull else "Issue"
    if "title" in fields:
        check_title(fields["title"], resource)
    check_body(fields.get("body"), resource)
    changes = {name: {"from": getattr(issue, name) or ""} for name in ("title", "body") if name in fields}
    issue.title, issue.body = fields.get("title", issue.title), fields.get("body", issue.body)
    touch(hub, issue)
    if changes:
        hub.hooks.issue(repository, issue, "edited", user_id, changes=changes)


def touch(hub: "Hub", issue: Issue) -> None:
    issue.updated_at = hub.clock.tick()


def close(
    hub: "Hub", repository: Repository, issue: Issue, user_id: int | None, reason: str | None = "completed"
) -> None:
    """Close it; closing a closed one changes nothing but the reason."""
    issue.reason = None if issue.pull else reason
    if issue.closed_at is None:
        touch(hub, issue)
        issue.closed_at, issue.closed_by = issue.updated_at, user_id
        hub.hooks.issue(repository, issue, "closed", user_id)


def reopen(hub: "Hub", repository: Repository, issue: Issue, user_id: int | None) -> None:
    if issue.closed_at is not None:
        touch(hub, issue)
        issue.closed_at = issue.closed_by = None
        issue.reason = None if issue.pull else "reopened"
        hub.hooks.issue(repository, issue, "reopened", user_id)


def label_named(hub: "Hub", repository: Repository, name: str) -> Label:
    """Find a label without regard to case, or make it: adding one that does not exist makes it."""
    found = find_label(repository, name)
    if found is None:
        found = Label(hub.world.fresh_id(), name)
        repository.labels[found.id] = found
    return found


def find_label(repository: Repository, name: str) -> Label | None:
    return next((label for label in repository.labels.values() if label.name.lower() == name.lower()), None)


def add_labels(hub: "Hub", repository: Repository, issue: Issue, names: list[str], user_id: int | None) -> None:
    for name in names:
        label = label_named(hub, repository, name)
        if label.id not in issue.label_ids:
            issue.label_ids.append(label.id)
            touch(hub, issue)
            hub.hooks.issue(repository, issue, "labeled", user_id, label=hub.shapes().label(repository, label))


def remove_label(hub: "Hub", repository: Repository, issue: Issue, name: str, user_id: int | None) -> None:
    label = find_label(repository, name)
    if label is None or label.id not in issue.label_ids:
        raise AnsweredError(404, "Label does not exist")
    issue.label_ids.remove(label.id)
    touch(hub, issue)
    hub.hooks.issue(repository, issue, "unlabeled", user_id, label=hub.shapes().label(repository, label))


def set_labels(hub: "Hub", repository: Repository, issue: Issue, names: list[str], user_id: int | None) -> None:
    wanted = [label_named(hub, repository, name) for name in names]
    for label in [repository.labels[number] for number in issue.label_ids]:
        if label not in wanted:
            remove_label(hub, repository, issue, label.name, user_id)
    add_labels(hub, repository, issue, names, user_id)


def set_milestone(hub: "Hub", repository: Repository, issue: Issue, number: int | None, user_id: int | None) -> None:
    if number is not None and number not in repository.milestones:
        raise invalid("Issue", "milestone")
    before, issue.milestone = issue.milestone, number
    if before == number:
        return
    touch(hub, issue)
    for which, action in ((before, "demilestoned"), (number, "milestoned")):
        if which is not None:
            shown = hub.shapes().milestone(repository, repository.milestones[which])
            hub.hooks.issue(repository, issue, action, user_id, milestone=shown)


def assign(hub: "Hub", repository: Repository, issue: Issue, logins: list[str]) -> None:
    """Assign exactly these; a login that is nobody here is left out, as GitHub does."""
    people = [user for user in map(hub.world.user, logins) if user]
    issue.assignee_ids = [user.id for user in people]
    touch(hub, issue)


def comment(
    hub: "Hub", repository: Repository, issue: Issue, body: str, user_id: int, app_id: int | None = None
) -> Comment:  # many-parameters: who said what where
    check_body(body, "IssueComment")
    if not body.strip():
        raise invalid("IssueComment", "body", "missing_field", "Body cannot be blank")
    touch(hub, issue)
    made = Comment(hub.world.fresh_id(), issue.number, user_id, body, issue.updated_at, issue.updated_at, app_id)
    repository.comments[made.id] = made
    hub.hooks.comment(repository, issue, made, "created", user_id)
    return made


def edit_comment(hub: "Hub", repository: Repository, found: Comment, body: str, user_id: int | None) -> None:
    check_body(body, "IssueComment")
    issue = repository.issues[found.number]
    touch(hub, issue)
    changes = {"body": {"from": found.body or ""}}
    found.body, found.updated_at = body, issue.updated_at
    hub.hooks.comment(repository, issue, found, "edited", user_id, changes=changes)


def delete_comment(hub: "Hub", repository: Repository, found: Comment, user_id: int | None) -> None:
    del repository.comments[found.id]
    issue = repository.issues[found.number]
    touch(hub, issue)
    hub.hooks.comment(repository, issue, found, "deleted", user_id)


def new_milestone(hub: "Hub", repository: Repository, title: str, user_id: int | None) -> GitHubMilestone:
    if any(found.title == title for found in repository.milestones.values()):
        raise invalid("Milestone", "title", "already_exists")
    number = max(repository.milestones, default=0) + 1
    now_s = hub.clock.tick()
    made = GitHubMilestone(hub.world.fresh_id(), number, title, user_id, now_s, now_s)
    repository.milestones[number] = made
    hub.hooks.milestone(repository, made, "created", user_id)
    return made
