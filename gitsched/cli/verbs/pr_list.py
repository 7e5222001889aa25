"""`gitsched pr list`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.reaching import reached
from gitsched.cli.verb import verb


@verb(name="list", example="gitsched pr list", reads=True)
@click.option("--all", "closed_too", is_flag=True, help="Merged and closed ones too.")
def list_(call: Call, *, closed_too: bool, as_json: bool) -> int:
    """List pull requests."""
    from gitsched.view.issues import render_requests, request_document
    from gitsched.view.json_text import document_text

    found = [
        request
        for request in reached(call.clone.served_forge.pull_requests())
        if closed_too or request.state in ("draft", "open")
    ]
    if as_json:
        call.show(document_text({"requests": [request_document(request) for request in found]}))
    else:
        call.show(render_requests(found, call.look))
    return 0
