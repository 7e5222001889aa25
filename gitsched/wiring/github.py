"""GitHub behind the Forge port: the settings of a clone, its credential, and the wire."""

import os
from typing import TYPE_CHECKING

from gitsched.adapters.forge.github.connect import Connection, connect

if TYPE_CHECKING:
    from gitsched.adapters.forge.github.forge import GitHubForge
    from gitsched.wiring.clone import Clone


def github_connection(clone: "Clone") -> Connection:
    """Find the repository and a credential; nothing is asked. Raises ConfigError where either is missing."""
    settings = clone.settings
    return connect(settings.github, settings.project.remote, clone.common_dir, (os.environ, clone.clock))


def github_forge(clone: "Clone") -> "GitHubForge":
    """Give GitHub as a clone's configuration names it."""
    from gitsched.adapters.forge.github.forge import GitHubForge, Looks
    from gitsched.adapters.forge.github.wire import Wire

    settings, reached = clone.settings, github_connection(clone)
    wire = Wire(reached.api_url, reached.credential, reached.pace)
    word, _, label = settings.ship.merge.partition(":")
    looks = Looks(
        issues_s=settings.labels.interval_s,
        requests_s=settings.watch.interval_s,
        label=label if word == "label" else None,
    )
    return GitHubForge(clone.common_dir, wire, reached.credential, reached.full_name, clone.clock, looks)


def credential_answer(asked: str) -> str:
    """Answer git's credential helper protocol from this process's environment; empty where that holds nothing."""
    from gitsched.adapters.forge.github.git_side import credential_lines

    return credential_lines(asked, dict(os.environ))
