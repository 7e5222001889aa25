"""`gitsched done`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example='gitsched done --summary "Parse dates of both kinds"')
@click.option("--summary", metavar="TEXT", help="What was done, in one line.")
@click.option("--key", "keys", multiple=True, metavar="K=V", help="One more fact; may be given again.")
def done(call: Call, summary: str | None, keys: tuple[str, ...]) -> int:
    """Say that the work is complete.

    Short for `gitsched post --phase review --status done`, with the head of the member's branch.
    """
    from gitsched.cli import inside
    from gitsched.codec.milestones import parse_keys

    given = parse_keys(keys)
    if summary is not None:
        given = {"summary": summary} | given
    inside.post(call, "review", "done", given, names_head=True)
    return 0
