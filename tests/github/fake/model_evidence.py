"""Checks, statuses, runs and deployments, as plain values."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class CheckRun:
    id: int
    suite_id: int
    name: str
    head: str
    app_id: int | None
    status: str = "queued"
    conclusion: str | None = None
    started_at: float | None = None
    completed_at: float | None = None
    details_url: str | None = None
    external_id: str = ""
    output: dict[str, Any] = field(default_factory=dict)
    actions: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class CommitStatus:
    id: int
    sha: str
    context: str
    state: str
    user_id: int
    at: float
    description: str | None = None
    target_url: str | None = None


@dataclass
class WorkflowRun:
    id: int
    workflow: str
    head_branch: str
    head: str
    event: str
    actor_id: int
    created_at: float
    updated_at: float
    number: int
    status: str = "queued"
    conclusion: str | None = None
    attempt: int = 1
    title: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)


@dataclass
class DeploymentStatus:
    id: int
    state: str
    user_id: int
    at: float
    description: str = ""
    target_url: str = ""


@dataclass
class Deployment:
    id: int
    sha: str
    ref: str
    environment: str
    user_id: int
    at: float
    task: str = "deploy"
    description: str | None = None
    statuses: list[DeploymentStatus] = field(default_factory=list)
