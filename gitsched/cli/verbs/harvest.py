"""`gitsched harvest`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched harvest")
@click.argument("batches", nargs=-1, metavar="[BATCH]...")
@click.option("--list", "only_shows", is_flag=True, help="Only show what is ripe.")
def harvest(call: Call, batches: tuple[str, ...], *, only_shows: bool) -> int:
    """Land what schedules have made.

    Those named, or all that are ripe, one after the other, each on what its target is by then and tested again where
    that has moved. `gitsched discard` drops a result instead.
    """
    from gitsched.cli.driving import drive, refuse_unready
    from gitsched.domain.words import LANDED_MEMBERS
    from gitsched.engine.driver import Until
    from gitsched.engine.intake.harvesting import harvest as let_land
    from gitsched.engine.intake.harvesting import ripe
    from gitsched.view.schedules import render_ripe

    found = ripe(call.clone.store.read())
    call.tell(render_ripe(found, call.look))
    if only_shows or not (found or batches):
        return 0
    refuse_unready(call.clone)
    answer = let_land(call.store, batches, call.actor)
    state = call.clone.store.read()
    merging = [one for batch in answer.batches for one in state.members_of(state.batches[batch])]
    issues = [member.issue for member in merging if member.status in LANDED_MEMBERS]
    return drive(call, Until.SETTLED, issues)
