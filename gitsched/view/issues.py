"""What the local forge holds, as documents and as text."""

from collections.abc import Iterable
from typing import Any

from gitsched.domain.forge import Comment, Issue, PullRequestView
from gitsched.view.clean import clean, one_line
from gitsched.view.table import Cell, Look, render_table


def issue_document(issue: Issue) -> dict[str, Any]:
    """Write an issue for machines."""
    return {
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "state": _state(issue),
        "labels": issue.labels,
        "deps": issue.deps,
        "files": issue.files,
        "milestone": issue.milestone,
        "author": issue.author,
        "created_at": issue.created_at,
        "updated_at": issue.updated_at,
    }


def comment_document(comment: Comment) -> dict[str, Any]:
    """Write a comment for machines."""
    return {"id": comment.id, "author": comment.author, "body": comment.body, "created_at": comment.created_at}


def request_document(request: PullRequestView) -> dict[str, Any]:
    """Write a pull request for machines."""
    return {
        "number": request.number,
        "title": request.title,
        "body": request.body,
        "state": request.state,
        "source": request.source,
        "target": request.target,
        "head": request.head,
        "merged_at": request.merged_at,
        "merge_commit": request.merge_commit,
    }


def render_issues(issues: Iterable[Issue], look: Look) -> str:
    """List issues as a table."""
    rows = [(f"#{i.number}", _state(i), ", ".join(i.labels), Cell(one_line(i.title))) for i in issues]
    return render_table(("issue", "state", "labels", "title"), rows, look) if rows else "There is no such issue."


def render_issue(issue: Issue, comments: Iterable[Comment]) -> str:
    """Write an issue and its comments as text."""
    facts = {
        "labels": ", ".join(issue.labels),
        "depends on": ", ".join(f"#{dep}" for dep in issue.deps),
        "files": ", ".join(issue.files),
        "milestone": issue.milestone or "",
    }
    lines = [one_line(f"#{issue.number} {issue.title} ({_state(issue)})", 300)]
    lines += [one_line(f"{name}: {value}", 500) for name, value in facts.items() if value]
    parts = ["\n".join(lines), clean(issue.body).strip()]
    parts += [f"{one_line(c.author)} at {c.created_at[:19]}:\n{clean(c.body).strip()}" for c in comments]
    return "\n\n".join(part for part in parts if part)


def render_requests(requests: Iterable[PullRequestView], look: Look) -> str:
    """List pull requests as a table."""
    rows = [(f"#{r.number}", str(r.state), f"{r.source} → {r.target}", Cell(one_line(r.title))) for r in requests]
    return (
        render_table(("request", "state", "branches", "title"), rows, look)
        if rows
        else "There is no such pull request."
    )


def render_request(request: PullRequestView) -> str:
    """Write a pull request as text."""
    head = one_line(f"#{request.number} {request.title} ({request.state})", 300)
    branches = one_line(f"{request.source} → {request.target}, head {request.head}", 300)
    return f"{head}\n{branches}\n\n{clean(request.body).strip()}"


def _state(issue: Issue) -> str:
    if issue.is_open:
        return "open"
    return "not-planned" if issue.as_not_planned else "closed"
