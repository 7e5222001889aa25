"""`gitsched evict`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched evict 12")
@click.argument("issue")
def evict(call: Call, issue: str) -> int:
    """Take a member out of its batch, work kept.

    Its group leaves with it, and the batch goes on without them: commits that have landed are taken off its branch.
    `gitsched requeue` sends it back to work.
    """
    from gitsched.engine.intake.evicting import EvictRequest, evict_member

    clone = call.clone
    answer = evict_member(call.store, EvictRequest(issue), call.actor)
    clone.runner.wake_all()
    call.tell(f"{', '.join(map(str, answer.issues))} left {answer.batch}; the work is kept.")
    return 0
