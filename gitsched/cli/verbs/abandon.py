"""`gitsched abandon`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched abandon b1 --keep")
@click.argument("batch")
@click.option("--keep", is_flag=True, help="Park the members instead of queueing them again.")
def abandon(call: Call, batch: str, *, keep: bool) -> int:
    """Give a batch up.

    What has not shipped goes back to the queue, each issue on its own; with --keep it is parked on its branch.
    """
    from gitsched.engine.intake.ending import AbandonRequest
    from gitsched.engine.intake.ending import abandon as give_up

    clone = call.clone
    answer = give_up(call.store, AbandonRequest(batch, keep=keep), call.actor)
    clone.runner.wake_all()
    call.tell(f"{answer.batch} is being given up; issues: {', '.join(map(str, answer.issues)) or 'none'}.")
    return 0
