"""Following up: a draft of an issue for each failure that waits for a person."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.queue_effects import OpenFollowUp
from gitsched.domain.state import Draft
from gitsched.engine.desk import Desk
from gitsched.policy.follow_up import failure_of
from gitsched.view.follow_up import DRAFT_LABEL, follow_up_marker, follow_up_title, render_follow_up


def open_follow_up(effect: OpenFollowUp, desk: Desk) -> None:
    """Open the draft, which the forge does once, and record its number with the failure."""
    entry = desk.state.entries.get(effect.issue)
    failure = failure_of(entry) if entry is not None else None
    if entry is None or failure is None:
        return
    text, marker = render_follow_up(entry, failure), follow_up_marker(failure)
    number = desk.around.forge.open_issue(follow_up_title(entry), text, marker, (DRAFT_LABEL,))

    def intent(draft: Draft) -> None:
        now = draft.state.entries.get(effect.issue)
        if now is None or failure_of(now) != failure:
            return
        told = replace(now, evidence=(*now.evidence[:-1], replace(failure, follow_up=number)))
        draft.note(EventName.PROGRESS, f"Follow issue {now.issue} up in draft {number}", told, issue=now.issue)

    desk.record(intent)
