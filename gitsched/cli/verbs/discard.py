"""`gitsched discard`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched discard b2")
@click.argument("batches", nargs=-1, required=True, metavar="BATCH...")
def discard(call: Call, batches: tuple[str, ...]) -> int:
    """Drop what a schedule has made; rescue refs keep it."""
    from gitsched.engine.intake.harvesting import discard as drop

    for batch in batches:
        answer = drop(call.store, call.clone.refs, batch, call.actor)
        kept = f" Its work is kept on {', '.join(answer.refs)}." if answer.refs else ""
        call.tell(f"{answer.batch} is dropped.{kept}")
    call.clone.runner.wake_all()
    return 0
