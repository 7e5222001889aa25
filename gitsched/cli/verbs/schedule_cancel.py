"""`gitsched schedule cancel`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="cancel", example="gitsched schedule cancel s1")
@click.argument("schedule")
def cancel(call: Call, schedule: str) -> int:
    """End a schedule; what it has done is kept.

    What runs is ended by the driver, its work stays on its branches, and what is left is held for you.
    """
    from gitsched.engine.intake.booking import cancel_schedule

    asked = cancel_schedule(call.store, schedule, call.actor)
    call.clone.runner.wake_all()
    call.tell(f"{asked.id} is being cancelled.")
    return 0
