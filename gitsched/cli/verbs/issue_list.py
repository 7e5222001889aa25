"""`gitsched issue list`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.reaching import reached
from gitsched.cli.verb import verb


@verb(name="list", example="gitsched issue list --label good-first", reads=True)
@click.option("--label", metavar="L", help="Only those with this label.")
@click.option("--all", "closed_too", is_flag=True, help="Closed ones too.")
def list_(call: Call, label: str | None, *, closed_too: bool, as_json: bool) -> int:
    """List issues."""
    from gitsched.view.issues import issue_document, render_issues
    from gitsched.view.json_text import document_text

    found = sorted(reached(call.clone.served_forge.issues()).values(), key=lambda issue: issue.number)
    shown = [issue for issue in found if (closed_too or issue.is_open) and (label is None or label in issue.labels)]
    if as_json:
        call.show(document_text({"issues": [issue_document(issue) for issue in shown]}))
    else:
        call.show(render_issues(shown, call.look))
    return 0
