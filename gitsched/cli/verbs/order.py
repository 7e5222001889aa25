"""`gitsched order`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched order b1 14 12")
@click.argument("batch")
@click.argument("issues", nargs=-1, required=True, metavar="ISSUE...")
def order(call: Call, batch: str, issues: tuple[str, ...]) -> int:
    """Say in which order a forming batch's members land.

    Members that are not named follow in their present order; none lands before one that it depends on.
    """
    from gitsched.engine.intake.ordering import OrderRequest
    from gitsched.engine.intake.ordering import order as put_in_order
    from gitsched.engine.intake.values import issue_number

    clone = call.clone
    answer = put_in_order(call.store, OrderRequest(batch, tuple(map(issue_number, issues))), call.actor)
    clone.runner.wake_all()
    call.tell(f"{answer.batch} lands in this order: {', '.join(map(str, answer.members))}.")
    return 0
