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
@click.option("--dashboard", is_flag=True, help="Only the dashboard: no deliveries, no driver, no secret needed.")
def serve(call: Call, *, host: str, port: int, dashboard: bool) -> int:
    """Serve GitHub's webhooks, and the dashboard.

    Of this clone, or of every bare clone under `github.repositories_dir`. Takes deliveries in, works them off, and
    keeps a driver at work where there is work. Its first page is the dashboard, which only looks: live, with the
    keyboard, on a phone; on loopback without a login, from elsewhere with the token that `github.dashboard_token_env`
    names. Ends on TERM after what is in hand.
    """
    face = import_module(_FACE)
    serving = face.serve_dashboard if dashboard else face.serve
    ended: int = serving(call.directory, host, port, call.remark)
    return ended
