"""`gitsched tick`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched tick --until-idle")
@click.option("--until-idle", is_flag=True, help="Passes until nothing live remains.")
@click.option(
    "--until-blocked", is_flag=True, help="Likewise, without waiting for other hosts' runs (75 where those are left)."
)
def tick(call: Call, *, until_idle: bool, until_blocked: bool) -> int:
    """Make one pass, or passes until nothing is live.

    For whoever drives by an event or a timer of their own; `gitsched run --once` is the same. It waits for what runs,
    and for no window that is not open yet.
    """
    from gitsched.cli.driving import drive, refuse_unready
    from gitsched.engine.driver import Until

    refuse_unready(call.clone)
    call.set_up()
    if until_idle:
        return drive(call, Until.DRAINED, None)
    return drive(call, Until.BLOCKED if until_blocked else Until.ONCE, None)
