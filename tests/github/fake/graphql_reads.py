"""What GraphQL reads: values of the world as the resolvers of a real engine take them."""

from typing import TYPE_CHECKING

from tests.github.fake import callers
from tests.github.fake.calls import Actor, AnsweredError
from tests.github.fake.clock import maybe, seconds_of, stamp
from tests.github.fake.graphql_pulls import PullReads
from tests.github.fake.model import Comment, GitHubMilestone, Issue, Repository, World
from tests.github.fake.shapes import Json, listed, node_of

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub


def not_found(what: str) -> AnsweredError:
    return AnsweredError(404, f"Could not resolve to {what}.")


class Reads(PullReads):
    """Everything that can be asked for, seen by one caller."""

    def __init__(self, hub: "Hub", world: World, actor: Actor, caller: str) -> None:
        super().__init__(hub, world)
        self.actor, self._caller = actor, caller

    def root(self) -> Json:
        return {
            "viewer": lambda _info: self._viewer(),
            "repository": lambda _info, **given: self.named(given["owner"], given["name"]),
            "node": lambda _info, id: self.node(id),  # noqa: A006 - GitHub's own name
            "nodes": lambda _info, ids: [self.node(one) for one in ids],
            "rateLimit": lambda _info, **_given: self._rate_limit(),
        }

    def _viewer(self) -> Json:
        user = self.actor.user
        return {**self.known_actor(user), "__typename": "User", "login": user.login}

    def _rate_limit(self) -> Json:
        figures = self.hub.limits.figures(self._caller, self.hub.now_s())
        counts = {name: figures[name] for name in ("limit", "remaining", "used")}
        return {**counts, "cost": 1, "nodeCount": 1, "resetAt": stamp(figures["reset"])}

    def named(self, owner: str, name: str) -> Json:
        """Find a repository; an old name leads to where it went."""
        full_name = f"{owner}/{name}"
        found = self.world.named(full_name) or self.world.repositories.get(
            self.world.old_names.get(full_name.lower(), 0)
        )
        if found is None or not callers.is_seen(self.actor, found):
            raise not_found(f"a Repository with the name '{full_name}'")
        return self.place(found)

    def node(self, node_id: str) -> Json:
        kind, _, number = node_id.partition("_")
        for place in self.world.repositories.values():
            if kind == "R" and str(place.id) == number:
                return self.place(place)
            for issue in listed(place):
                if node_of(issue) == node_id:
                    return self.pull(place, issue) if issue.pull else self.issue(place, issue)
        raise not_found(f"a node with the global id of '{node_id}'")

    def place(self, place: Repository) -> Json:
        flags = {f"{name}Allowed": getattr(place, f"allow_{field}") for name, field in ALLOWED.items()}
        return {
            **self.known_place(place),
            **flags,
            **{"isArchived": place.is_archived, "isPrivate": place.is_private, "isFork": place.parent is not None},
            "deleteBranchOnMerge": place.delete_branch_on_merge,
            "defaultBranchRef": lambda _info: self.ref(place, f"refs/heads/{place.default_branch}"),
            "ref": lambda _info, **given: self.ref(place, given["qualifiedName"]),
            "issue": lambda _info, number: self.issue(place, self._found(place, number, "an Issue", is_pull=False)),
            "pullRequest": lambda _info, number: self.pull(
                place, self._found(place, number, "a PullRequest", is_pull=True)
            ),
            "issueOrPullRequest": lambda _info, number: self._either(place, number),
            "milestone": lambda _info, number: self._milestone(place, place.milestones.get(number)),
            "labels": self.connected(list(place.labels.values()), self.label),
            "issues": lambda _info, **given: self._issues(place, given, None),
            "pullRequests": lambda _info, **given: self._pulls(place, given),
        }

    def ref(self, place: Repository, name: str) -> Json | None:
        full = name if name.startswith("refs/") else f"refs/heads/{name}"
        sha = self.hub.git(place).sha(full)
        if sha is None:
            return None
        prefix, short = full.rsplit("/", 1) if full.count("/") == 2 else (full[:10], full[11:])
        target = lambda _info: self.commit(place, sha)  # noqa: E731 - a resolver
        return {"id": f"REF_{place.id}_{full}", "name": short, "prefix": f"{prefix}/", "target": target}

    def _found(self, place: Repository, number: int, what: str, *, is_pull: bool) -> Issue:
        found = place.issues.get(number)
        if found is None or found not in listed(place) or (found.pull is not None) != is_pull:
            raise not_found(f"{what} with the number of {number}")
        return found

    def _either(self, place: Repository, number: int) -> Json:
        is_pull = number in place.issues and place.issues[number].pull is not None
        found = self._found(place, number, "an issue or pull request", is_pull=is_pull)
        return self.pull(place, found) if is_pull else self.issue(place, found)

    def issue(self, place: Repository, issue: Issue) -> Json:
        shapes = self.hub.shapes(self.world)
        people = [self.world.users[number] for number in issue.assignee_ids if number in self.world.users]
        parts = [(self.world.repositories[at], number) for at, number in issue.sub_issues]
        return {
            **self.talked(place, issue),
            "__typename": "Issue",
            "databaseId": self.small(issue.id),
            **{"state": issue.state.upper(), "stateReason": issue.reason.upper() if issue.reason else None},
            "url": f"{shapes.page(place)}/issues/{issue.number}",
            "milestone": self._milestone(place, place.milestones.get(issue.milestone or 0)),
            "parent": lambda _info: self._parent(issue),
            "assignees": self.connected(people, self.known_actor),
            "subIssues": self.connected(parts, lambda pair: self.issue(pair[0], pair[0].issues[pair[1]])),
            "comments": lambda _info, **given: self._comments(place, issue, given),
        }

    def _parent(self, issue: Issue) -> Json | None:
        if issue.parent is None:
            return None
        place = self.world.repositories[issue.parent[0]]
        return self.issue(place, place.issues[issue.parent[1]])

    def _milestone(self, place: Repository, found: GitHubMilestone | None) -> Json | None:
        if found is None:
            return None
        return {
            **{"id": f"MI_{found.id}", "number": found.number, "title": found.title, "description": found.description},
            **{"closed": found.closed_at is not None, "state": "OPEN" if found.closed_at is None else "CLOSED"},
            "dueOn": maybe(found.due_at),
            "url": f"{self.hub.shapes(self.world).page(place)}/milestone/{found.number}",
            "issues": lambda _info, **given: self._issues(place, given, found.number),
        }

    def _issues(self, place: Repository, given: Json, milestone: int | None) -> Json:
        asked = given.get("filterBy") or {}
        states = given.get("states") or asked.get("states") or ["OPEN", "CLOSED"]
        names = {name.lower() for name in [*(given.get("labels") or []), *(asked.get("labels") or [])]}
        since = seconds_of(asked["since"]) if asked.get("since") else 0
        at = asked.get("milestoneNumber")

        def fits(issue: Issue) -> bool:
            own = {place.labels[number].name.lower() for number in issue.label_ids}
            inside = milestone in {None, issue.milestone} and at in {None, str(issue.milestone)}
            labelled = not names or bool(own & names)
            return (
                issue.pull is None
                and issue.state.upper() in states
                and inside
                and labelled
                and issue.updated_at >= since
            )

        found = self.ordered([issue for issue in listed(place) if fits(issue)], given.get("orderBy"))
        return self.page(found, lambda issue: self.issue(place, issue), given)

    def _pulls(self, place: Repository, given: Json) -> Json:
        def fits(issue: Issue) -> bool:
            pull = issue.pull
            return (
                pull is not None
                and self.pull_state(issue) in (given.get("states") or ["OPEN", "CLOSED", "MERGED"])
                and given.get("headRefName") in {None, pull.source}
                and given.get("baseRefName") in {None, pull.base}
            )

        found = self.ordered([issue for issue in listed(place) if fits(issue)], given.get("orderBy"))
        return self.page(found, lambda issue: self.pull(place, issue), given)

    def ordered(self, found: list[Issue], asked: Json | None) -> list[Issue]:
        if asked is None:
            return found
        field = {"UPDATED_AT": "updated_at"}.get(asked["field"], "created_at")
        is_down = asked["direction"] == "DESC"
        return sorted(found, key=lambda issue: (getattr(issue, field), issue.number), reverse=is_down)

    def comments_of(self, place: Repository, issue: Issue, given: Json) -> Json:
        return self._comments(place, issue, given)

    def _comments(self, place: Repository, issue: Issue, given: Json) -> Json:
        found = [comment for comment in place.comments.values() if comment.number == issue.number]
        asked = given.get("orderBy")
        if asked is not None:
            found.sort(key=lambda comment: comment.updated_at, reverse=asked["direction"] == "DESC")
        return self.page(found, lambda comment: self._comment(place, comment), given)

    def _comment(self, place: Repository, comment: Comment) -> Json:
        shown = self.hub.shapes(self.world).comment(place, comment)
        return {
            **{"id": shown["node_id"], "databaseId": self.small(comment.id), "fullDatabaseId": str(comment.id)},
            **{"body": comment.body or "", "url": shown["html_url"], "author": self.maybe_actor(comment.user_id)},
            **{"createdAt": shown["created_at"], "updatedAt": shown["updated_at"]},
            "viewerDidAuthor": comment.user_id == self.actor.user.id,
        }


ALLOWED = {
    "autoMerge": "auto_merge",
    "mergeCommit": "merge_commit",
    "rebaseMerge": "rebase_merge",
    "squashMerge": "squash_merge",
}
