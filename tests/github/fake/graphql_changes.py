"""What GraphQL changes: drafts, auto-merge and the merge queue, which REST does not have."""

from collections.abc import Callable

from tests.github.fake import acts_issues, acts_merges, acts_pulls
from tests.github.fake.calls import STEPS, AnsweredError
from tests.github.fake.graphql_reads import Reads, not_found
from tests.github.fake.model import AutoMerge, Issue, Pull, Repository
from tests.github.fake.rest_places import role_of
from tests.github.fake.shapes import Json, listed, node_of

Found = tuple[Repository, Issue, Pull]


def changes(reads: Reads) -> Json:
    """Return the resolvers of the mutations."""
    acts = Changes(reads)
    return {
        "convertPullRequestToDraft": acts.resolver(acts.convert_to_draft),
        "markPullRequestReadyForReview": acts.resolver(acts.mark_ready),
        "enablePullRequestAutoMerge": acts.resolver(acts.enable_auto_merge),
        "disablePullRequestAutoMerge": acts.resolver(acts.disable_auto_merge),
        "enqueuePullRequest": acts.resolver(acts.enqueue),
        "dequeuePullRequest": acts.resolver(acts.dequeue),
    }


class Changes:
    """Changes pull requests for one caller."""

    def __init__(self, reads: Reads) -> None:
        self._reads, self._hub = reads, reads.hub

    def resolver(self, act: Callable[[Found, Json], Json]) -> Callable[..., Json]:
        def resolve(_info: object, **given: Json) -> Json:
            asked = given["input"]
            found = self._found(asked.get("pullRequestId") or asked["id"])
            expected = asked.get("expectedHeadOid")
            if expected is not None and expected != found[2].head:
                raise AnsweredError(422, "Head branch was modified. Review and try the merge again.")
            return {"clientMutationId": asked.get("clientMutationId"), **act(found, asked)}

        return resolve

    def _found(self, node_id: str) -> Found:
        for place in self._hub.world.repositories.values():
            for issue in listed(place):
                if issue.pull and node_id in {node_of(issue), f"MQE_{issue.pull.entry.id}" if issue.pull.entry else ""}:
                    self._allow(place)
                    return place, issue, issue.pull
        raise not_found(f"a node with the global id of '{node_id}'")

    def _allow(self, place: Repository) -> None:
        actor = self._reads.actor
        granted = actor.token.permissions if actor.token else None
        if granted is not None:
            is_allowed = STEPS.index(granted.get("pull_requests", "none")) >= STEPS.index("write")
        else:
            is_allowed = role_of(place, actor.user.id) in {"write", "maintain", "admin"}
        if not is_allowed:
            raise AnsweredError(403, "Resource not accessible by integration")

    def _shown(self, found: Found) -> Json:
        place, issue, _ = found
        return {"pullRequest": self._reads.pull(place, issue), "actor": self._reads.known_actor(self._reads.actor.user)}

    def convert_to_draft(self, found: Found, asked: Json) -> Json:
        place, issue, pull = found
        if not place.has_drafts:
            raise AnsweredError(422, "Draft pull requests are not supported in this repository.")
        self._set_draft(place, issue, pull, is_draft=True)
        return self._shown(found)

    def mark_ready(self, found: Found, asked: Json) -> Json:
        place, issue, pull = found
        self._set_draft(place, issue, pull, is_draft=False)
        return self._shown(found)

    def _set_draft(self, place: Repository, issue: Issue, pull: Pull, *, is_draft: bool) -> None:
        if pull.is_draft == is_draft:
            return
        pull.is_draft = is_draft
        acts_issues.touch(self._hub, issue)
        action = "converted_to_draft" if is_draft else "ready_for_review"
        self._hub.hooks.pull(place, issue, action, self._reads.actor.user.id)

    def enable_auto_merge(self, found: Found, asked: Json) -> Json:
        """Ask for auto-merge; GitHub refuses it for what could be merged at once."""
        place, issue, pull = found
        method = str(asked.get("mergeMethod", "MERGE")).lower()
        protection = place.protection(pull.base)
        if not place.allow_auto_merge:
            raise AnsweredError(422, "Pull request Auto merge is not allowed for this repository")
        if not getattr(place, acts_merges.METHODS[method]):
            raise AnsweredError(422, f"Merge method {method} merging is not allowed on this repository")
        if protection is None:
            raise AnsweredError(422, "Pull request Protected branch rules not configured for this branch")
        if not protection.queue and not acts_pulls.blockers(self._hub, place, issue):
            raise AnsweredError(422, "Pull request Pull request is in clean status")
        user_id = self._reads.actor.user.id
        title, body = asked.get("commitHeadline"), asked.get("commitBody")
        pull.auto_merge = AutoMerge(user_id, method, self._hub.clock.tick(), title, body)
        self._hub.hooks.pull(place, issue, "auto_merge_enabled", user_id)
        return self._shown(found)

    def disable_auto_merge(self, found: Found, asked: Json) -> Json:
        place, issue, pull = found
        if pull.auto_merge is None:
            raise AnsweredError(422, "Can't disable auto-merge for this pull request.")
        pull.auto_merge = None
        self._hub.hooks.pull(place, issue, "auto_merge_disabled", self._reads.actor.user.id)
        return self._shown(found)

    def enqueue(self, found: Found, asked: Json) -> Json:
        place, issue, pull = found
        protection = place.protection(pull.base)
        if protection is None or not protection.queue:
            raise AnsweredError(422, "The merge queue is not enabled for this branch")
        told = acts_pulls.blockers(self._hub, place, issue)
        if told or issue.closed_at is not None:
            raise AnsweredError(422, told[0] if told else "Pull request is closed")
        if pull.entry is None:
            acts_merges.enqueue(self._hub, place, issue, self._reads.actor.user.id)
        return {"mergeQueueEntry": self._reads.entry(place, issue)}

    def dequeue(self, found: Found, asked: Json) -> Json:
        place, issue, pull = found
        if pull.entry is None:
            raise AnsweredError(422, "Pull request is not in the merge queue")
        shown = self._reads.entry(place, issue)
        acts_merges.dequeue(self._hub, place, issue, self._reads.actor.user.id, "MANUAL")
        return {"mergeQueueEntry": {**shown, "headCommit": None}}
