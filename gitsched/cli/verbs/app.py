"""`gitsched app …`: the GitHub App."""

import click

from gitsched.cli.catalogue import APP_VERBS
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.verb import SETTINGS, kept

_EXAMPLE = "Example:\n\n  gitsched app create --organization acme"


@click.group("app", cls=LazyGroup, sections=APP_VERBS, prefix="app_", context_settings=SETTINGS, epilog=kept(_EXAMPLE))
def app() -> None:
    """Make the GitHub App as which gitsched acts, with the least rights."""
