"""`gitsched post`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched post --phase implement --status progress --key file=parser.py")
@click.option("--phase", required=True, metavar="PHASE", help="plan, implement, review, or a word of your own.")
@click.option("--status", required=True, metavar="STATUS", help="done, partial, blocked or progress.")
@click.option("--key", "keys", multiple=True, metavar="K=V", help="One more fact; may be given again.")
@click.option("--reason", metavar="TEXT", help="Why, when blocked or partial.")
@click.argument("more", nargs=-1, metavar="[K=V]...")
def post(
    call: Call, phase: str, status: str, keys: tuple[str, ...], reason: str | None, more: tuple[str, ...]
) -> int:  # many-parameters: click hands each option over
    """Post a milestone.

    Shows that the run is alive and how far it is. Exit code 4: a newer run has taken over, stop working.
    """
    from gitsched.cli import inside
    from gitsched.codec.milestones import parse_keys

    given = parse_keys((*keys, *more))
    if reason is not None:
        given = {"reason": reason} | given
    inside.post(call, phase, status, given)
    return 0
