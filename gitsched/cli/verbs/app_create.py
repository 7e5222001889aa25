"""`gitsched app create`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

PATIENCE_S = 1800.0


@verb(name="create", example="gitsched app create --organization acme")
@click.option("--organization", metavar="ORG", help="Whose App it is; yours when left out.")
@click.option("--name", default="gitsched", help="What the App is called on GitHub.")
@click.option("--webhook-url", metavar="URL", help="Where the webhook service is reached.")
@click.option("--workflows", is_flag=True, help="Members may change workflow files.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where the page is served; 0: anywhere free.")
def create(
    call: Call, organization: str | None, name: str, webhook_url: str | None, *, workflows: bool, port: int
) -> int:  # many-parameters: each is an option
    """Make the GitHub App and keep its secrets.

    A page on this machine leads to GitHub. The secrets are kept in files that only you can read, and none is shown.
    """
    from gitsched.wiring.github_app import AppRequest, app_page, made_app

    request = AppRequest(name, organization, webhook_url, workflows)
    page = app_page(call.clone, request, port)
    call.remark(f"Open {page.url} in your browser.")
    made = made_app(call.clone, page.wait(PATIENCE_S))
    call.tell(
        f"The App {made.slug} is made. Write this into gitsched.toml:\n\n"
        f'[github]\napp_id = {made.id}\nprivate_key_file = "{made.private_key_file}"\n\n'
        f"Install it on your repository: {made.page}/installations/new"
    )
    return 0
