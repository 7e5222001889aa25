"""`gitsched pr …`: the local forge's pull requests."""

import click

from gitsched.cli.catalogue import PR_VERBS
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.verb import SETTINGS, kept

_EXAMPLE = "Example:\n\n  gitsched pr merge 7"


@click.group("pr", cls=LazyGroup, sections=PR_VERBS, prefix="pr_", context_settings=SETTINGS, epilog=kept(_EXAMPLE))
def pr() -> None:
    """Read and merge the pull requests of the local forge."""
