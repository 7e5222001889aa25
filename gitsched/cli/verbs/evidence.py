"""`gitsched evidence …`: what was kept of runs and checks."""

import click

from gitsched.cli.catalogue import EVIDENCE_VERBS
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.verb import SETTINGS, kept

_EXAMPLE = "Example:\n\n  gitsched evidence verify b1"


@click.group(
    "evidence",
    cls=LazyGroup,
    sections=EVIDENCE_VERBS,
    prefix="evidence_",
    context_settings=SETTINGS,
    epilog=kept(_EXAMPLE),
)
def evidence() -> None:
    """Look at what was kept of runs and checks.

    It lives in this repository, under refs/gitsched/evidence; `gitsched show BATCH --evidence` lists it.
    """
