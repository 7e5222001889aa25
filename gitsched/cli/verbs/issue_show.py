"""`gitsched issue show`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.reaching import reached
from gitsched.cli.verb import verb


@verb(name="show", example="gitsched issue show 12", reads=True)
@click.argument("number", metavar="N")
def show(call: Call, number: str, *, as_json: bool) -> int:
    """Show an issue with its comments."""
    from gitsched.engine.intake.values import issue_number
    from gitsched.view.issues import comment_document, issue_document, render_issue
    from gitsched.view.json_text import document_text
    from gitsched.wiring.operator import tracker_of

    issue = tracker_of(call.clone).issue(issue_number(number))
    comments = reached(call.clone.served_forge.comments(issue.number))
    if as_json:
        call.show(document_text({**issue_document(issue), "comments": [comment_document(c) for c in comments]}))
    else:
        call.show(render_issue(issue, comments))
    return 0
