"""`gitsched schedule list`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="list", example="gitsched schedule list --json", reads=True)
@click.option("--all", "include_ended", is_flag=True, help="Those that are over too.")
def list_(call: Call, *, include_ended: bool, as_json: bool) -> int:
    """List schedules, with what each waits for."""
    from gitsched.cli.looking import situation_of
    from gitsched.view.json_text import document_text
    from gitsched.view.schedules import render_schedules, schedules_document

    document = schedules_document(situation_of(call.clone).state, include_ended=include_ended)
    call.show(document_text(document) if as_json else render_schedules(document, call.look))
    return 0
