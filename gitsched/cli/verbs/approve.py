"""`gitsched approve`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched approve s1 4f1c6e0a2b7d9835")
@click.argument("schedule")
@click.argument("token")
def approve(call: Call, schedule: str, token: str) -> int:
    """Approve a schedule by the token of its packet.

    `gitsched schedule show` prints both. Whatever changes afterwards makes the approval void.
    """
    from gitsched.cli.looking import situation_of
    from gitsched.engine.intake.booking import approve_schedule, schedule_named
    from gitsched.engine.intake.issues import read_issues
    from gitsched.engine.packet import issues_in

    clone = call.clone
    situation = situation_of(clone)
    texts = read_issues(clone.served_forge, issues_in(situation.state, schedule_named(situation.state, schedule)))
    approved = approve_schedule(call.store, situation, clone.refs, texts, (schedule, token), call.actor)
    clone.runner.wake_all()
    call.tell(f"{approved.id} is approved; it opens at {approved.opens_at}.")
    return 0
