"""What a forge knows: issues, comments, pull requests, as last read."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from gitsched.domain.instants import Instant
from gitsched.domain.merging import Mechanism
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
    gone: str | None = None
    """Why the forge has it no more: `deleted`, `transferred`."""
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


class CheckSeen(Struct, frozen=True, kw_only=True):
    """A check run or commit status on the head of a pull request, as the forge tells it."""

    name: str
    word: str
    """The forge's own word for how it stands, in lower case."""
    is_required: bool = False
    tests: tuple[tuple[str, str, str], ...] = ()
    """Failing tests that its report names, as (file, class name, name)."""


class Standing(Struct, frozen=True, kw_only=True):
    """What stands between an open pull request and its merge; None is what the forge did not tell."""

    conflicts: bool | None = None
    is_behind: bool = False
    """The target's rules want it to be up to date, and it is not."""
    checks: tuple[CheckSeen, ...] = ()
    required: tuple[str, ...] = ()
    """Names of the checks that the target's rules want."""
    is_parked: bool | None = None
    """An auto-merge request or a place in the merge queue stands."""
    needs_approval: bool = False
    approved_at: Instant | None = None
    """When the newest approval that stands was given."""
    published_at: Instant | None = None
    """When its head came to the forge."""


class ShipRules(Struct, frozen=True, kw_only=True):
    """What a forge offers for merging into a branch, and what it demands."""

    methods: frozenset[str] = frozenset({"rebase"})
    mechanisms: frozenset[Mechanism] = frozenset({Mechanism.DIRECT})
    queue_method: str | None = None
    """How the merge queue merges, which is not the pull request's to choose."""
    labels: frozenset[str] | None = None
    """Labels that exist; None where labels cannot merge anything."""
    required: tuple[str, ...] = ()
    wants_signatures: bool = False
    has_drafts: bool = False
    closes_issues: bool = False
    """Closing words in a merged body close their issues: the target is the default branch."""


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
    is_from_fork: bool = False
    """Its source is a branch of another repository, or of one that is gone."""
    merged_at: Instant | None = None
    merge_commit: str | None = None
    labels: tuple[str, ...] = ()
    author: str = ""
    url: str | None = None
    standing: Standing | None = None
    """None where the forge knows nothing of checks and rules."""
    created_at: Instant = ""
    updated_at: Instant = ""
    extra: Extra = field(default_factory=dict)


class HeadMoved(Struct, frozen=True, kw_only=True):
    """The forge's branch is where nobody here has put it; it was left there."""

    found: str


class PublishRefused(Struct, frozen=True, kw_only=True):
    """The forge does not take the branch, for a reason that trying again does not cure."""

    detail: str


class Waiting(Struct, frozen=True, kw_only=True):
    """It cannot be merged for the moment; the forge says why."""

    reason: str
    detail: str = ""


DENIED = "denied"
"""The word for a deployment of which the forge does not tell whoever asks."""


class Rollout(Struct, frozen=True, kw_only=True):
    """How a deployment stands that holds what a batch has shipped."""

    word: str
    """The forge's own: `success`, `failure`, `error`, or one of those that it may still leave; or `DENIED`."""
    detail: str = ""


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


MergeAnswer = Merged | TargetMoved | TargetCheckedOut | MergeRefused | Waiting
