"""Making a GitHub App: where its page leads, and where its secrets are kept."""

from typing import TYPE_CHECKING, Any, NamedTuple

from gitsched.adapters.forge.github.connect import host_of
from gitsched.domain.instants import moment_of

if TYPE_CHECKING:
    from gitsched.adapters.forge.github.manifest import AppPage, MadeApp
    from gitsched.wiring.clone import Clone


class AppRequest(NamedTuple):
    """What was asked for."""

    name: str
    organization: str | None
    webhook_url: str | None
    changes_workflows: bool


def app_manifest(name: str, webhook_url: str | None, *, changes_workflows: bool) -> dict[str, Any]:
    """Give the manifest that GitHub would be asked with."""
    from gitsched.adapters.forge.github.manifest import LOCAL, Wanted, manifest_of

    wanted = Wanted(name=name, webhook_url=webhook_url, changes_workflows=changes_workflows)
    return manifest_of(wanted, f"http://{LOCAL}/made")


def app_page(clone: "Clone", request: AppRequest, port: int) -> "AppPage":
    """Serve the page that leads to GitHub."""
    from gitsched.adapters.forge.github.manifest import AppPage, Wanted

    wanted = Wanted(
        name=request.name,
        organization=request.organization,
        webhook_url=request.webhook_url,
        changes_workflows=request.changes_workflows,
    )
    return AppPage(f"https://{host_of(clone.settings_or_default.github.api_url)}", wanted, port)


def made_app(clone: "Clone", code: str) -> "MadeApp":
    """Trade the code for the App, its secrets kept beside the operator's own configuration."""
    from platformdirs import user_config_path

    from gitsched.adapters.forge.github.manifest import convert

    api_url = clone.settings_or_default.github.api_url
    return convert(api_url, code, user_config_path("gitsched"), lambda: moment_of(clone.clock.now()).timestamp())
