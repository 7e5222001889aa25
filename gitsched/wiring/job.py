"""What the Action's job needs of a clone: its credentials, its history, the intake, and the picture of it all."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gitsched.wiring.clone import Clone

if TYPE_CHECKING:
    from gitsched.domain.deliveries import Delivery


def begin(clone: Clone, environment: Mapping[str, str]) -> dict[str, str]:
    """Fetch what the checkout lacks, set the store up, and give the variables by which GitHub and git are asked.

    Raises TemporaryError where the remote gives no answer.
    """
    from gitsched.adapters.git.deepening import deepen
    from gitsched.domain.records import Control

    settings = clone.settings
    credentials = credentials_of(clone, environment)
    os.environ.update(credentials)
    if settings.project.remote:
        deepen(clone.common_dir, settings.project.remote, settings.project.target)
    clone.store.initialise(Control(slots_max=settings.slots.max))
    return credentials


def has_ref(clone: Clone, name: str) -> bool:
    """Say whether a ref is there, before anything of the configuration is known."""
    from gitsched.adapters.store.refs import read_ref

    return read_ref(clone.place, name) is not None


def credentials_of(clone: Clone, environment: Mapping[str, str]) -> dict[str, str]:
    """Give the variables by which GitHub and git are asked, and what the token may do as far as that is known."""
    from gitsched.adapters.forge.github.connect import WORKFLOWS
    from gitsched.adapters.forge.github.git_side import secret_for

    app_id, key = environment.get("INPUT_APP_ID", ""), environment.get("INPUT_PRIVATE_KEY", "")
    token, rights = environment.get("INPUT_TOKEN", ""), dict[str, str]()
    if app_id and key:
        from gitsched.wiring.github import installation_token

        token, _, granted = installation_token(clone, app_id, key, environment.get("GITHUB_REPOSITORY", ""))
        rights = {WORKFLOWS: granted.get("workflows", "none")}
    elif environment.get("GITSCHED_DEFAULT_TOKEN") == "true":
        rights = {WORKFLOWS: "none"}  # a workflow's own token never may
    if not token:
        return {}
    name = clone.settings.github.token_env or "GITHUB_TOKEN"
    return {name: token, **secret_for(environment.get("GITHUB_SERVER_URL", "https://github.com"), token), **rights}


def take_in(clone: Clone, delivery: "Delivery | None") -> str:
    """Work the event off, look for what was missed, and say what it came to. Raises TemporaryError."""
    from gitsched.engine.deliveries.draining import attend
    from gitsched.engine.deliveries.looking_again import expect_all_heard, poll_comments
    from gitsched.wiring.commands import conversation_of, office_of

    clone.catch_up()
    office = office_of(clone, conversation_of(clone))
    office.reconcile()
    outcome = "none" if delivery is None else attend(office, delivery)
    expect_all_heard(poll_comments(office))
    return outcome


def status_of(clone: Clone) -> dict[str, Any]:
    """Give the status document of everything, ended batches too."""
    from gitsched.engine.looking import picture_in
    from gitsched.view.status import status_document

    return status_document(picture_in(clone.situation(), clone.store.tip), include_ended=True)


def screen_of(document: dict[str, Any]) -> str:
    """Write a status document as a screen of text."""
    from gitsched.view.screen import render_screen
    from gitsched.view.table import Look

    return render_screen(document, Look(), include_ended=True)
