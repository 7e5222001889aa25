"""Apps on the hub: keys, installations and tokens."""

from functools import cache
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github.fake.clock import stamp
from tests.github.fake.model import Repository, World
from tests.github.fake.model_apps import App, Installation, Token
from tests.github.fake.shapes import Json

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

TOKEN_S = 3600
PERMISSIONS = {
    **{"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "checks": "write"},
    **{"statuses": "read", "actions": "read", "merge_queues": "read", "deployments": "read"},
}
EVENTS = [
    *("issues", "milestone", "issue_comment", "pull_request", "pull_request_review", "push", "check_run"),
    *("check_suite", "status", "workflow_run", "merge_group", "repository"),
]


@cache
def a_key(which: int = 0) -> tuple[str, str]:
    """Make a pair of private and public key as PEM, once a process for each number."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return private.decode(), key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


class AppVerbs:
    """One App: installed once, on every repository of the hub until it leaves one."""

    def __init__(self, hub: "Hub", app: App, installation: Installation) -> None:
        self._hub, self.model, self.installation = hub, app, installation
        self.private_key = a_key()[0]
        """PEM, as the file of the operator holds it."""
        self._token_count = 0

    @property
    def id(self) -> int:
        return self.model.id

    @property
    def login(self) -> str:
        """As whom it comments."""
        return self._hub.world.users[self.model.bot_id].login

    def join(self, repository: Repository) -> None:
        if repository.id not in self.installation.repositories:
            self.installation.repositories.append(repository.id)

    def leave(self, repository: Repository) -> None:
        """Be taken off a repository: tokens reach it no more."""
        self.installation.repositories.remove(repository.id)

    def grant(self, **permissions: str) -> None:
        """Change what the installation may do: `grant(issues="read")`; tokens made before keep what they have."""
        self.installation.permissions.update(permissions)

    def new_key(self, which: int = 1) -> str:
        """Add a second private key, as a rotation does, and give it; both are good."""
        private, public = a_key(which)
        self.model.public_keys.append(public)
        return private

    def token(self, lifetime_s: float = TOKEN_S, **permissions: str) -> str:
        """Give an installation token without asking for it by HTTP."""
        with self._hub.lock:
            wanted = permissions or self.installation.permissions
            return self.new_token(self.installation, {**wanted, "metadata": "read"}, None, lifetime_s).value

    def new_token(
        self, of: Installation, permissions: dict[str, str], places: list[int] | None, lifetime_s: float = TOKEN_S
    ) -> Token:  # many-parameters: a token
        """Make a token in the new form, which is not 40 characters long."""
        self._token_count += 1
        value = f"ghs_{of.app_id}_eyJfake.{'x' * 60}{self._token_count}.signature"
        made = Token(value, self.model.bot_id, permissions, of.id)
        made.repositories = places
        made.expires_at = self._hub.now_s() + lifetime_s
        self._hub.world.tokens[value] = made
        return made

    def expire_tokens(self) -> None:
        """End all installation tokens now, in the middle of a run."""
        for token in self._hub.world.tokens.values():
            if token.installation_id is not None:
                token.expires_at = self._hub.now_s()

    def suspend(self) -> None:
        self.installation.is_suspended = True

    def manifest_code(self) -> str:
        """Give the code that GitHub's redirect would carry after a manifest was posted; it works once."""
        code = f"code-{self._hub.world.fresh_id()}"
        self._hub.world.manifests[code] = self.id
        return code

    def shown(self, world: World, app: App) -> Json:
        hub = self._hub
        at, page = stamp(app.created_at), f"{hub.web_url}/apps/{app.slug}"
        return {
            **{"id": app.id, "slug": app.slug, "node_id": f"A_{app.id}", "client_id": app.client_id, "name": app.slug},
            **{"owner": hub.shapes(world).user(world.users[app.owner_id]), "description": None},
            **{"external_url": page, "html_url": page, "created_at": at, "updated_at": at},
            **{"permissions": app.permissions, "events": app.events},
        }

    def conversion(self, world: World, app: App) -> Json:
        secrets = {"client_secret": "a client secret", "webhook_secret": app.webhook_secret, "pem": self.private_key}
        return {**self.shown(world, app), **secrets}


def an_app(hub: "Hub", slug: str) -> AppVerbs:
    """Register an App and install it on all there is."""
    with hub.lock:
        world, now_s = hub.world, hub.now_s()
        owner = hub.user("acme", "Organization")
        app = App(
            world.fresh_small_id(),
            slug,
            f"Iv23-{slug}",
            owner.id,
            hub.user(f"{slug}[bot]", "Bot").id,
            now_s,
            dict(PERMISSIONS),
            list(EVENTS),
        )
        app.public_keys.append(a_key()[1])
        world.apps[app.id] = app
        installation = Installation(
            world.fresh_id(), app.id, owner.id, now_s, dict(PERMISSIONS), list(world.repositories)
        )
        world.installations[installation.id] = installation
        return AppVerbs(hub, app, installation)
