"""Apps, where they are installed, tokens and deliveries, as plain values."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class App:
    id: int
    slug: str
    client_id: str
    owner_id: int
    bot_id: int
    created_at: float
    permissions: dict[str, str]
    events: list[str]
    public_keys: list[str] = field(default_factory=list)
    webhook_secret: str = "a webhook secret"


@dataclass
class Installation:
    id: int
    app_id: int
    account_id: int
    created_at: float
    permissions: dict[str, str]
    repositories: list[int]
    is_suspended: bool = False


@dataclass
class Token:
    value: str
    user_id: int
    permissions: dict[str, str] | None = None
    """None: what its user may do."""
    installation_id: int | None = None
    repositories: list[int] | None = None
    expires_at: float | None = None
    scopes: tuple[str, ...] | None = None
    """What a person's classic token is good for; None for every other kind."""


@dataclass
class Delivery:
    id: int
    guid: str
    event: str
    action: str | None
    at: float
    status_code: int
    payload: dict[str, Any]
    installation_id: int | None
    repository_id: int | None
    is_redelivery: bool = False
