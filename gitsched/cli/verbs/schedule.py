"""`gitsched schedule …`: work that starts in a window of time."""

import click

from gitsched.cli.catalogue import SCHEDULE_VERBS
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.verb import SETTINGS, kept

_EXAMPLE = "Example:\n\n  gitsched schedule add 12 14 15 --window 22:00-06:00 --tz Europe/Berlin"


@click.group(
    "schedule",
    cls=LazyGroup,
    sections=SCHEDULE_VERBS,
    prefix="schedule_",
    context_settings=SETTINGS,
    epilog=kept(_EXAMPLE),
)
def schedule() -> None:
    """Book work for a window of time.

    A driver must run while the window is open: `gitsched run`, or what `gitsched schedule install` sets up.
    """
