"""GitHub's JSON as the forge's own values: read leniently, for almost anything may be null, and only what is used."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gitsched.codec.dependencies import dependencies_in
from gitsched.domain.forge import CheckSeen, Comment, Issue, PullRequestView, Standing
from gitsched.domain.instants import Instant, instant_of, moment_of
from gitsched.domain.words import PullRequestState

GHOST = "ghost"
"""GitHub's own name for an account that is gone."""
_FAILED = re.compile(r"^FAILED (?P<file>[^\s:]+)::(?:(?P<class>[\w:.]+)::)?(?P<name>[^\s:]+)", re.MULTILINE)
"""How pytest's summary names a failing test; what a check's report holds of it is read."""
_MOST_TESTS = 50
Json = Mapping[str, Any]


def instant(text: object) -> Instant:
    """Write GitHub's instant, which has no milliseconds, as ours; empty for none."""
    return instant_of(moment_of(text)) if isinstance(text, str) and text else ""


def issue_of(raw: Json, blocked_by: tuple[int, ...] = ()) -> Issue:
    """Read an issue from REST; its dependencies are those of GitHub and those of its text."""
    number, body = int(raw["number"]), str(raw.get("body") or "")
    is_open = raw.get("state") == "open"
    deps = dict.fromkeys((*blocked_by, *dependencies_in(body)))
    return Issue(
        number=number,
        title=str(raw.get("title") or ""),
        body=body,
        labels=tuple(_names(raw.get("labels"))),
        is_open=is_open,
        as_not_planned=not is_open and raw.get("state_reason") in ("not_planned", "duplicate"),
        deps=tuple(dep for dep in deps if dep != number),
        milestone=_of(raw.get("milestone"), "title"),
        author=_login(raw),
        created_at=instant(raw.get("created_at")),
        updated_at=instant(raw.get("updated_at")),
    )


def comment_of(raw: Json, issue: int) -> Comment:
    """Read a comment from REST."""
    return Comment(
        id=int(raw["id"]),
        issue=issue,
        author=_login(raw),
        body=str(raw.get("body") or ""),
        created_at=instant(raw.get("created_at")),
        updated_at=instant(raw.get("updated_at")),
    )


def author_id(raw: Json) -> int | None:
    """Name who wrote it, by number: logins change, and are other people's later."""
    user = raw.get("user")
    return user.get("id") if isinstance(user, dict) and isinstance(user.get("id"), int) else None


def pull_of_rest(raw: Json) -> PullRequestView:
    """Read a pull request from REST; how it stands to its merge is not told there."""
    head, base = _dict(raw.get("head")), _dict(raw.get("base"))
    merged_at = instant(raw.get("merged_at")) or None
    return PullRequestView(
        number=int(raw["number"]),
        title=str(raw.get("title") or ""),
        body=str(raw.get("body") or ""),
        state=_state(is_merged=merged_at is not None, is_open=raw.get("state") == "open", is_draft=raw.get("draft")),
        source=str(head.get("ref") or ""),
        target=str(base.get("ref") or ""),
        head=str(head.get("sha") or ""),
        is_from_fork=_dict(head.get("repo")).get("id") != _dict(base.get("repo")).get("id"),
        merged_at=merged_at,
        merge_commit=raw.get("merge_commit_sha") if merged_at else None,
        labels=tuple(_names(raw.get("labels"))),
        author=_login(raw),
        url=raw.get("html_url"),
        created_at=instant(raw.get("created_at")),
        updated_at=instant(raw.get("updated_at")),
    )


def pull_of_graph(raw: Json, required: tuple[str, ...], published_at: Instant | None) -> PullRequestView:
    """Read a pull request from GraphQL, with how it stands to its merge."""
    state = raw.get("state")
    return PullRequestView(
        number=int(raw["number"]),
        title=str(raw.get("title") or ""),
        body=str(raw.get("body") or ""),
        state=_state(is_merged=state == "MERGED", is_open=state == "OPEN", is_draft=raw.get("isDraft")),
        source=str(raw.get("headRefName") or ""),
        target=str(raw.get("baseRefName") or ""),
        head=str(raw.get("headRefOid") or ""),
        is_from_fork=bool(raw.get("isCrossRepository")),
        merged_at=instant(raw.get("mergedAt")) or None,
        merge_commit=_of(raw.get("mergeCommit"), "oid"),
        labels=tuple(_names(_dict(raw.get("labels")).get("nodes"))),
        author=_graph_login(raw.get("author")),
        url=raw.get("url"),
        standing=_standing(raw, required, published_at),
        created_at=instant(raw.get("createdAt")),
        updated_at=instant(raw.get("updatedAt")),
    )


def _standing(raw: Json, required: tuple[str, ...], published_at: Instant | None) -> Standing:
    reviews = [_of(review, "submittedAt") for review in _dict(raw.get("reviews")).get("nodes") or ()]
    told = "autoMergeRequest" in raw or "mergeQueueEntry" in raw
    parked = raw.get("autoMergeRequest") is not None or raw.get("mergeQueueEntry") is not None
    return Standing(
        conflicts={"CONFLICTING": True, "MERGEABLE": False}.get(str(raw.get("mergeable"))),
        is_behind=raw.get("mergeStateStatus") == "BEHIND",
        checks=tuple(checks_of(contexts_of(raw)[0])),
        required=required,
        is_parked=parked if told else None,
        needs_approval=raw.get("reviewDecision") is not None,
        approved_at=max((instant(at) for at in reviews if at), default=None),
        published_at=published_at,
    )


def contexts_of(raw: Json) -> tuple[list[Json], str | None]:
    """Give the checks of the newest commit, and where the next page of them begins; None: that is all."""
    nodes = _dict(raw.get("commits")).get("nodes") or [{}]
    rollup = _dict(_dict(nodes[0].get("commit")).get("statusCheckRollup"))
    contexts = _dict(rollup.get("contexts"))
    page = _dict(contexts.get("pageInfo"))
    after = page.get("endCursor") if page.get("hasNextPage") else None
    return [node for node in contexts.get("nodes") or () if isinstance(node, dict)], after


def checks_of(nodes: list[Json]) -> Iterator[CheckSeen]:
    """Read check runs and commit statuses alike."""
    for node in nodes:
        if node.get("__typename") == "StatusContext":
            yield CheckSeen(name=str(node.get("context")), word=str(node.get("state") or "pending").lower())
            continue
        word = node.get("conclusion") if node.get("status") == "COMPLETED" else node.get("status")
        yield CheckSeen(name=str(node.get("name")), word=str(word or "pending").lower(), tests=tuple(_tests(node)))


def _tests(node: Json) -> Iterator[tuple[str, str, str]]:
    text = "\n".join(str(node.get(part) or "") for part in ("title", "summary", "text"))
    found = [(match["file"], match["class"] or "", match["name"]) for match in _FAILED.finditer(text)]
    yield from dict.fromkeys(found[:_MOST_TESTS])


def _state(*, is_merged: bool, is_open: bool, is_draft: object) -> PullRequestState:
    if is_merged:
        return PullRequestState.MERGED
    if not is_open:
        return PullRequestState.CLOSED
    return PullRequestState.DRAFT if is_draft is True else PullRequestState.OPEN


def _names(labels: object) -> Iterator[str]:
    for label in labels if isinstance(labels, list) else ():
        name = label.get("name") if isinstance(label, dict) else label
        if isinstance(name, str):
            yield name


def _login(raw: Json) -> str:
    return _of(raw.get("user"), "login") or GHOST


def _graph_login(author: object) -> str:
    """Name an author as REST does: GraphQL leaves the ending of an App's account off."""
    login = _of(author, "login") or GHOST
    return f"{login}[bot]" if _of(author, "__typename") == "Bot" and not login.endswith("[bot]") else login


def _of(raw: object, key: str) -> str | None:
    found = raw.get(key) if isinstance(raw, dict) else None
    return found if isinstance(found, str) else None


def _dict(raw: object) -> Json:
    return raw if isinstance(raw, dict) else {}
