"""What the local forge holds, as people and machines read it."""

from gitsched.domain.forge import Comment, Issue, PullRequestView
from gitsched.domain.words import PullRequestState
from gitsched.view.issues import (
    comment_document,
    issue_document,
    render_issue,
    render_issues,
    render_request,
    render_requests,
    request_document,
)
from gitsched.view.table import Look

ISSUE = Issue(number=3, title="A \x1b[31mtitle", body="One\n\x1b[2Jtwo\n", labels=("x", "y"), deps=(1,), milestone="m")
REQUEST = PullRequestView(
    number=7, title="Ship", body="body", state=PullRequestState.OPEN, source="s", target="main", head="1" * 40
)
COMMENT = Comment(id=1, issue=3, author="Ada", body="Yes", created_at="2026-01-02T03:04:05.000Z")


def test_issues_as_text() -> None:
    closed = Issue(number=4, title="B", is_open=False)
    dropped = Issue(number=5, title="C", is_open=False, as_not_planned=True)
    rows = render_issues([ISSUE, closed, dropped], Look()).splitlines()
    assert [row.split()[:2] for row in rows[1:]] == [["#3", "open"], ["#4", "closed"], ["#5", "not-planned"]]
    assert render_issues([], Look()) == "There is no such issue."
    assert render_issue(ISSUE, [COMMENT]).splitlines() == [
        *("#3 A title (open)", "labels: x, y", "depends on: #1", "milestone: m", "", "One", "two", ""),
        *("Ada at 2026-01-02T03:04:05:", "Yes"),
    ]


def test_requests_as_text() -> None:
    assert "s → main" in render_requests([REQUEST], Look())
    assert render_requests([], Look()) == "There is no such pull request."
    assert render_request(REQUEST).splitlines()[0] == "#7 Ship (open)"


def test_documents_hold_the_text_as_it_is() -> None:
    assert issue_document(ISSUE)["title"] == ISSUE.title
    assert comment_document(COMMENT) == {"id": 1, "author": "Ada", "body": "Yes", "created_at": COMMENT.created_at}
    assert request_document(REQUEST)["state"] == "open"
