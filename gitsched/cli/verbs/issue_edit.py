"""`gitsched issue edit`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.cli.verbs.issue_new import body_text


@verb(name="edit", example="gitsched issue edit 12 --remove-label decision-pending")
@click.argument("number", metavar="N")
@click.option("--add-label", "added", multiple=True, metavar="L", help="May be given again.")
@click.option("--remove-label", "removed", multiple=True, metavar="L", help="May be given again.")
@click.option("--title", metavar="T", help="A new title.")
@click.option("--body", metavar="TEXT", help="A new text.")
@click.option("--body-file", metavar="FILE", help="A new text, in this file.")
def edit(  # many-parameters: click hands each option over
    call: Call,
    number: str,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    title: str | None,
    body: str | None,
    body_file: str | None,
) -> int:
    """Change an issue's title, text or labels."""
    from gitsched.engine.intake.values import issue_number
    from gitsched.wiring.operator import tracker_of

    issue = tracker_of(call.clone).edit_issue(
        issue_number(number),
        add_labels=added,
        remove_labels=removed,
        title=title,
        body=body_text(call, body, body_file),
    )
    call.clone.wake_all()
    call.tell(f"Issue {issue.number} is changed.")
    return 0
