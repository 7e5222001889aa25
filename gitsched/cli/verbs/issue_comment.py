"""`gitsched issue comment`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="comment", example='gitsched issue comment 12 --body "Both formats, please."')
@click.argument("number", metavar="N")
@click.option("--body", required=True, metavar="TEXT", help="What to say.")
def comment(call: Call, number: str, body: str) -> int:
    """Comment on an issue.

    Also on a pull request, by its number.
    """
    from gitsched.engine.intake.values import issue_number
    from gitsched.wiring.operator import tracker_of

    found = issue_number(number)
    tracker_of(call.clone).comment(found, body)
    call.clone.wake_all()
    call.tell(f"Commented on {found}.")
    return 0
