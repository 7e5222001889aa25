"""How pull requests, reviews and commits look in GitHub's JSON."""

from typing import TYPE_CHECKING, Any

from tests.github.fake import acts_pulls
from tests.github.fake.clock import maybe, stamp
from tests.github.fake.git_place import Commit
from tests.github.fake.model import AutoMerge, Issue, Pull, Repository, Review
from tests.github.fake.shapes import Json, Shapes, node_of

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

LINKS = {"html": "", "issue": "", "comments": "", "review_comments": "/comments", "commits": "/commits", "self": ""}


def _side(shapes: Shapes, place: Repository | None, owner: int | None, ref: str, sha: str) -> Json:
    """Render head or base: the repository is null when the fork is gone, the person when they are."""
    user = shapes.maybe_user(owner)
    label = f"{user['login']}:{ref}" if user else ref
    return {"label": label, "ref": ref, "sha": sha, "user": user, "repo": shapes.repository(place) if place else None}


def _links(shapes: Shapes, repository: Repository, issue: Issue, pull: Pull) -> dict[str, str]:
    here, page = f"{shapes.place(repository)}/pulls/{issue.number}", f"{shapes.page(repository)}/pull/{issue.number}"
    talk = f"{shapes.place(repository)}/issues/{issue.number}"
    return {
        **{"self": here, "html": page, "issue": talk, "comments": f"{talk}/comments", "commits": f"{here}/commits"},
        "review_comments": f"{here}/comments",
        "review_comment": f"{shapes.place(repository)}/pulls/comments{{/number}}",
        "statuses": f"{shapes.place(repository)}/statuses/{pull.head}",
    }


def simple(shapes: Shapes, repository: Repository, issue: Issue) -> Json:
    """Render it as lists do."""
    pull = issue.pull
    assert pull is not None
    own = shapes.issue(repository, issue)
    links = _links(shapes, repository, issue, pull)
    kept = ("id", "number", "state", "locked", "title", "user", "body", "labels", "milestone", "assignees", "assignee")
    more = ("active_lock_reason", "created_at", "updated_at", "closed_at", "author_association")
    people = [shown for shown in map(shapes.maybe_user, pull.reviewers) if shown]
    head_place = shapes.world.repositories.get(pull.head_repository or 0)
    return {
        **{name: own[name] for name in (*kept, *more) if name in own},
        **{"url": links["self"], "html_url": links["html"], "issue_url": links["issue"]},
        **{
            "diff_url": f"{links['html']}.diff",
            "patch_url": f"{links['html']}.patch",
            "comments_url": links["comments"],
        },
        **{"commits_url": links["commits"], "review_comments_url": links["review_comments"]},
        **{"review_comment_url": links["review_comment"], "statuses_url": links["statuses"]},
        "node_id": node_of(issue),
        "merged_at": maybe(pull.merged_at),
        **({} if shapes.is_new else {"merge_commit_sha": pull.merge_commit}),
        **{"requested_reviewers": people, "requested_teams": []},
        "head": _side(shapes, head_place, pull.head_owner, pull.source, pull.head),
        "base": _side(shapes, repository, repository.owner_id, pull.base, pull.base_sha),
        "_links": {name: {"href": url} for name, url in links.items()},
        "auto_merge": auto_merge(shapes, pull.auto_merge),
        "draft": pull.is_draft,
    }


def auto_merge(shapes: Shapes, asked: AutoMerge | None) -> Json | None:
    if asked is None:
        return None
    by = {"enabled_by": shapes.maybe_user(asked.user_id), "merge_method": asked.method}
    return {**by, "commit_title": asked.title or "", "commit_message": asked.message or ""}


def full(hub: "Hub", shapes: Shapes, repository: Repository, issue: Issue) -> Json:
    """Render it alone, with what GitHub computes."""
    mergeable = acts_pulls.look(hub, repository, issue)
    state = merge_state(hub, repository, issue, mergeable=mergeable)
    computed = {"mergeable": mergeable, "rebaseable": mergeable, "mergeable_state": state}
    return {**in_event(hub, shapes, repository, issue), **computed}


def in_event(hub: "Hub", shapes: Shapes, repository: Repository, issue: Issue) -> Json:
    """Render it as events do, whether it merges not computed yet."""
    pull = acts_pulls.pull_of(issue)
    changed = hub.git(repository).numstat(pull.base_sha, pull.head) if pull.merged_at is None else []
    return {
        **simple(shapes, repository, issue),
        "merged": pull.merged_at is not None,
        **{"mergeable": None, "rebaseable": None, "mergeable_state": "unknown"},
        "merged_by": shapes.maybe_user(pull.merged_by),
        **{"comments": shapes.issue(repository, issue)["comments"], "review_comments": 0},
        "maintainer_can_modify": pull.head_repository not in {None, repository.id},
        "commits": len(hub.git(repository).between(pull.base_sha, pull.head)),
        "additions": sum(added for added, _, _ in changed),
        "deletions": sum(removed for _, removed, _ in changed),
        "changed_files": len(changed),
    }


def merge_state(hub: "Hub", repository: Repository, issue: Issue, *, mergeable: bool | None) -> str:
    """Name what stands against the merge, in REST's words."""
    pull = issue.pull
    assert pull is not None
    if mergeable is None:
        return "unknown"
    if not mergeable:
        return "dirty"
    if pull.is_draft:
        return "draft"
    protection = repository.protection(pull.base)
    if protection and protection.strict and acts_pulls.is_behind(hub, repository, pull):
        return "behind"
    if acts_pulls.blockers(hub, repository, issue) or (protection and protection.queue):
        return "blocked"
    return "unstable" if acts_pulls.is_unstable(repository, pull) else "clean"


def review(shapes: Shapes, repository: Repository, issue: Issue, found: Review) -> Json:
    here = f"{shapes.place(repository)}/pulls/{issue.number}"
    page = f"{shapes.page(repository)}/pull/{issue.number}#pullrequestreview-{found.id}"
    return {
        **{"id": found.id, "node_id": f"PRR_{found.id}", "user": shapes.maybe_user(found.user_id)},
        **{"body": found.body, "state": found.state, "html_url": page, "pull_request_url": here},
        "_links": {"html": {"href": page}, "pull_request": {"href": here}},
        **{"submitted_at": stamp(found.at), "commit_id": found.commit},
        "author_association": shapes.association(repository, found.user_id),
    }


def commit(shapes: Shapes, repository: Repository, found: Commit) -> Json:
    """Render a commit as lists of commits do; its people are no users of ours."""
    here, page = shapes.place(repository), f"{shapes.page(repository)}/commit/{found.sha}"
    url = f"{here}/commits/{found.sha}"
    parents = [{"sha": sha, "url": f"{here}/commits/{sha}", "html_url": f"{page[:-40]}{sha}"} for sha in found.parents]
    return {
        **{
            "url": url,
            "sha": found.sha,
            "node_id": f"C_{found.sha}",
            "html_url": page,
            "comments_url": f"{url}/comments",
        },
        "commit": {
            **{"url": f"{here}/git/commits/{found.sha}", "message": found.message, "comment_count": 0},
            **{"author": _signature(found.author), "committer": _signature(found.committer)},
            "tree": {"sha": found.tree, "url": f"{here}/git/trees/{found.tree}"},
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        **{"author": None, "committer": None, "parents": parents},
    }


def _signature(who: tuple[str, str, str]) -> dict[str, Any]:
    name, address, at = who
    return {"name": name, "email": address, "date": at}
