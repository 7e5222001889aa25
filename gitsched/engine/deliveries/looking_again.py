"""Look again at what may have been missed: comments by a cursor, and deliveries that the forge could not hand over."""

import itertools

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.instants import Instant, after
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import Draft
from gitsched.engine.commands.hearing import Hearing, hear
from gitsched.engine.commands.office import Office
from gitsched.errors import GitschedError, TemporaryError
from gitsched.policy.commands import REMEMBERED_S
from gitsched.ports.inbox import Courier, Inbox

_OVERLAP_S = 60.0
"""How far a poll looks back behind its cursor: a comment may show up late, and the ledger knows what was heard."""
_KEPT_BY_THE_FORGE_S = 3 * 86_400.0


class Polled(Struct, frozen=True, kw_only=True):
    """What a poll of comments came to, by comment."""

    heard: dict[int, Hearing] = {}
    unheard: dict[int, str] = {}
    """What stood in the way; these are read again by the next poll."""


def poll_comments(office: Office) -> Polled:
    """Hear the comments since the last poll. The first poll hears none and begins to count.

    One that cannot be heard keeps back none but those behind it on its own issue: they follow one another.
    Raises TemporaryError where the forge gives no answer; the cursor stays then.
    """
    cursor = office.store.read().control.comments_at
    if cursor is None:
        _move_cursor(office, office.clock.now())
        return Polled()
    found = office.talk.spoken_since(after(cursor, -_OVERLAP_S))
    if isinstance(found, Unreachable):
        raise TemporaryError("Comments were to be read.", f"{found.what}: {found.detail}.")
    polled, blocked = Polled(heard={}, unheard={}), dict[int, str]()
    for spoken in found:
        try:
            if spoken.number in blocked:
                raise TemporaryError(f"Comment {spoken.comment} was to be heard.", blocked[spoken.number])
            polled.heard[spoken.comment] = hear(office, spoken)
        except (GitschedError, OSError) as failed:
            polled.unheard[spoken.comment] = str(failed)
            blocked.setdefault(spoken.number, f"It waits for comment {spoken.comment} on {spoken.number}.")
    read = itertools.takewhile(lambda spoken: spoken.comment not in polled.unheard, found)
    newest = max((spoken.updated_at for spoken in read), default=cursor)
    if newest > cursor:
        _move_cursor(office, newest)
    return polled


def expect_all_heard(polled: Polled) -> None:
    """Raise TemporaryError where a comment could not be heard, with what stood in the way of the first."""
    if polled.unheard:
        comment, why = next(iter(polled.unheard.items()))
        more = f" {len(polled.unheard) - 1} more wait." if len(polled.unheard) > 1 else ""
        raise TemporaryError(f"Comment {comment} was to be heard.", f"{why}{more}")


def _move_cursor(office: Office, at: Instant) -> None:
    def intent(draft: Draft) -> None:
        control = draft.state.control
        if control.comments_at is None or control.comments_at < at:
            moved = replace(control, comments_at=at)
            draft.note(EventName.COMMENTS_READ, f"Have read the comments up to {at}", moved, until=at)

    office.store.apply(intent)


def sweep_deliveries(inbox: Inbox, courier: Courier, now: Instant) -> int:
    """Ask again for deliveries that did not arrive, and say how many were asked for.

    Raises TemporaryError where the forge gives no answer.
    """
    failed = courier.failed_since(after(now, -min(_KEPT_BY_THE_FORGE_S, REMEMBERED_S)))
    if isinstance(failed, Unreachable):
        raise TemporaryError("Failed deliveries were to be listed.", f"{failed.what}: {failed.detail}.")
    missing = [delivery for delivery in failed if not inbox.knows(delivery.id)]
    for delivery in missing:
        courier.ask_again(delivery.attempt)
    return len(missing)
