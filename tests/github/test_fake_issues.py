"""The fake's issues and comments, as PyGithub sees them."""

from github import Auth, Github

from tests.github.fake.hub import Hub


def client(hub: Hub, token: str) -> Github:
    return Github(
        auth=Auth.Token(token),
        base_url=hub.api_url,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
    )


def test_issues_are_read_and_written(hub: Hub) -> None:
    repo = hub.repository("acme/shop")
    repo.issue(1, title="Fix total", body=None, labels=["bug"], milestone="batch/1", assignees=["bob"])
    place = client(hub, hub.app.token()).get_repo("acme/shop")
    issue = place.get_issue(1)
    assert (issue.title, issue.labels[0].name) == ("Fix total", "bug")
    assert issue.raw_data["body"] is None
    assert issue.milestone is not None
    assert issue.milestone.title == "batch/1"
    made = place.create_issue("Second", body="text", labels=["new"])
    assert made.number == 2
    made.create_comment("hello")
    assert [comment.body for comment in made.get_comments()] == ["hello"]
    made.edit(state="closed", state_reason="not_planned")
    assert repo.model.issues[2].reason == "not_planned"
    assert [found.number for found in place.get_issues()] == [1]


def test_a_request_is_opened_checked_and_merged(hub: Hub) -> None:
    repo = hub.repository("acme/shop")
    repo.issue(1)
    head = repo.commit("topic", {"app.py": "x\n"})
    place = client(hub, hub.app.token()).get_repo("acme/shop")
    pull = place.create_pull(base="main", head="topic", title="T", body="Closes #1")
    assert pull.head.sha == head
    repo.check(head)
    pull = place.get_pull(pull.number)
    assert pull.mergeable
    assert pull.merge(merge_method="rebase", sha=head).merged
    assert repo.model.issues[1].state == "closed"
    assert repo.tip() != head
