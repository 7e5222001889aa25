"""`gitsched ship`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.cli.verbs.pr_merge import merge_now
from gitsched.cli.verbs.pr_show import request_named
from gitsched.errors import RefusedError


@verb(example="gitsched ship b1")
@click.argument("batch")
def ship(call: Call, batch: str) -> int:
    """Merge a batch's pull request now.

    It is done as `ship.merge` says. With `direct` and `manual` it is merged at once, on the very tree that the suite
    judged. `auto`, `queue` and `label:NAME` leave it to the forge, which merges as soon as its rules let it.
    """
    from gitsched.engine.intake.names import batch_named
    from gitsched.wiring.operator import leave_to_forge

    found = batch_named(call.store.read(), batch)
    if found.pr is None:
        asked, against = f"{found.id} was to be merged.", f"It is {found.status}, and has no pull request."
        raise RefusedError(asked, against, f"`gitsched why {found.id}` tells what is next.")
    mechanism = leave_to_forge(call.clone, found)
    if mechanism is None:
        return merge_now(call, request_named(call, str(found.pr.number)))
    call.clone.wake_all()
    call.tell(f"Pull request {found.pr.number} is left to '{mechanism}'. `gitsched why {found.id}` tells more.")
    return 0
