"""`gitsched app manifest`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="manifest", example="gitsched app manifest --name acme-gitsched", reads=True)
@click.option("--name", default="gitsched", help="What the App is called on GitHub.")
@click.option("--webhook-url", metavar="URL", help="Where the webhook service is reached.")
@click.option("--workflows", is_flag=True, help="Members may change workflow files.")
def manifest(call: Call, name: str, webhook_url: str | None, *, workflows: bool, as_json: bool) -> int:  # noqa: ARG001 - it is JSON either way
    """Show what GitHub would be asked for.

    Nothing is asked, and nothing is made.
    """
    from gitsched.view.json_text import document_text
    from gitsched.wiring.github_app import app_manifest

    call.show(document_text(app_manifest(name, webhook_url, changes_workflows=workflows)))
    return 0
