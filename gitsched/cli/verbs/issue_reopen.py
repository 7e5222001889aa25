"""`gitsched issue reopen`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="reopen", example="gitsched issue reopen 12")
@click.argument("number", metavar="N")
def reopen(call: Call, number: str) -> int:
    """Open a closed issue again."""
    from gitsched.engine.intake.values import issue_number
    from gitsched.wiring.operator import tracker_of

    opened = issue_number(number)
    tracker_of(call.clone).reopen(opened)
    call.clone.wake_all()
    call.tell(f"Issue {opened} is open.")
    return 0
