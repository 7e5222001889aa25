"""The command line: `gitsched VERB …`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from gitsched.cli.call import Call
from gitsched.cli.catalogue import VERBS
from gitsched.cli.fault import guarded
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.verb import SETTINGS, kept

_EXAMPLE = "Example:\n\n  gitsched init && gitsched doctor\n  gitsched run 12 14 15"


@click.group(cls=LazyGroup, sections=VERBS, context_settings=SETTINGS, epilog=kept(_EXAMPLE))
@click.option("-C", "directory", metavar="DIR", default=".", help="Work as if started in DIR.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no confirmation.")
@click.version_option(package_name="gitsched", prog_name="gitsched")
@click.pass_context
def gitsched(context: click.Context, *, directory: str, quiet: bool) -> None:
    """Run an agent on every queued issue, land the work in order, prove it and ship it."""
    context.obj = Call(Path(directory), is_quiet=quiet)


def run(argv: Sequence[str]) -> int:
    """Run one command line and give its exit code."""
    return guarded(lambda: gitsched.main(list(argv), prog_name="gitsched", standalone_mode=False), argv)


def main() -> None:
    """Run the command line of this process, and end it."""
    sys.exit(run(sys.argv[1:]))
