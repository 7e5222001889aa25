"""Deliveries: what each event is good for."""

import pytest

from gitsched.domain.deliveries import Delivery, Use
from gitsched.policy.deliveries import use_of, why_ignored

AT = "2026-03-20T12:00:00.000Z"


@pytest.mark.parametrize(
    ("event", "action", "use"),
    [
        ("issue_comment", "created", Use.COMMAND),
        ("issues", "milestoned", Use.MILESTONE),
        ("issues", "labeled", Use.HINT),
        ("push", "", Use.HINT),
        ("check_run", "completed", Use.HINT),
        ("installation", "suspend", Use.TENANCY),
        ("repository", "renamed", Use.TENANCY),
    ],
)
def test_a_known_event_has_its_use(event: str, action: str, use: Use) -> None:
    assert use_of(Delivery(id="1", event=event, action=action, received_at=AT)) is use


@pytest.mark.parametrize(
    ("event", "action", "why"),
    [
        ("issue_comment", "edited", "unknown-action"),
        ("issue_comment", "deleted", "unknown-action"),
        ("issues", "pinned", "unknown-action"),
        ("ping", "", "unknown-event"),
        ("star", "created", "unknown-event"),
    ],
)
def test_the_rest_is_ignored_with_a_reason(event: str, action: str, why: str) -> None:
    delivery = Delivery(id="1", event=event, action=action, received_at=AT)
    assert use_of(delivery) is None
    assert why_ignored(delivery) == why
