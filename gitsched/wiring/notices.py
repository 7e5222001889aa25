"""Who a driver tells of what happened, and whose comments it reads."""

import os
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from gitsched.config.shipping import NotifySettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitsched.ports.conversation import Conversation
    from gitsched.ports.notices import Notifier
    from gitsched.ports.runner import RunPoster
    from gitsched.wiring.clone import Clone


class ToldAndHeard(TypedDict):
    """The ports of a driver that reach people."""

    notifier: "Notifier | None"
    talk: "Callable[[], Conversation]"
    poster: "RunPoster"


def told_and_heard(clone: "Clone") -> ToldAndHeard:
    """Make them for a clone; the conversation is begun when it is first listened to."""
    return ToldAndHeard(
        notifier=_notifier(clone.settings_or_default.notify, clone.root),
        talk=partial(_talk, clone),
        poster=clone.poster,
    )


def _talk(clone: "Clone") -> "Conversation":
    from gitsched.wiring.commands import conversation_of

    return conversation_of(clone)


def _notifier(chosen: NotifySettings, place: "Path") -> "Notifier | None":
    if not (chosen.command or chosen.url):
        return None
    from gitsched.adapters.notifier import OwnNotifier

    return OwnNotifier(chosen, dict(os.environ), place)
