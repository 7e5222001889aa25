"""Look again at what may have been missed: comments by a cursor, and deliveries that the forge could not hand over."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.instants import Instant, after
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import Draft
from gitsched.engine.commands.hearing import Hearing, hear
from gitsched.engine.commands.office import Office
from gitsched.errors import TemporaryError
from gitsched.policy.commands import REMEMBERED_S
from gitsched.ports.inbox import Courier, Inbox

_OVERLAP_S = 60.0
"""How far a poll looks back behind its cursor: a comment may show up late, and the ledger knows what was heard."""
_KEPT_BY_THE_FORGE_S = 3 * 86_400.0


def poll_comments(office: Office) -> dict[int, Hearing]:
    """Hear the comments since the last poll, by comment. The first poll hears none and begins to count.

    Raises TemporaryError where the forge gives no answer; the cursor stays then.
    """
    cursor = office.store.read().control.comments_at
    if cursor is None:
        _move_cursor(office, office.clock.now())
        return {}
    found = office.talk.spoken_since(after(cursor, -_OVERLAP_S))
    if isinstance(found, Unreachable):
        raise TemporaryError("Comments were to be read.", f"{found.what}: {found.detail}.")
    heard = {spoken.comment: hear(office, spoken) for spoken in found}
    newest = max((spoken.updated_at for spoken in found), default=cursor)
    if newest > cursor:
        _move_cursor(office, newest)
    return heard


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
