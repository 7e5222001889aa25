"""`gitsched credential`: git asks it for the forge's token."""

import sys

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched credential get")
@click.argument("operation", metavar="get|store|erase")
def credential(_call: Call, operation: str) -> int:
    """Hand git the forge's token (internal).

    Git's own processes that gitsched starts are given the token in their environment and this verb as their
    credential helper. Anywhere else it knows nothing and says nothing.
    """
    from gitsched.wiring.github import credential_answer

    if operation == "get":
        sys.stdout.write(credential_answer(sys.stdin.read()))
    return 0
