"""`gitsched serve`."""

from importlib import import_module

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

_FACE = "webhook.serving"
"""A face beside this one: it is found by its name, for neither may import the other."""


@verb(example="gitsched serve --port 8080")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
def serve(call: Call, *, host: str, port: int) -> int:
    """Serve GitHub's webhooks.

    Of this clone, or of every bare clone under `github.repositories_dir`. Takes deliveries in, works them off, and
    keeps a driver at work where there is work. Ends on TERM after what is in hand.
    """
    ended: int = import_module(_FACE).serve(call.directory, host, port, call.progress)
    return ended
