"""Posting deliveries as GitHub does."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

SECRET = "it's a secret"


def signature(body: bytes, secret: str = SECRET, *, algorithm: str = "sha256") -> str:
    return f"{algorithm}={hmac.new(secret.encode(), body, getattr(hashlib, algorithm)).hexdigest()}"


def headers(body: bytes, name: str = "d-1", event: str = "issues", **more: str) -> dict[str, str]:
    """Give the headers of a delivery; `more` replaces some, by their names with `_` for `-`."""
    made = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/abc",
        "X-GitHub-Delivery": name,
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": signature(body),
        "X-Hub-Signature": signature(body, algorithm="sha1"),
    }
    made.update({key.replace("_", "-"): value for key, value in more.items()})
    return made


def payload(action: str = "milestoned", *, repository: int = 77, full_name: str = "octo/repo", **more: Any) -> bytes:
    """Write a payload about a repository, with GitHub's kind of blanks."""
    about: Mapping[str, Any] = {"action": action, "repository": {"id": repository, "full_name": full_name}, **more}
    return json.dumps(about, ensure_ascii=False, indent=1).encode()
