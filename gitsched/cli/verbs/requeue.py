"""`gitsched requeue`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched requeue 12 --into b3")
@click.argument("issue")
@click.option("--into", metavar="BATCH", help="A forming batch that it joins.")
@click.option("--allow", multiple=True, metavar="hazard:KIND", help="Let this hazard through; may be given again.")
def requeue(call: Call, issue: str, into: str | None, allow: tuple[str, ...]) -> int:
    """Send a parked issue back to work.

    It continues from its kept branch, and its agent is told what happened before.
    """
    from gitsched.engine.intake.requeueing import RequeueRequest
    from gitsched.engine.intake.requeueing import requeue as requeue_issue

    clone = call.clone
    request = RequeueRequest(issue=issue, into=into, allow=allow)
    answer = requeue_issue(call.store, clone.settings, request, call.actor)
    clone.runner.wake_all()
    where = f"a member of {answer.batch}" if answer.batch else "queued"
    call.tell(f"Issue {answer.issue} is {where}" + (f", and continues from {answer.branch}." if answer.branch else "."))
    return 0
