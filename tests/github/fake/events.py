"""Events beside those of issues and pull requests, and how checks and statuses look in them."""

from typing import TYPE_CHECKING

from tests.github.fake.clock import maybe, stamp
from tests.github.fake.model import Issue, Repository, Review
from tests.github.fake.model_evidence import CheckRun, CommitStatus
from tests.github.fake.shapes import Json, Shapes

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

ABSENT = "0" * 40
Moves = dict[str, tuple[str, str]]
"""Refs with what they named before and after; zeros for what is not there."""


def check_run(hub: "Hub", shapes: Shapes, repository: Repository, check: CheckRun) -> Json:
    here = f"{shapes.place(repository)}/check-runs/{check.id}"
    page = f"{shapes.page(repository)}/runs/{check.id}"
    app = shapes.world.apps.get(check.app_id or 0)
    told = {name: check.output.get(name) for name in ("title", "summary", "text")}
    return {
        **{"id": check.id, "node_id": f"CR_{check.id}", "name": check.name, "head_sha": check.head},
        **{"external_id": check.external_id, "url": here, "html_url": page, "details_url": check.details_url or page},
        **{"status": check.status, "conclusion": check.conclusion},
        **{"started_at": maybe(check.started_at), "completed_at": maybe(check.completed_at)},
        "output": {**told, "annotations_count": 0, "annotations_url": f"{here}/annotations"},
        "check_suite": {"id": check.suite_id},
        "app": hub.app.shown(shapes.world, app) if app else None,
        "pull_requests": [],
    }


def status_shown(shapes: Shapes, repository: Repository, status: CommitStatus) -> Json:
    here, at = shapes.place(repository), stamp(status.at)
    return {
        **{"id": status.id, "node_id": f"SC_{status.id}", "url": f"{here}/statuses/{status.sha}"},
        **{"avatar_url": None, "state": status.state, "context": status.context},
        **{"description": status.description, "target_url": status.target_url, "created_at": at, "updated_at": at},
    }


def checked(hub: "Hub", repository: Repository, check: CheckRun) -> None:
    """Tell of a check run that was made or that ended."""
    if hub.hooks.is_heard(repository):
        action = "completed" if check.conclusion else "created"
        hub.hooks.tell(
            "check_run", action, repository, None, {"check_run": check_run(hub, hub.shapes(), repository, check)}
        )


def posted(hub: "Hub", repository: Repository, status: CommitStatus) -> None:
    """Tell of a commit status: it has no action."""
    if not hub.hooks.is_heard(repository):
        return
    from tests.github.fake.shapes_pulls import commit

    shapes = hub.shapes()
    shown = status_shown(shapes, repository, status)
    kept = ("id", "avatar_url", "state", "context", "description", "target_url", "created_at", "updated_at")
    more = {"sha": status.sha, "name": hub.world.full_name(repository), "branches": []}
    found = commit(shapes, repository, hub.git(repository).commit(status.sha))
    hub.hooks.tell(
        "status", None, repository, status.user_id, {**{name: shown[name] for name in kept}, **more, "commit": found}
    )


def reviewed(hub: "Hub", repository: Repository, issue: Issue, review: Review) -> None:
    """Tell of a review; its state is in small letters here."""
    if not hub.hooks.is_heard(repository):
        return
    from tests.github.fake import shapes_pulls

    shapes = hub.shapes()
    shown = shapes_pulls.review(shapes, repository, issue, review)
    more = {
        "review": {**shown, "state": shown["state"].lower()},
        "pull_request": shapes_pulls.simple(shapes, repository, issue),
    }
    hub.hooks.tell("pull_request_review", "submitted", repository, review.user_id, more)


def moved(hub: "Hub", repository: Repository, action: str, changes: Json) -> None:
    """Tell of a repository that was renamed or transferred."""
    hub.hooks.tell("repository", action, repository, repository.owner_id, {"changes": changes})


def pushed(hub: "Hub", repository: Repository, moves: Moves, user_id: int | None) -> None:
    """Tell of branches and tags that moved; other refs cause no event, nor do more than 5,000 at once."""
    if not hub.hooks.is_heard(repository) or len(moves) > 5_000:
        return
    for ref, (before, after) in moves.items():
        if ref.startswith(("refs/heads/", "refs/tags/")) and before != after:
            hub.hooks.tell("push", None, repository, user_id, _push(hub, repository, ref, before, after))


def _push(hub: "Hub", repository: Repository, ref: str, before: str, after: str) -> Json:
    place, shapes = hub.git(repository), hub.shapes()
    is_new, is_gone = before == ABSENT, after == ABSENT
    shas = [] if is_gone else [after] if is_new else place.between(before, after)[-2048:]
    commits = [_commit(hub, shapes, repository, sha) for sha in shas]
    pusher = hub.ghost.login
    return {
        **{"ref": ref, "before": before, "after": after, "created": is_new, "deleted": is_gone},
        "forced": not is_new and not is_gone and not place.holds(after, before),
        **{"base_ref": None, "compare": f"{shapes.page(repository)}/compare/{before[:12]}...{after[:12]}"},
        **{"commits": commits, "head_commit": None if is_gone else _commit(hub, shapes, repository, after)},
        "pusher": {"name": pusher, "email": f"{pusher}@example.org"},
    }


def _commit(hub: "Hub", shapes: Shapes, repository: Repository, sha: str) -> Json:
    found = hub.git(repository).commit(sha)
    people = {"author": found.author, "committer": found.committer}
    return {
        **{"id": sha, "tree_id": found.tree, "distinct": True, "message": found.message},
        **{"timestamp": found.committer[2], "url": f"{shapes.page(repository)}/commit/{sha}"},
        **{name: {"name": who[0], "email": who[1], "username": who[0]} for name, who in people.items()},
        **{"added": [], "removed": [], "modified": []},
    }
