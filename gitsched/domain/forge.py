"""What a forge knows: issues, comments, pull requests, as last read (spec 05)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from gitsched.domain.instants import Instant
from gitsched.domain.words import PullRequestState

Extra = Mapping[str, Any]


class Issue(Struct, frozen=True, kw_only=True):
    """A requested piece of work."""

    number: int
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    is_open: bool = True
    as_not_planned: bool = False
    """Closed, and not because it was completed."""
    deps: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    milestone: str | None = None
    author: str = ""
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


MAX_TITLE = 256
"""Characters of a title; GitHub's limit, so that what fits here fits there."""


def title_fault(title: str) -> str | None:
    """Say what is wrong with a title, as a sentence without its subject; None for a good one."""
    if not title.strip():
        return "holds nothing"
    if len(title) > MAX_TITLE:
        return f"has {len(title)} characters, more than {MAX_TITLE}"
    if title.splitlines() != [title] or "\0" in title:
        return "is not one line of text"
    return None


class IssueDraft(Struct, frozen=True, kw_only=True):
    """An issue that has no number yet."""

    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    deps: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    milestone: str | None = None


class Comment(Struct, frozen=True, kw_only=True):
    """A comment on an issue or pull request."""

    id: int
    issue: int
    author: str
    body: str
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class PullRequestView(Struct, frozen=True, kw_only=True):
    """A pull request as the forge shows it."""

    number: int
    title: str
    body: str
    state: PullRequestState
    source: str
    """Branch that is to be merged."""
    target: str
    head: str
    """Commit of the source branch as the forge knows it."""
    merged_at: Instant | None = None
    merge_commit: str | None = None
    labels: tuple[str, ...] = ()
    author: str = ""
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class Published(Struct, frozen=True, kw_only=True):
    """What a run brought to the forge, or into the target, by itself instead of handing its branch over."""

    name: str
    """Number of the pull request, or name of the branch that its commits were merged into."""
    number: int | None = None
    is_merged: bool = False


class Merged(Struct, frozen=True, kw_only=True):
    """The target now holds the head."""

    commit: str
    at: Instant


class TargetMoved(Struct, frozen=True, kw_only=True):
    """The target is not an ancestor of the head any more; nothing was moved."""

    found: str


class TargetCheckedOut(Struct, frozen=True, kw_only=True):
    """The target is checked out where git refused to fast-forward it; nothing was moved."""

    path: str
    detail: str
    command: str
    """What the operator can run once the checkout is clean."""


class MergeRefused(Struct, frozen=True, kw_only=True):
    """The forge will not merge it, for a reason that trying again does not cure."""

    detail: str


MergeAnswer = Merged | TargetMoved | TargetCheckedOut | MergeRefused
