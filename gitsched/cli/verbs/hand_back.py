"""`gitsched hand-back`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example='gitsched hand-back --reason "the issue contradicts test_rounding"')
@click.option("--reason", metavar="TEXT", help="Why, in one line; shown to people.")
@click.option("--partial", is_flag=True, help="Some of it is done.")
def hand_back(call: Call, reason: str | None, *, partial: bool) -> int:
    """Say that the work cannot be done, or not all of it.

    An answer, not a failure: the work so far is kept on the member's branch.
    """
    from gitsched.cli import inside

    keys = {} if reason is None else {"reason": reason}
    inside.post(call, "review", "partial" if partial else "blocked", keys)
    return 0
