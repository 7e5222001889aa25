"""`gitsched stats`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched stats --by day", reads=True)
@click.option("--by", type=click.Choice(["member", "batch", "day"]), default="batch", show_default=True)
def stats(call: Call, *, by: str, as_json: bool) -> int:
    """Sum up what work cost.

    Runs, money, tokens, agents' and suites' time, ended batches included. What some run did not report is counted
    apart: a sum with `≥` is at least that much.
    """
    from gitsched.cli.looking import situation_of
    from gitsched.view.stats import render_stats, stats_document, stats_rows

    situation = situation_of(call.clone.with_ended())
    rows = stats_rows(situation.state, by, situation.zone)
    if as_json:
        from gitsched.view.json_text import document_text

        call.show(document_text(stats_document(rows)))
    else:
        call.show(render_stats(rows, by, call.look))
    return 0
