"""Deliveries: which events are of use, and for what. Everything else is ignored, with a reason.

See docs/how-to/webhook.md.
"""

from collections.abc import Mapping
from typing import Final

from gitsched.domain.deliveries import Delivery, Use

_ANY: Final[frozenset[str]] = frozenset()
_ISSUES_IN_MILESTONES: Final = frozenset({"milestoned", "demilestoned", "transferred", "deleted", "closed", "reopened"})
_ISSUES: Final = frozenset({"labeled", "unlabeled", "edited", "assigned"})
_REQUESTS: Final = frozenset(
    {
        "opened",
        "synchronize",
        "closed",
        "reopened",
        "edited",
        "labeled",
        "unlabeled",
        "ready_for_review",
        "converted_to_draft",
        "enqueued",
        "dequeued",
        "auto_merge_enabled",
        "auto_merge_disabled",
    }
)

TABLE: Final[Mapping[str, tuple[tuple[Use, frozenset[str]], ...]]] = {
    "issues": ((Use.MILESTONE, _ISSUES_IN_MILESTONES), (Use.HINT, _ISSUES)),
    "milestone": ((Use.MILESTONE, frozenset({"created", "edited", "opened", "closed", "deleted"})),),
    "issue_comment": ((Use.COMMAND, frozenset({"created"})),),
    "issue_dependencies": ((Use.MILESTONE, _ANY),),
    "pull_request": ((Use.HINT, _REQUESTS),),
    "pull_request_review": ((Use.HINT, frozenset({"submitted", "edited", "dismissed"})),),
    "push": ((Use.HINT, _ANY),),
    "check_run": ((Use.HINT, frozenset({"created", "completed", "rerequested", "requested_action"})),),
    "check_suite": ((Use.HINT, frozenset({"requested", "rerequested", "completed"})),),
    "status": ((Use.HINT, _ANY),),
    "workflow_run": ((Use.HINT, frozenset({"requested", "in_progress", "completed"})),),
    "merge_group": ((Use.HINT, frozenset({"checks_requested", "destroyed"})),),
    "installation": ((Use.TENANCY, _ANY),),
    "installation_repositories": ((Use.TENANCY, _ANY),),
    "installation_target": ((Use.TENANCY, _ANY),),
    "repository": (
        (Use.TENANCY, frozenset({"renamed", "transferred", "edited", "archived", "unarchived", "deleted"})),
    ),
}
"""By event: uses, each with the actions that it is for; an empty set is all of them."""


def use_of(delivery: Delivery) -> Use | None:
    """Say what a delivery is good for; None where it is ignored."""
    for use, actions in TABLE.get(delivery.event, ()):
        if not actions or delivery.action in actions:
            return use
    return None


def why_ignored(delivery: Delivery) -> str:
    """Say why a delivery is of no use."""
    return "unknown-action" if delivery.event in TABLE else "unknown-event"
