"""Events of the fake: each payload is held against GitHub's description."""

from collections import Counter

import pytest

from tests.github.asking import Asking
from tests.github.fake.hub import Hub
from tests.github.fake.verbs import RepositoryVerbs


@pytest.fixture
def repo(hub: Hub) -> RepositoryVerbs:
    assert hub.app.id
    return hub.repository("acme/shop")


def told(hub: Hub) -> list[str]:
    """List what was delivered, oldest first."""
    return [f"{one.event}.{one.action}" if one.action else one.event for one in hub.world.deliveries]


def test_issues_tell_what_happened_to_them(hub: Hub, repo: RepositoryVerbs) -> None:
    repo.issue(1, labels=["bug"], milestone="batch/1")
    repo.issue(1, milestone=None)
    repo.unlabel(1, "bug")
    made = repo.comment(1, "hello")
    repo.edit_comment(made.id, "hello again")
    repo.delete_comment(made.id)
    repo.close(1)
    repo.reopen(1)
    repo.delete_issue(1)
    assert told(hub) == [
        *("issues.opened", "issues.labeled", "milestone.created", "issues.milestoned", "issues.demilestoned"),
        *("issues.unlabeled", "issue_comment.created", "issue_comment.edited", "issue_comment.deleted"),
        *("issues.closed", "issues.reopened", "issues.deleted"),
    ]


def test_a_demilestoned_issue_names_the_old_one_beside_it(hub: Hub, repo: RepositoryVerbs) -> None:
    repo.issue(1, milestone="batch/1")
    repo.issue(1, milestone=None)
    payload = hub.world.deliveries[-1].payload
    assert (payload["milestone"]["title"], payload["issue"]["milestone"]) == ("batch/1", None)


def test_pull_requests_tell_what_happened_to_them(hub: Hub, repo: RepositoryVerbs) -> None:
    head = repo.commit("topic", {"a.txt": "a\n"})
    repo.pull("topic")
    repo.commit("topic", {"b.txt": "b\n"})
    repo.review(1)
    repo.check(head)
    repo.status(head)
    repo.protect(queue=True)
    document = "mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { clientMutationId } }"
    Asking(hub, hub.app.token()).graphql(document, id=f"PR_{repo.pulls()[0].id}")
    repo.drop_from_queue(1)
    repo.merge_by_person(1)
    assert Counter(told(hub)) == {
        "push": 3,
        "pull_request.opened": 1,
        "pull_request.synchronize": 1,
        "pull_request_review.submitted": 1,
        "check_run.completed": 1,
        "status": 1,
        "pull_request.enqueued": 1,
        "pull_request.dequeued": 1,
        "pull_request.closed": 1,
    }
    assert hub.world.deliveries[-1].payload["pull_request"]["merged"] is True


def test_a_repository_that_moves_says_so(hub: Hub, repo: RepositoryVerbs) -> None:
    repo.rename("store")
    repo.transfer("globex")
    assert told(hub) == ["repository.renamed", "repository.transferred"]
    assert hub.world.deliveries[0].payload["changes"] == {"repository": {"name": {"from": "shop"}}}
