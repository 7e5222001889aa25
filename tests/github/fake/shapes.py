"""How people, places and issues look in GitHub's JSON."""

from typing import Any
from urllib.parse import quote

from tests.github.fake.clock import maybe, stamp
from tests.github.fake.model import Comment, GitHubMilestone, Issue, Label, Reaction, Repository, User, World

Json = dict[str, Any]

USER_LINKS = ("followers", "subscriptions", "orgs", "repos", "received_events")
USER_LINK_NAMES = {"orgs": "organizations_url"}
USER_TEMPLATES = {
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "events_url": "/events{/privacy}",
}
PLACE_LINKS = (
    "contributors",
    "deployments",
    "downloads",
    "events",
    "forks",
    "languages",
    "merges",
    "stargazers",
    "subscribers",
)
PLACE_TEMPLATES = {
    "archive_url": "{archive_format}{/ref}",
    "assignees_url": "assignees{/user}",
    "blobs_url": "git/blobs{/sha}",
    "branches_url": "branches{/branch}",
    "collaborators_url": "collaborators{/collaborator}",
    "comments_url": "comments{/number}",
    "commits_url": "commits{/sha}",
    "compare_url": "compare/{base}...{head}",
    "contents_url": "contents/{+path}",
    "git_commits_url": "git/commits{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "issue_comment_url": "issues/comments{/number}",
    "issue_events_url": "issues/events{/number}",
    "issues_url": "issues{/number}",
    "keys_url": "keys{/key_id}",
    "labels_url": "labels{/name}",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "pulls_url": "pulls{/number}",
    "releases_url": "releases{/id}",
    "statuses_url": "statuses/{sha}",
    "trees_url": "git/trees{/sha}",
}
GHOST_LOGIN = "ghost"


class Shapes:
    """Renders one world under one address."""

    def __init__(self, world: World, api: str, web: str, version: str) -> None:
        self.world, self.api, self.web = world, api, web
        self.is_new = version >= "2026-03-10"
        """The version that lost `merge_commit_sha`, `assignee` and the key `rate`."""

    def place(self, repository: Repository) -> str:
        return f"{self.api}/repos/{self.world.full_name(repository)}"

    def page(self, repository: Repository) -> str:
        return f"{self.web}/{self.world.full_name(repository)}"

    def user(self, user: User) -> Json:
        here = f"{self.api}/users/{quote(user.login)}"
        return {
            "login": user.login,
            "id": user.id,
            "node_id": f"U_{user.id}",
            "avatar_url": f"{self.web}/avatars/{user.id}",
            "gravatar_id": "",
            "url": here,
            "html_url": f"{self.web}/{quote(user.login)}",
            **{USER_LINK_NAMES.get(name, f"{name}_url"): f"{here}/{name}" for name in USER_LINKS},
            **{name: here + rest for name, rest in USER_TEMPLATES.items()},
            "type": user.kind,
            "site_admin": False,
        }

    def organization(self, user: User) -> Json:
        here, names = f"{self.api}/orgs/{quote(user.login)}", ("repos", "events", "hooks", "issues")
        members = {
            "members_url": f"{here}/members{{/member}}",
            "public_members_url": f"{here}/public_members{{/member}}",
        }
        named = {"login": user.login, "id": user.id, "node_id": f"O_{user.id}", "url": here, "description": ""}
        return {
            **named,
            **{f"{name}_url": f"{here}/{name}" for name in names},
            **members,
            "avatar_url": f"{self.web}/avatars/{user.id}",
        }

    def maybe_user(self, user_id: int | None) -> Json | None:
        """Render a person, or null for one who is gone."""
        return self.user(self.world.users[user_id]) if user_id in self.world.users else None

    def minimal(self, repository: Repository) -> Json:
        here, page = self.place(repository), self.page(repository)
        return {
            "id": repository.id,
            "node_id": f"R_{repository.id}",
            "name": repository.name,
            "full_name": self.world.full_name(repository),
            "owner": self.user(self.world.users[repository.owner_id]),
            "private": repository.is_private,
            "html_url": page,
            "description": None,
            "fork": repository.parent is not None,
            "url": here,
            **{f"{name}_url": f"{here}/{name}" for name in PLACE_LINKS},
            **{"subscription_url": f"{here}/subscription", "tags_url": f"{here}/tags", "teams_url": f"{here}/teams"},
            "hooks_url": f"{here}/hooks",
            **{name: f"{here}/{rest}" for name, rest in PLACE_TEMPLATES.items()},
        }

    def repository(self, repository: Repository) -> Json:
        page, created = self.page(repository), stamp(repository.created_at)
        open_count = sum(1 for issue in listed(repository) if issue.closed_at is None)
        zeros = ("forks", "forks_count", "stargazers_count", "watchers", "watchers_count", "size")
        flags = {"has_issues": True, "has_projects": False, "has_wiki": False, "has_pages": False}
        return {
            **self.minimal(repository),
            **dict.fromkeys(zeros, 0),
            **flags,
            **{"has_downloads": False, "has_discussions": False, "disabled": False},
            "open_issues": open_count,
            "open_issues_count": open_count,
            "archived": repository.is_archived,
            "topics": [],
            "visibility": "private" if repository.is_private else "public",
            "default_branch": repository.default_branch,
            **dict.fromkeys(("license", "language", "homepage", "mirror_url")),
            **{"git_url": f"git:{page[5:]}.git", "ssh_url": f"git@host:{page}.git"},
            **{"clone_url": f"{page}.git", "svn_url": page},
            **{"pushed_at": created, "created_at": created, "updated_at": created},
        }

    def full_repository(self, repository: Repository) -> Json:
        names = (
            "allow_merge_commit",
            "allow_squash_merge",
            "allow_rebase_merge",
            "allow_auto_merge",
            "delete_branch_on_merge",
        )
        owner = self.world.users[repository.owner_id]
        shown = {
            **self.repository(repository),
            **{name: getattr(repository, name) for name in names},
            "subscribers_count": 0,
            "network_count": 0,
        }
        return {**shown, "organization": self.user(owner)} if owner.kind == "Organization" else shown

    def label(self, repository: Repository, label: Label) -> Json:
        return {
            "id": label.id,
            "node_id": f"LA_{label.id}",
            "url": f"{self.place(repository)}/labels/{quote(label.name)}",
            "name": label.name,
            "description": label.description,
            "color": label.color,
            "default": False,
        }

    def milestone(self, repository: Repository, found: GitHubMilestone) -> Json:
        here = f"{self.place(repository)}/milestones/{found.number}"
        inside = [issue for issue in listed(repository) if issue.milestone == found.number]
        return {
            "url": here,
            "html_url": f"{self.page(repository)}/milestone/{found.number}",
            "labels_url": f"{here}/labels",
            "id": found.id,
            "node_id": f"MI_{found.id}",
            "number": found.number,
            "state": "open" if found.closed_at is None else "closed",
            "title": found.title,
            "description": found.description,
            "creator": self.maybe_user(found.creator_id),
            "open_issues": sum(1 for issue in inside if issue.closed_at is None),
            "closed_issues": sum(1 for issue in inside if issue.closed_at is not None),
            **{"created_at": stamp(found.created_at), "updated_at": stamp(found.updated_at)},
            **{"closed_at": maybe(found.closed_at), "due_on": maybe(found.due_at)},
        }

    def issue(self, repository: Repository, issue: Issue) -> Json:
        here = f"{self.place(repository)}/issues/{issue.number}"
        kind = "pull" if issue.pull else "issues"
        shown = {
            "id": issue.id,
            "node_id": node_of(issue),
            **{"url": here, "repository_url": self.place(repository), "labels_url": f"{here}/labels{{/name}}"},
            **{"comments_url": f"{here}/comments", "events_url": f"{here}/events", "timeline_url": f"{here}/timeline"},
            "html_url": f"{self.page(repository)}/{kind}/{issue.number}",
            **{"number": issue.number, "state": issue.state, "state_reason": issue.reason},
            **{"title": issue.title, "body": issue.body, "locked": issue.is_locked, "active_lock_reason": None},
            "user": self.maybe_user(issue.user_id),
            **self._sorting(repository, issue),
            "comments": sum(1 for comment in repository.comments.values() if comment.number == issue.number),
            **{"closed_at": maybe(issue.closed_at), "closed_by": self.maybe_user(issue.closed_by)},
            **{"created_at": stamp(issue.created_at), "updated_at": stamp(issue.updated_at)},
            "author_association": self.association(repository, issue.user_id),
            "performed_via_github_app": None,
            "issue_dependencies_summary": self._dependencies(issue),
            "reactions": reactions(here, []),
        }
        return (
            {**shown, "draft": issue.pull.is_draft, "pull_request": self._pull_links(repository, issue)}
            if issue.pull
            else shown
        )

    def _sorting(self, repository: Repository, issue: Issue) -> Json:
        milestone = repository.milestones.get(issue.milestone or 0)
        people = [shown for shown in map(self.maybe_user, issue.assignee_ids) if shown]
        return {
            "labels": [self.label(repository, repository.labels[number]) for number in issue.label_ids],
            **({} if self.is_new else {"assignee": people[0] if people else None}),
            "assignees": people,
            "milestone": self.milestone(repository, milestone) if milestone else None,
        }

    def _pull_links(self, repository: Repository, issue: Issue) -> Json:
        page = f"{self.page(repository)}/pull/{issue.number}"
        links = {"url": f"{self.place(repository)}/pulls/{issue.number}", "html_url": page}
        merged_at = maybe(issue.pull.merged_at) if issue.pull else None
        return {**links, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "merged_at": merged_at}

    def _dependencies(self, issue: Issue) -> Json:
        blockers = [self.world.repositories[place].issues.get(number) for place, number in issue.blocked_by]
        blocking = self.blocked_by_it(issue)
        return {
            "blocked_by": sum(1 for found in blockers if found and found.closed_at is None),
            "blocking": sum(1 for found in blocking if found.closed_at is None),
            "total_blocked_by": len(blockers),
            "total_blocking": len(blocking),
        }

    def blocked_by_it(self, issue: Issue) -> list[Issue]:
        places = self.world.repositories
        every = (found for place in places.values() for found in place.issues.values())
        return [
            found for found in every if any(places[at].issues.get(number) is issue for at, number in found.blocked_by)
        ]

    def association(self, repository: Repository, user_id: int | None) -> str:
        if user_id == repository.owner_id:
            return "OWNER"
        return "COLLABORATOR" if user_id in repository.roles else "NONE"

    def comment(self, repository: Repository, comment: Comment) -> Json:
        here = f"{self.place(repository)}/issues"
        return {
            **{"id": comment.id, "node_id": f"IC_{comment.id}", "url": f"{here}/comments/{comment.id}"},
            "html_url": f"{self.page(repository)}/issues/{comment.number}#issuecomment-{comment.id}",
            "issue_url": f"{here}/{comment.number}",
            "user": self.maybe_user(comment.user_id),
            **{"created_at": stamp(comment.created_at), "updated_at": stamp(comment.updated_at)},
            "author_association": self.association(repository, comment.user_id),
            "body": comment.body or "",
            "reactions": reactions(f"{here}/comments/{comment.id}", comment.reactions),
            "performed_via_github_app": None,
        }

    def reaction(self, reaction: Reaction) -> Json:
        by = {"user": self.maybe_user(reaction.user_id), "content": reaction.content}
        return {"id": reaction.id, "node_id": f"REA_{reaction.id}", **by, "created_at": stamp(reaction.at)}


def reactions(here: str, found: list[Reaction]) -> Json:
    """Count reactions as a part of what they were given to."""
    kinds = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    counts = {kind: sum(1 for one in found if one.content == kind) for kind in kinds}
    return {"url": f"{here}/reactions", "total_count": len(found), **counts}


def listed(repository: Repository) -> list[Issue]:
    """Return the issues and pull requests that are still here, by number."""
    return [issue for issue in repository.issues.values() if not issue.is_deleted and issue.moved_to is None]


def node_of(issue: Issue) -> str:
    return f"{'PR' if issue.pull else 'I'}_{issue.id}"
