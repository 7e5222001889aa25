"""`gitsched issue import`."""

from pathlib import Path

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import UsageError, in_words


@verb(name="import", example="gitsched issue import issues/*.md")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def import_(call: Call, files: tuple[str, ...]) -> int:
    """Make issues of Markdown files.

    Front matter may hold title, labels, deps, files and milestone. All files, or none where one does not parse;
    prints the numbers in the order of the files.
    """
    from gitsched.wiring.operator import tracker_of

    texts = [(name, _text(call.directory / name)) for name in files]
    for number in tracker_of(call.clone).import_issues(texts):
        call.show(str(number))
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(
            f"'{path}' was to be imported.", f"It cannot be read: {in_words(wrong)}.", "Name UTF-8 text files."
        ) from wrong
