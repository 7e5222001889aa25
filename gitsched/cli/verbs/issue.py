"""`gitsched issue …`: the local forge's issues."""

import click

from gitsched.cli.catalogue import ISSUE_VERBS
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.verb import SETTINGS, kept

_EXAMPLE = 'Example:\n\n  gitsched issue new --title "Greet by name" --body "…"'


@click.group(
    "issue", cls=LazyGroup, sections=ISSUE_VERBS, prefix="issue_", context_settings=SETTINGS, epilog=kept(_EXAMPLE)
)
def issue() -> None:
    """Make, read and change the issues of the local forge.

    They live in this repository, under refs/gitsched/forge.
    """
