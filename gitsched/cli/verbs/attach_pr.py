"""`gitsched attach-pr`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="attach-pr", example="gitsched attach-pr b1 12")
@click.argument("batch")
@click.argument("request", metavar="PR")
def attach_pr(call: Call, batch: str, request: str) -> int:
    """Say which merged pull request has shipped a blocked batch.

    It must have been merged into the batch's target, with the batch's own head, after the batch was formed.
    """
    from gitsched.engine.intake.attaching import AttachRequest, attach

    answer = attach(call.store, call.clone.served_forge, AttachRequest(batch, request), call.actor)
    call.clone.wake_all()
    call.tell(f"{answer.batch} has shipped with pull request {answer.number}; `gitsched tick` reports it.")
    return 0
