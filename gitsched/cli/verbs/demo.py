"""`gitsched demo`."""

import tempfile
from pathlib import Path

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import RefusedError


@verb(example="gitsched demo --keep shop")
@click.option("--keep", metavar="DIR", help="Play in DIR, and leave DIR/repo and DIR/report.html.")
def demo(call: Call, keep: str | None) -> int:
    """See it done: a small project in which one of everything goes wrong.

    Real agents (scripts), real worktrees, gates, landing and suite, in a folder of its own; nothing outside it is
    touched. Ends with 0 when everything came to what it should.
    """
    from gitsched.cli.demo.play import WRONG, play
    from gitsched.cli.demo.stage import Stage

    stage, code = Stage(_folder(call, keep)), None
    try:
        code = play(call, stage)
    finally:
        stage.clear(keeps_repo=keep is not None or code == WRONG)
    return code


def _folder(call: Call, keep: str | None) -> Path:
    """Make the folder; an existing one must be empty. Without a name it is a temporary one."""
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="gitsched-demo-")).resolve()
    folder = (call.directory / keep).resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RefusedError(
            f"The demo was to be played in '{folder}'.",
            "There is something already.",
            "Name a folder that does not exist yet, or an empty one.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder
