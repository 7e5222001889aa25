"""`gitsched claim`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched claim 4")
@click.argument("issue")
def claim(call: Call, issue: str) -> int:
    """Work an issue by hand, in a tree of its own.

    It gets a slot like any other, and passes the same gates. In the tree, `gitsched done` hands the work over and
    `gitsched hand-back` says that it cannot be done; `gitsched release` gives it back. Setup commands are run first.
    """
    from gitsched.cli.driving import refuse_unready
    from gitsched.engine.claiming import claim as take
    from gitsched.wiring.operator import desk_of

    refuse_unready(call.clone)
    call.set_up()
    with desk_of(call.clone) as desk:
        given = take(desk, issue, call.actor)
    call.tell(f"Issue {given.issue} is yours, on {given.branch}. Its tree:")
    call.show(str(given.place))
    return 0
