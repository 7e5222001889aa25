"""`gitsched pause`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example='gitsched pause --reason "release day"')
@click.option("--reason", default="operator", metavar="TEXT", help="Why, in one line.")
def pause(call: Call, reason: str) -> int:
    """Start nothing new.

    What runs goes on: it is gated, landed and judged. `gitsched resume` ends the pause.
    """
    from gitsched.engine.intake.pausing import PauseRequest
    from gitsched.engine.intake.pausing import pause as pause_scheduler

    clone = call.clone
    answer = pause_scheduler(call.store, PauseRequest(reason), call.actor)
    clone.runner.wake_all()
    call.tell("Paused: nothing new starts until `gitsched resume`." if answer.changed else "It was paused already.")
    return 0
