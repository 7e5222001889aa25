"""Pausing: let dispatch go on when what stopped it is over, or is to be tried."""

from gitsched.domain.dispatch_effects import EndPause
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.engine.desk import Desk
from gitsched.policy.health import after_ending, ending


def end_pause(_effect: EndPause, desk: Desk) -> None:
    """Take the limits off whose reset has come, and the pause with them."""

    def intent(draft: Draft) -> None:
        over = ending(draft.state.control, draft.at)
        if over is None:
            return
        what = (
            f"The limit of {', '.join(over.profiles)} is over" if over.profiles else "Try whether dispatch works again"
        )
        draft.note(
            EventName.DISPATCH_HEALTHY,
            what,
            after_ending(draft.state.control, over),
            profiles=list(over.profiles),
            probe=over.is_probe,
        )

    desk.record(intent)
