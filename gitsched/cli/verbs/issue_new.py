"""`gitsched issue new`."""

import sys
from pathlib import Path

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import UsageError, in_words


@verb(name="new", example='gitsched issue new --title "Greet by name" --label good-first --files "src/greet/**"')
@click.option("--title", required=True, metavar="T", help="One line.")
@click.option("--body", metavar="TEXT", help="What is asked for.")
@click.option("--body-file", metavar="FILE", help="The text in this file; `-` for standard input.")
@click.option("--label", "labels", multiple=True, metavar="L", help="May be given again.")
@click.option("--files", multiple=True, metavar="GLOB", help="What the work may write; may be given again.")
@click.option("--deps", metavar="N,…", help="Issues that must have shipped first.")
@click.option("--milestone", metavar="M", help="The milestone it belongs to.")
def new(  # many-parameters: click hands each option over
    call: Call,
    title: str,
    body: str | None,
    body_file: str | None,
    labels: tuple[str, ...],
    files: tuple[str, ...],
    deps: str | None,
    milestone: str | None,
) -> int:
    """Make an issue and print its number."""
    from gitsched.domain.forge import IssueDraft
    from gitsched.engine.intake import values
    from gitsched.wiring.operator import tracker_of

    draft = IssueDraft(
        title=title,
        body=body_text(call, body, body_file) or "",
        labels=labels,
        deps=values.issue_numbers(deps) if deps is not None else (),
        files=tuple(values.checked_glob(glob) for glob in files),
        milestone=milestone,
    )
    call.show(str(tracker_of(call.clone).new_issue(draft)))
    return 0


def body_text(call: Call, body: str | None, body_file: str | None) -> str | None:
    """Give the text that was written or named; None where there is neither. Raises UsageError for both."""
    if body is not None and body_file is not None:
        raise UsageError("A text was to be taken.", "--body and --body-file were given.", "Give one of the two.")
    if body_file is None:
        return body
    try:
        if body_file == "-":
            return sys.stdin.read()
        return (call.directory / Path(body_file)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(
            f"The text in '{body_file}' was to be taken.", f"That failed: {in_words(wrong)}.", "Name a text file."
        ) from wrong
