"""`gitsched issue comment`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="comment", example='gitsched issue comment 12 --body "Both formats, please."')
@click.argument("number", metavar="N")
@click.option("--body", required=True, metavar="TEXT", help="What to say.")
def comment(call: Call, number: str, body: str) -> int:
    """Comment on an issue.

    Also on a pull request, by its number. Lines that begin with /gitsched are run as commands.
    """
    from gitsched.codec.commands import WORD
    from gitsched.engine.intake.values import issue_number
    from gitsched.wiring.operator import tracker_of

    found = issue_number(number)
    comment = tracker_of(call.clone).comment(found, body)
    call.clone.wake_all()
    call.tell(f"Commented on {found}.")
    if WORD not in body:
        return 0
    call.set_up()
    return _hear(call, comment)


def _hear(call: Call, comment: int) -> int:
    """Run the comment's commands as the person who calls, and show what is answered."""
    from gitsched.wiring.commands import hear_own

    heard = hear_own(call.clone, comment)
    if heard.answer:
        call.tell(heard.answer)
    return 1 if heard.refused_count else 0
