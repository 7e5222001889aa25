"""`gitsched seal`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched seal b1")
@click.argument("batch")
def seal(call: Call, batch: str) -> int:
    """Fix a batch's members and settings.

    The batch goes from forming to ready; from then on its order never changes.
    """
    from gitsched.engine.intake.sealing import SealRequest
    from gitsched.engine.intake.sealing import seal as seal_batch

    clone = call.clone
    answer = seal_batch(call.store, clone.settings, SealRequest(batch), call.actor)
    clone.runner.wake_all()
    call.tell(f"{answer.batch} is ready: {', '.join(map(str, answer.members))}, in this order.")
    return 0
