"""`gitsched hold`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example='gitsched hold 12 --reason "waiting for the design"')
@click.argument("issue")
@click.option("--reason", metavar="R", help="Why, as one line.")
def hold(call: Call, issue: str, reason: str | None) -> int:
    """Keep an issue where it is.

    It does not start and does not land; an agent at work is not ended. `unhold` and `resume` let it go on.
    """
    from gitsched.engine.intake.holding import HoldRequest
    from gitsched.engine.intake.holding import hold as keep

    clone = call.clone
    answer = keep(call.store, HoldRequest(issue, reason) if reason is not None else HoldRequest(issue), call.actor)
    clone.runner.wake_all()
    call.tell(f"{answer.issue} is held: {answer.hold}.")
    return 0
