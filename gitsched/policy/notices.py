"""Notices: which events somebody is told of.

1. `finished`: a batch is done, or a schedule has ended. `needs-you`: something waits for a person. `paused`: nothing
   new starts. `failed`: work was given up, or taken out of its batch for cause.
2. A condition that lasts is recorded once, where it begins, so that its notice is one for each time it holds.
3. What happened longer ago than a day, while nobody was there to tell of it, is history and no notice.
"""

from hashlib import sha256
from typing import Final

from gitsched.config.settings import Settings
from gitsched.config.shipping import NotifyEvent
from gitsched.domain.events import Event
from gitsched.domain.events import EventName as E
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.notices import Notice

STALE_S: Final = 86_400.0
_CLASSES: Final[dict[E, NotifyEvent]] = {
    E.TEARDOWN_DONE: "finished",
    E.TEARDOWN_FAILED: "finished",
    E.SCHEDULE_ENDED: "finished",
    E.BATCH_BLOCKED: "needs-you",
    E.MEMBER_HELD: "needs-you",
    E.MEMBER_HANDED_BACK: "needs-you",
    E.SCHEDULE_HELD: "needs-you",
    E.PAUSED: "paused",
    E.DISPATCH_UNHEALTHY: "paused",
    E.MEMBER_EVICTED: "failed",
    E.ENTRY_FAILED: "failed",
    E.BATCH_DISSOLVED: "failed",
}


def notice_of(event: Event, settings: Settings, now: Instant) -> Notice | None:
    """Make the notice of an event; None: nobody is told of it by these settings, or not any more.

    An open pull request needs a person where nothing else merges it.
    """
    kind = _CLASSES.get(event.name)
    if event.name is E.PR_OPENED and settings.ship.merge_by.mechanism.is_a_persons:
        kind = "needs-you"
    if kind is None or kind not in settings.notify.events or seconds_between(event.at, now) > STALE_S:
        return None
    return Notice(id=_identity(event), kind=kind, event=event)


def _identity(event: Event) -> str:
    parts = (event.at, event.name, event.batch or "", str(event.issue), str(event.gen), event.sentence)
    return sha256("\0".join(parts).encode()).hexdigest()[:16]
