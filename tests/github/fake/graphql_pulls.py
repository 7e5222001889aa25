"""What GraphQL reads of pull requests, commits and checks, and how its lists are paged."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tests.github.fake import acts_pulls, shapes_pulls
from tests.github.fake.calls import AnsweredError
from tests.github.fake.clock import maybe, stamp
from tests.github.fake.model import Issue, Label, QueueEntry, Repository, Review, User, World
from tests.github.fake.model_evidence import CheckRun, CommitStatus
from tests.github.fake.shapes import Json, node_of

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

MOST = 100
LARGEST_INT = 2**31 - 1
BAD = frozenset({"failure", "error", "cancelled", "timed_out", "action_required", "startup_failure", "stale"})


class PullReads:
    """Pull requests and what hangs on them."""

    def __init__(self, hub: "Hub", world: World) -> None:
        self.hub, self.world = hub, world

    def comments_of(self, place: Repository, issue: Issue, given: Json) -> Json:
        raise NotImplementedError

    def place(self, place: Repository) -> Json:
        raise NotImplementedError

    # -------------------------------------------------------------------------------- lists

    def connected(self, items: Sequence[Any], render: Callable[[Any], Any]) -> Callable[..., Json]:
        """Return the resolver of a list."""
        return lambda _info, **given: self.page(items, render, given)

    def page(self, items: Sequence[Any], render: Callable[[Any], Any], given: Json) -> Json:
        """Show one page of a list; without `first` or `last` GitHub refuses."""
        first, last = given.get("first"), given.get("last")
        size = first if first is not None else last
        if size is None:
            raise AnsweredError(422, "You must provide a `first` or `last` value to properly paginate the connection.")
        if not 0 <= size <= MOST:
            raise AnsweredError(
                422, f"Requesting {size} records on the connection exceeds the limit of {MOST} records."
            )
        begin = int(given["after"]) if given.get("after") else 0
        end = int(given["before"]) - 1 if given.get("before") else len(items)
        if first is not None:
            end = min(end, begin + size)
        else:
            begin = max(begin, end - size)
        shown = [render(item) for item in items[begin:end]]
        cursors = {"startCursor": str(begin + 1) if shown else None, "endCursor": str(end) if shown else None}
        info = {**cursors, "hasNextPage": end < len(items), "hasPreviousPage": begin > 0}
        return {"nodes": shown, "pageInfo": info, "totalCount": len(items)}

    def small(self, number: int) -> int | None:
        """Give a number as GraphQL's Int: what outgrew 32 bits has none."""
        return number if number <= LARGEST_INT else None

    # ------------------------------------------------------------------------ people, places

    def known_actor(self, user: User) -> Json:
        """Render a person; a bot goes without its `[bot]` here."""
        login = user.login.removesuffix("[bot]")
        url = f"{self.hub.web_url}/{login}"
        return {
            "__typename": user.kind,
            "id": f"U_{user.id}",
            "databaseId": self.small(user.id),
            "login": login,
            "url": url,
        }

    def maybe_actor(self, user_id: int | None) -> Json | None:
        return self.known_actor(self.world.users[user_id]) if user_id in self.world.users else None

    def known_place(self, place: Repository) -> Json:
        named = {"name": place.name, "nameWithOwner": self.world.full_name(place)}
        url = self.hub.shapes(self.world).page(place)
        return {
            "__typename": "Repository",
            "id": f"R_{place.id}",
            "databaseId": self.small(place.id),
            **named,
            "url": url,
        }

    def label(self, label: Label) -> Json:
        return {"id": f"LA_{label.id}", "name": label.name, "color": label.color, "description": label.description}

    def talked(self, place: Repository, issue: Issue) -> Json:
        """Render what issues and pull requests share."""
        return {
            **{"id": node_of(issue), "fullDatabaseId": str(issue.id), "number": issue.number, "title": issue.title},
            **{"body": issue.body or "", "locked": issue.is_locked, "author": self.maybe_actor(issue.user_id)},
            **{"closed": issue.closed_at is not None, "closedAt": maybe(issue.closed_at)},
            **{"createdAt": stamp(issue.created_at), "updatedAt": stamp(issue.updated_at)},
            "labels": self.connected([place.labels[number] for number in issue.label_ids], self.label),
            "repository": lambda _info: self.place(place),
        }

    # ------------------------------------------------------------------------- pull requests

    def pull_state(self, issue: Issue) -> str:
        return "MERGED" if acts_pulls.pull_of(issue).merged_at is not None else issue.state.upper()

    def pull(self, place: Repository, issue: Issue) -> Json:
        pull = acts_pulls.pull_of(issue)
        head_place = self.world.repositories.get(pull.head_repository or 0)
        protection = place.protection(pull.base)
        computed: list[bool | None] = []

        def mergeable() -> bool | None:
            if not computed:
                computed.append(acts_pulls.look(self.hub, place, issue))
            return computed[0]

        words = {None: "UNKNOWN", True: "MERGEABLE", False: "CONFLICTING"}
        return {
            **self.talked(place, issue),
            "__typename": "PullRequest",
            **{"state": self.pull_state(issue), "isDraft": pull.is_draft, "merged": pull.merged_at is not None},
            **{
                "baseRefName": pull.base,
                "baseRefOid": pull.base_sha,
                "headRefName": pull.source,
                "headRefOid": pull.head,
            },
            **{
                "isCrossRepository": head_place is not place,
                "headRepository": self.place(head_place) if head_place else None,
            },
            **{"mergedAt": maybe(pull.merged_at), "mergedBy": self.maybe_actor(pull.merged_by)},
            "mergeCommit": lambda _info: self.commit(place, pull.merge_commit) if pull.merge_commit else None,
            "mergeable": lambda _info: words[mergeable()],
            "mergeStateStatus": lambda _info: self._merge_state(place, issue, mergeable()),
            "autoMergeRequest": self._auto_merge(issue),
            "mergeQueueEntry": self.entry(place, issue) if pull.entry else None,
            **{"isInMergeQueue": pull.entry is not None, "isMergeQueueEnabled": bool(protection and protection.queue)},
            "reviewDecision": self._decision(place, issue),
            "reviews": lambda _info, **given: self._reviews(place, issue, given),
            "latestReviews": self.connected(self._latest(issue), lambda found: self._review(place, found)),
            "commits": lambda _info, **given: self._commits(place, issue, given),
            "comments": lambda _info, **given: self.comments_of(place, issue, given),
            "url": f"{self.hub.shapes(self.world).page(place)}/pull/{issue.number}",
        }

    def _merge_state(self, place: Repository, issue: Issue, is_mergeable: bool | None) -> str:
        return shapes_pulls.merge_state(self.hub, place, issue, mergeable=is_mergeable).upper()

    def _auto_merge(self, issue: Issue) -> Json | None:
        asked = acts_pulls.pull_of(issue).auto_merge
        if asked is None:
            return None
        by = {"enabledAt": stamp(asked.at), "enabledBy": self.maybe_actor(asked.user_id)}
        return {**by, "mergeMethod": asked.method.upper(), "commitHeadline": asked.title, "commitBody": asked.message}

    def entry(self, place: Repository, issue: Issue) -> Json:
        found: QueueEntry | None = acts_pulls.pull_of(issue).entry
        assert found is not None
        waiting = [one for one in acts_pulls.open_pulls(place) if acts_pulls.pull_of(one).entry]
        waiting.sort(key=lambda one: getattr(acts_pulls.pull_of(one).entry, "at", 0.0))
        return {
            **{"id": f"MQE_{found.id}", "state": found.state, "enqueuedAt": stamp(found.at)},
            **{"position": waiting.index(issue) + 1 if issue in waiting else 1},
            "enqueuer": self.maybe_actor(found.user_id) or self.known_actor(self.hub.ghost),
            "headCommit": lambda _info: self.commit(place, found.head),
            "pullRequest": lambda _info: self.pull(place, issue),
        }

    def _decision(self, place: Repository, issue: Issue) -> str | None:
        protection = place.protection(acts_pulls.pull_of(issue).base)
        count = acts_pulls.approvals(place, issue)
        if count < 0:
            return "CHANGES_REQUESTED"
        if protection is None or not protection.approvals:
            return None
        return "APPROVED" if count >= protection.approvals else "REVIEW_REQUIRED"

    def _latest(self, issue: Issue) -> list[Review]:
        return list({review.user_id: review for review in acts_pulls.pull_of(issue).reviews}.values())

    def _reviews(self, place: Repository, issue: Issue, given: Json) -> Json:
        found = [
            one
            for one in acts_pulls.pull_of(issue).reviews
            if given.get("states") is None or one.state in given["states"]
        ]
        return self.page(found, lambda one: self._review(place, one), given)

    def _review(self, place: Repository, found: Review) -> Json:
        return {
            **{"id": f"PRR_{found.id}", "fullDatabaseId": str(found.id), "state": found.state, "body": found.body},
            **{"author": self.maybe_actor(found.user_id), "submittedAt": stamp(found.at)},
            "commit": lambda _info: self.commit(place, found.commit),
        }

    def _commits(self, place: Repository, issue: Issue, given: Json) -> Json:
        pull = acts_pulls.pull_of(issue)
        found = self.hub.git(place).between(pull.base_sha, pull.head)
        return self.page(found, lambda sha: {"id": f"PRC_{sha}", "commit": self.commit(place, sha)}, given)

    # ------------------------------------------------------------------------------- commits

    def commit(self, place: Repository, sha: str) -> Json:
        return {
            **{"__typename": "Commit", "id": f"C_{sha}", "oid": sha},
            "message": lambda _info: self.hub.git(place).commit(sha).message,
            "statusCheckRollup": lambda _info: self._rollup(place, sha),
        }

    def _rollup(self, place: Repository, sha: str) -> Json | None:
        """Fold checks and statuses of a commit; null where there are none."""
        runs = {(one.name, one.app_id, one.suite_id): one for one in place.checks if one.head == sha}
        posts = {one.context: one for one in place.statuses if one.sha == sha}
        if not runs and not posts:
            return None
        words = {one.conclusion or "pending" for one in runs.values()} | {one.state for one in posts.values()}
        state = "FAILURE" if words & BAD else "PENDING" if "pending" in words else "SUCCESS"
        found = [
            *(self._check(place, one) for one in runs.values()),
            *(self._status(place, one) for one in posts.values()),
        ]
        return {"id": f"SCR_{sha}", "state": state, "contexts": self.connected(found, lambda one: one)}

    def _is_required(self, place: Repository, name: str) -> Callable[..., bool]:
        return lambda _info, **_given: any(name in found.contexts for found in place.protections.values())

    def _check(self, place: Repository, check: CheckRun) -> Json:
        app = self.world.apps.get(check.app_id or 0)
        suite: Json = {"id": f"CS_{check.suite_id}", "databaseId": self.small(check.suite_id)}
        suite["app"] = {"id": f"A_{app.id}", "databaseId": self.small(app.id), "slug": app.slug} if app else None
        return {
            **{
                "__typename": "CheckRun",
                "id": f"CR_{check.id}",
                "databaseId": self.small(check.id),
                "name": check.name,
            },
            **{"status": check.status.upper(), "conclusion": check.conclusion.upper() if check.conclusion else None},
            **{"startedAt": maybe(check.started_at), "completedAt": maybe(check.completed_at), "checkSuite": suite},
            **{name: check.output.get(name) for name in ("title", "summary", "text")},
            **{"detailsUrl": check.details_url, "externalId": check.external_id},
            "isRequired": self._is_required(place, check.name),
        }

    def _status(self, place: Repository, status: CommitStatus) -> Json:
        return {
            **{"__typename": "StatusContext", "id": f"SC_{status.id}", "context": status.context},
            **{"state": status.state.upper(), "description": status.description, "targetUrl": status.target_url},
            **{"createdAt": stamp(status.at), "creator": self.maybe_actor(status.user_id)},
            "isRequired": self._is_required(place, status.context),
        }
