"""The event that started a job: read from the runner's file, with what decides whether it may do anything."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from gitsched.codec.deliveries import NotAPayloadError, read_delivery
from gitsched.domain.deliveries import Delivery
from gitsched.domain.instants import Instant


class Event(Struct, frozen=True, kw_only=True):
    """One event."""

    delivery: Delivery | None
    """None for a schedule, or a start by hand."""
    is_from_fork: bool
    """A pull request of a fork started it: there are no secrets, and its code is nobody's word."""
    default_branch: str


def event_of(environment: Mapping[str, str], now: Instant) -> Event:
    """Read the event of this job; a file that is no payload tells of nothing."""
    path = environment.get("GITHUB_EVENT_PATH", "")
    body = Path(path).read_bytes() if path and Path(path).is_file() else b"{}"
    name = environment.get("GITHUB_EVENT_NAME", "")
    run = f"run-{environment.get('GITHUB_RUN_ID', '0')}-{environment.get('GITHUB_RUN_ATTEMPT', '1')}"
    try:
        delivery = read_delivery(run, name, body, now)
    except NotAPayloadError:
        return Event(delivery=None, is_from_fork=False, default_branch="")
    payload = json.loads(body)
    return Event(
        delivery=delivery if name not in ("", "schedule", "workflow_dispatch", "repository_dispatch") else None,
        is_from_fork=_is_from_fork(payload),
        default_branch=str(_part(payload, "repository").get("default_branch") or ""),
    )


def _is_from_fork(payload: Mapping[str, Any]) -> bool:
    """Say whether the head of a pull request is of another repository; a head that is gone was of one."""
    request = _part(payload, "pull_request")
    if not request:
        return False
    head, base = (_part(_part(request, side), "repo").get("id") for side in ("head", "base"))
    return head is None or head != base


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}
