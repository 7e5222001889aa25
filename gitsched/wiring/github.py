"""GitHub behind the Forge port: the settings of a clone, its credential, and the wire."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gitsched.adapters.forge.github.connect import Connection, connect
from gitsched.domain.ids import branch_ref
from gitsched.domain.instants import moment_of
from gitsched.errors import ConfigError
from gitsched.policy.forge_checkup import ForgeLook

if TYPE_CHECKING:
    from gitsched.adapters.forge.github.conversation import GitHubConversation
    from gitsched.adapters.forge.github.courier import GitHubCourier
    from gitsched.adapters.forge.github.credentials import Renewed
    from gitsched.adapters.forge.github.forge import GitHubForge
    from gitsched.adapters.forge.github.milestones import GitHubMilestones
    from gitsched.adapters.forge.github.repository import Repository
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
    looks = Looks(
        issues_s=settings.labels.interval_s,
        requests_s=settings.watch.interval_s,
        label=settings.ship.merge_by.label or None,
    )
    return GitHubForge(clone.common_dir, wire, reached.credential, reached.full_name, clone.clock, looks)


def credential_answer(asked: str) -> str:
    """Answer git's credential helper protocol from this process's environment; empty where that holds nothing."""
    from gitsched.adapters.forge.github.git_side import credential_lines

    return credential_lines(asked, dict(os.environ))


def github_conversation(clone: "Clone") -> "GitHubConversation":
    """Give the comments of a clone's repository on GitHub."""
    from gitsched.adapters.forge.github.comments import Comments
    from gitsched.adapters.forge.github.conversation import GitHubConversation

    repository = _repository(clone)
    return GitHubConversation(repository, Comments(repository, clone.clock.now))


def github_milestones(clone: "Clone") -> "GitHubMilestones":
    """Give the GitHub milestones of a clone's repository."""
    from gitsched.adapters.forge.github.milestones import GitHubMilestones

    return GitHubMilestones(_repository(clone))


def github_courier(clone: "Clone") -> "GitHubCourier | None":
    """Give the App's list of deliveries; None where no App is configured: only an App can ask for them."""
    from gitsched.adapters.forge.github.app import AppClaim
    from gitsched.adapters.forge.github.courier import GitHubCourier
    from gitsched.adapters.forge.github.credentials import read_key
    from gitsched.adapters.forge.github.wire import Wire

    settings = clone.settings
    if settings.project.forge == "local" or settings.github.app_id is None:
        return None
    reached, app_id = github_connection(clone), str(settings.github.app_id)
    claim = AppClaim(app_id, read_key(Path(settings.github.private_key_file).expanduser()), _now_s(clone))
    wire = Wire(reached.api_url, claim, reached.pace)
    claim.skew_s = lambda: wire.skew_s
    return GitHubCourier(wire)


def installation_token(clone: "Clone", app_id: str, private_key: str, full_name: str) -> "Renewed":
    """Give a token of an App's installation for one repository, with its rights. Raises GitschedError."""
    from gitsched.adapters.forge.github.app import AppClaim, Installation
    from gitsched.adapters.forge.github.pace import Pace

    now_s, name = _now_s(clone), clone.settings.github.repository or full_name
    claim = AppClaim(app_id, private_key, now_s)
    return Installation(clone.settings.github.api_url.rstrip("/"), claim, name, Pace(now_s)).renew()


def _now_s(clone: "Clone") -> "Callable[[], float]":
    return lambda: moment_of(clone.clock.now()).timestamp()


def _repository(clone: "Clone") -> "Repository":
    from gitsched.adapters.forge.github.memory import Memory
    from gitsched.adapters.forge.github.repository import Repository
    from gitsched.adapters.forge.github.wire import Wire

    reached = github_connection(clone)
    return Repository(
        Wire(reached.api_url, reached.credential, reached.pace), reached.full_name, Memory(clone.common_dir)
    )


def github_look(clone: "Clone") -> ForgeLook:
    """Look at GitHub for the doctor."""
    from gitsched.adapters.forge.github.checkup import look_at

    try:
        forge = github_forge(clone)
    except ConfigError as wrong:
        return ForgeLook(credential_fault=str(wrong))
    target = clone.settings.project.target
    return replace(look_at(forge, target), has_merge_group=_has_merge_group(clone, target))


def _has_merge_group(clone: "Clone", target: str) -> bool | None:
    from gitsched.adapters.git.process import engine_git

    git, where = engine_git(clone.common_dir), (branch_ref(target), "--", ".github/workflows")
    if not git.run("ls-tree", "-r", "--name-only", *where, check=False).out:
        return None
    return git.run("grep", "-q", "-e", "merge_group", *where, check=False).ok
