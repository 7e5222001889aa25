"""`gitsched schedule resume`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="resume", example="gitsched schedule resume s1")
@click.argument("schedule")
def resume(call: Call, schedule: str) -> int:
    """Let a schedule go on that needs a person, from its next window on."""
    from gitsched.engine.intake.booking import resume_schedule

    going = resume_schedule(call.store, schedule, call.actor)
    call.clone.runner.wake_all()
    call.tell(f"{going.id} goes on; it opens at {going.opens_at}.")
    return 0
