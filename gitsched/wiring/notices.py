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
    from gitsched.ports.rollouts import Rollouts
    from gitsched.ports.runner import RunPoster
    from gitsched.wiring.clone import Clone


class ToldAndHeard(TypedDict):
    """The ports of a driver by which others are told, and heard of."""

    notifier: "Notifier | None"
    talk: "Callable[[], Conversation]"
    poster: "RunPoster"
    rollouts: "Rollouts | None"


def told_and_heard(clone: "Clone") -> ToldAndHeard:
    """Make them for a clone; the conversation is begun when it is first listened to."""
    return ToldAndHeard(
        notifier=_notifier(clone.settings_or_default.notify, clone.root),
        talk=partial(_talk, clone),
        poster=clone.poster,
        rollouts=_rollouts(clone),
    )


def _rollouts(clone: "Clone") -> "Rollouts | None":
    if clone.settings_or_default.project.forge == "local":
        return None
    from gitsched.adapters.forge.github.forge import GitHubForge

    forge = clone.served_forge
    return forge if isinstance(forge, GitHubForge) else None


def _talk(clone: "Clone") -> "Conversation":
    from gitsched.wiring.commands import conversation_of

    return conversation_of(clone)


def _notifier(chosen: NotifySettings, place: "Path") -> "Notifier | None":
    if not chosen.has_sink:
        return None
    from gitsched.adapters.notifier import OwnNotifier

    return OwnNotifier(chosen, dict(os.environ), place)
