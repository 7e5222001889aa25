"""`gitsched worker`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched worker --run b1/3/0/1a2b3c4d --remote https://example.org/acme/shop.git")
@click.argument("order", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--run", "run", metavar="RUN", help="The run to work on this machine, for a driver on another one.")
@click.option("--remote", metavar="ADDRESS", help="Where the repository is; by default where this clone is from.")
def worker(call: Call, order: str | None, run: str | None, remote: str | None) -> int:
    """Run one agent (internal).

    Started by a driver for each run; on another machine by the job that `dispatch.backend` asks for. Exit code 75:
    another worker has this run, or nobody needs it any more.
    """
    from gitsched.errors import BusyError, UsageError

    if (order is None) == (run is None):
        raise UsageError("A run was to be worked.", "Either an ORDER or `--run` names it.", "Give one of them.")
    if order is not None:
        from gitsched.wiring.worker import main

        is_done = main(str(call.directory / order))
    else:
        from gitsched.wiring.far import origin_of, work_far

        is_done = work_far(run or "", remote or origin_of(call.directory))
    if not is_done:
        raise BusyError(
            f"The run of {order or run} was to be worked.",
            "Another worker has it, or nobody needs it any more.",
            "`gitsched status` shows it.",
        )
    return 0
