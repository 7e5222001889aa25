"""`gitsched stop`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched stop 12")
@click.argument("unit", metavar="BATCH|ISSUE")
def stop(call: Call, unit: str) -> int:
    """End an issue or a batch now.

    Agents are ended by the next pass of a driver; work is kept on its branch.
    """
    from gitsched.engine.intake.ending import StopRequest
    from gitsched.engine.intake.ending import stop as stop_unit

    clone = call.clone
    answer = stop_unit(call.store, StopRequest(unit), call.actor)
    clone.runner.wake_all()
    issues = ", ".join(map(str, answer.issues)) or "none"
    call.tell(f"Stopped {answer.batch}; issues: {issues}." if answer.batch else f"Stopped issues: {issues}.")
    return 0
