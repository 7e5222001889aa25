"""`gitsched status`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched status b1 --json", reads=True)
@click.argument("unit", metavar="[BATCH|ISSUE]", required=False)
@click.option("--all", "include_ended", is_flag=True, help="Ended batches and issues too.")
def status(call: Call, unit: str | None, *, include_ended: bool, as_json: bool) -> int:
    """Show everything on one screen, with reasons.

    Slots, batches with their members in order, the rest of the queue, who drives, and what it cost so far.
    """
    from gitsched.cli.looking import picture_of, unit_named
    from gitsched.view.status import status_document

    clone = call.clone.with_ended() if include_ended or unit is not None else call.clone
    picture = picture_of(clone)
    chosen = unit_named(picture, unit) if unit is not None else None
    document = status_document(picture, chosen, include_ended=include_ended)
    if as_json:
        from gitsched.view.json_text import document_text

        call.show(document_text(document))
    else:
        from gitsched.view.screen import render_screen

        call.show(render_screen(document, call.look, include_ended=include_ended or chosen is not None))
    return 0
