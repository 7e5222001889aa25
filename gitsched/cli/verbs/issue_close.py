"""`gitsched issue close`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="close", example="gitsched issue close 12 --not-planned")
@click.argument("number", metavar="N")
@click.option("--not-planned", is_flag=True, help="It is not going to be done.")
def close(call: Call, number: str, *, not_planned: bool) -> int:
    """Close an issue."""
    from gitsched.engine.intake.values import issue_number
    from gitsched.wiring.operator import tracker_of

    closed = issue_number(number)
    tracker_of(call.clone).close(closed, as_not_planned=not_planned)
    call.clone.wake_all()
    call.tell(f"Issue {closed} is closed.")
    return 0
