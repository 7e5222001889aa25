"""What the fake knows, as plain values that can be copied: instants are seconds, people and places are numbers."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.github.fake.model_apps import App, Delivery, Installation, Token
from tests.github.fake.model_evidence import CheckRun, CommitStatus, Deployment, WorkflowRun

Place = tuple[int, int]
"""Number of a repository, number of an issue in it."""


@dataclass
class User:
    id: int
    login: str
    kind: Literal["User", "Bot", "Organization"] = "User"


@dataclass
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass
class GitHubMilestone:
    id: int
    number: int
    title: str
    creator_id: int | None
    created_at: float
    updated_at: float
    description: str | None = None
    closed_at: float | None = None
    due_at: float | None = None


@dataclass
class Reaction:
    id: int
    user_id: int
    content: str
    at: float


@dataclass
class Comment:
    id: int
    number: int
    user_id: int | None
    body: str | None
    created_at: float
    updated_at: float
    app_id: int | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class Review:
    id: int
    user_id: int | None
    state: str
    body: str
    commit: str
    """As shown: a force push moves it to the new head."""
    at: float


@dataclass
class AutoMerge:
    user_id: int
    method: str
    at: float
    title: str | None = None
    message: str | None = None


@dataclass
class QueueEntry:
    id: int
    user_id: int
    head: str
    at: float
    state: str = "QUEUED"


@dataclass
class Pull:
    base: str
    source: str
    head: str
    head_repository: int | None
    head_owner: int | None
    base_sha: str
    is_draft: bool = False
    looks_until_mergeable: int = 1
    """How often it is looked at before GitHub has computed whether it can be merged."""
    merged_at: float | None = None
    merged_by: int | None = None
    merge_commit: str | None = None
    auto_merge: AutoMerge | None = None
    entry: QueueEntry | None = None
    reviews: list[Review] = field(default_factory=list)
    reviewers: list[int] = field(default_factory=list)


@dataclass
class Issue:
    id: int
    number: int
    title: str
    body: str | None
    user_id: int | None
    created_at: float
    updated_at: float
    reason: str | None = None
    closed_at: float | None = None
    closed_by: int | None = None
    label_ids: list[int] = field(default_factory=list)
    assignee_ids: list[int] = field(default_factory=list)
    milestone: int | None = None
    is_locked: bool = False
    is_deleted: bool = False
    moved_to: Place | None = None
    blocked_by: list[Place] = field(default_factory=list)
    sub_issues: list[Place] = field(default_factory=list)
    parent: Place | None = None
    app_id: int | None = None
    pull: Pull | None = None

    @property
    def state(self) -> str:
        return "open" if self.closed_at is None else "closed"


@dataclass
class Protection:
    """What a branch asks for; rendered both as branch protection and as rules."""

    contexts: tuple[str, ...] = ()
    strict: bool = False
    approvals: int = 0
    dismiss_stale: bool = False
    last_push_approval: bool = False
    linear: bool = False
    signatures: bool = False
    queue: bool = False
    methods: tuple[str, ...] = ("merge", "squash", "rebase")
    no_direct_push: bool = False
    allow_force: bool = False
    as_ruleset: bool = True
    """Seen by `rules/branches`; else a classic protection, which needs the right `administration` to be read."""


@dataclass
class Repository:
    id: int
    owner_id: int
    name: str
    path: Path
    """Where its bare git repository stands."""
    created_at: float
    is_private: bool = False
    is_archived: bool = False
    default_branch: str = "main"
    parent: int | None = None
    has_drafts: bool = True
    allow_merge_commit: bool = True
    allow_squash_merge: bool = True
    allow_rebase_merge: bool = True
    allow_auto_merge: bool = True
    delete_branch_on_merge: bool = False
    roles: dict[int, str] = field(default_factory=dict)
    labels: dict[int, Label] = field(default_factory=dict)
    milestones: dict[int, GitHubMilestone] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    checks: list[CheckRun] = field(default_factory=list)
    statuses: list[CommitStatus] = field(default_factory=list)
    protections: dict[str, Protection] = field(default_factory=dict)
    workflows: dict[str, int] = field(default_factory=dict)
    runs: list[WorkflowRun] = field(default_factory=list)
    deployments: list[Deployment] = field(default_factory=list)

    def protection(self, branch: str) -> Protection | None:
        return self.protections.get(branch)


@dataclass
class World:
    """Everything at once: a copy of it is what a reader sees whose reads lag behind."""

    users: dict[int, User] = field(default_factory=dict)
    repositories: dict[int, Repository] = field(default_factory=dict)
    old_names: dict[str, int] = field(default_factory=dict)
    apps: dict[int, App] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    manifests: dict[str, int] = field(default_factory=dict)
    deliveries: list[Delivery] = field(default_factory=list)
    last_id: int = 3_000_000_000
    """Numbers are beyond 32 bits, as GitHub's are."""

    last_small_id: int = 1_000_000_000
    """Those of people, places and Apps are not, yet."""

    def fresh_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def fresh_small_id(self) -> int:
        self.last_small_id += 1
        return self.last_small_id

    def user(self, login: str) -> User | None:
        return next((user for user in self.users.values() if user.login.lower() == login.lower()), None)

    def full_name(self, repository: Repository) -> str:
        return f"{self.users[repository.owner_id].login}/{repository.name}"

    def named(self, full_name: str) -> Repository | None:
        wanted = full_name.lower()
        return next((found for found in self.repositories.values() if self.full_name(found).lower() == wanted), None)
