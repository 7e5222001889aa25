"""`gitsched release`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched release 4")
@click.argument("issue")
def release(call: Call, issue: str) -> int:
    """Give a claimed issue back, work kept.

    Its tree and its commits stay; whoever works it next goes on there.
    """
    from gitsched.engine.claiming import release as give_back

    member = give_back(call.store, issue, call.actor)
    call.clone.runner.wake_all()
    call.tell(f"Issue {member.issue} waits again; its work is on {member.branch}.")
    return 0
