"""`gitsched pr show`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.reaching import reached
from gitsched.cli.verb import verb
from gitsched.errors import UnknownUnitError

if TYPE_CHECKING:
    from gitsched.domain.forge import PullRequestView


@verb(name="show", example="gitsched pr show 7", reads=True)
@click.argument("number", metavar="N")
def show(call: Call, number: str, *, as_json: bool) -> int:
    """Show a pull request."""
    from gitsched.view.issues import render_request, request_document
    from gitsched.view.json_text import document_text

    request = request_named(call, number)
    call.show(document_text(request_document(request)) if as_json else render_request(request))
    return 0


def request_named(call: Call, number: str) -> "PullRequestView":
    """Find the pull request of that number. Raises UnknownUnitError."""
    from gitsched.engine.intake.values import issue_number

    wanted = issue_number(number)
    found = reached(call.clone.served_forge.pull_request(wanted))
    if found is None:
        asked = f"Pull request {wanted} was named."
        raise UnknownUnitError(asked, "There is no pull request of that number.", "`gitsched pr list --all` lists all.")
    return found
