"""Drain the inbox: hear comments, look at GitHub milestones, wake the drivers; then mark the deliveries as done.

A delivery that could not be worked off stays seen and is tried again; it holds none of the others up.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from gitsched.domain.deliveries import Delivery, Use
from gitsched.domain.outcomes import Unreachable
from gitsched.engine.commands.hearing import Hearing, hear
from gitsched.engine.commands.office import Office
from gitsched.engine.deliveries.looking_again import poll_comments
from gitsched.errors import GitschedError, TemporaryError
from gitsched.policy.deliveries import use_of, why_ignored
from gitsched.ports.inbox import Inbox

CHUNK_COUNT = 20
"""How many deliveries are marked as done together."""
_WAKING = frozenset({Use.HINT, Use.MILESTONE})


class Drained(Struct, frozen=True, kw_only=True):
    """What a drain came to."""

    outcomes: dict[str, str] = {}
    """By id of a delivery: what it came to, or why it is of no use."""
    failures: dict[str, str] = {}
    """By id of a delivery that stays: what stood in the way."""


def drain(
    office: Office, inbox: Inbox, deliveries: Sequence[Delivery], may_go_on: Callable[[], bool] = lambda: True
) -> Drained:
    """Work deliveries off in their order; between two of them it ends when it may not go on."""
    drained = Drained(outcomes={}, failures={})
    for start in range(0, len(deliveries), CHUNK_COUNT):
        outcomes: dict[str, str] = {}
        chunk = deliveries[start : start + CHUNK_COUNT]
        unready = _hear_in_order(office, chunk)
        for delivery in chunk:
            if not may_go_on():
                break
            if unready is not None and use_of(delivery) is Use.COMMAND:
                drained.failures[delivery.id] = unready
                continue
            try:
                outcomes[delivery.id] = attend(office, delivery)
            except (GitschedError, OSError) as failed:
                drained.failures[delivery.id] = str(failed)
        if any(outcome in _WAKING for outcome in outcomes.values()):
            office.wake()
        inbox.settle(outcomes)
        drained.outcomes.update(outcomes)
    return drained


def _hear_in_order(office: Office, chunk: Sequence[Delivery]) -> str | None:
    """Hear what was said since the last time, as it was said; say what stands in the way of that.

    Deliveries overtake one another, comments do not; and what is said of a batch is meant of it as the forge has it,
    though the delivery that tells of its GitHub milestone is late or lost.
    """
    if any(use_of(delivery) is Use.COMMAND for delivery in chunk):
        try:
            office.reconcile()
            poll_comments(office)
        except (GitschedError, OSError) as failed:
            return str(failed)
    return None


def attend(office: Office, delivery: Delivery) -> str:
    """Do what a delivery hints at, and say what it came to. Raises GitschedError where it is to be tried again."""
    use = use_of(delivery)
    if use is None:
        return f"ignored:{why_ignored(delivery)}"
    if use is Use.COMMAND:
        return _hear(office, delivery)
    if use is Use.MILESTONE:
        office.reconcile()
    return str(use)


def _hear(office: Office, delivery: Delivery) -> str:
    if delivery.comment is None:
        return "ignored:no-comment"
    spoken = office.talk.spoken(delivery.comment)
    if spoken is None:
        return "ignored:comment-gone"
    if isinstance(spoken, Unreachable):
        raise TemporaryError(f"Comment {delivery.comment} was to be read.", f"{spoken.what}: {spoken.detail}.")
    return outcome_of(hear(office, spoken))


def outcome_of(heard: Hearing) -> str:
    """Say in a few words what became of a comment."""
    if heard.ignored is not None:
        return f"ignored:{heard.ignored}"
    return f"commands:{heard.accepted_count} accepted, {heard.refused_count} refused"
