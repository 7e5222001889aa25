"""`gitsched worker`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched worker .git/gitsched/runs/b1/3/0/order.json")
@click.argument("order", type=click.Path(exists=True, dir_okay=False))
def worker(call: Call, order: str) -> int:
    """Run one agent (internal).

    Started by a driver for each run. Exit code 75: another worker has this run.
    """
    from gitsched.errors import BusyError
    from gitsched.wiring.worker import main

    if not main(str(call.directory / order)):
        raise BusyError(
            f"The run of {order} was to be worked.", "Another worker has it.", "`gitsched status` shows it."
        )
    return 0
