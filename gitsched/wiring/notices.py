"""Which notifier a clone's driver has."""

import os
from pathlib import Path

from gitsched.config.shipping import NotifySettings
from gitsched.ports.notices import Notifier


def notifier_of(chosen: NotifySettings, place: Path) -> Notifier | None:
    """Make what `[notify]` asks for; None: it asks for nothing."""
    if not (chosen.command or chosen.url):
        return None
    from gitsched.adapters.notifier import OwnNotifier

    return OwnNotifier(chosen, dict(os.environ), place)
