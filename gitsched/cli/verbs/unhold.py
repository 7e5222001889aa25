"""`gitsched unhold`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched unhold 12")
@click.argument("issue")
def unhold(call: Call, issue: str) -> int:
    """Let a held issue go on.

    As it is: nothing of it is done again. `requeue` does it again.
    """
    from gitsched.engine.intake.holding import UnholdRequest
    from gitsched.engine.intake.holding import unhold as let_go

    clone = call.clone
    answer = let_go(call.store, UnholdRequest(issue), call.actor)
    clone.runner.wake_all()
    call.tell(f"{answer.issue} goes on." if answer.resumed is None else f"{answer.issue} and {answer.resumed} go on.")
    return 0
