"""Who calls: a person's token, an installation's token, or the App's own claim."""

import base64
import binascii
from typing import TYPE_CHECKING, Any

import jwt
from werkzeug.wrappers import Request

from tests.github.fake.calls import Actor, AnsweredError, Call
from tests.github.fake.model import Repository
from tests.github.fake.model_apps import App

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

LONGEST_CLAIM_S = 600
LEEWAY_S = 5.0


def credential_of(request: Request) -> str | None:
    """Take the token out of the header, however it was sent."""
    header = request.headers.get("Authorization", "")
    scheme, _, value = header.partition(" ")
    if scheme.lower() in {"bearer", "token"}:
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return None


def actor_of(hub: "Hub", request: Request) -> Actor | None:
    """Name the caller; None for a request without any credential."""
    value = credential_of(request)
    if value is None:
        return None
    token = hub.world.tokens.get(value)
    if token is None:
        if value.count(".") == 2 and not value.startswith("gh"):
            return _claimed(hub, value)
        raise AnsweredError(401, "Bad credentials")
    if token.expires_at is not None and token.expires_at <= hub.now_s():
        raise AnsweredError(401, "Bad credentials")
    installation = hub.world.installations.get(token.installation_id or 0)
    if token.installation_id is not None and (installation is None or installation.is_suspended):
        raise AnsweredError(403, "This installation has been suspended")
    app = hub.world.apps[installation.app_id] if installation else None
    places = token.repositories
    if installation is not None:
        places = [number for number in installation.repositories if places is None or number in places]
    return Actor(hub.world.users[token.user_id], token, app, places=places)


def _claimed(hub: "Hub", value: str) -> Actor:
    """Check an App's JWT as GitHub words it."""
    try:
        claim = jwt.decode(value, options={"verify_signature": False, "verify_exp": False, "verify_iat": False})
        issuer = str(claim["iss"])
        app = next(app for app in hub.world.apps.values() if issuer in {str(app.id), app.client_id})
    except (jwt.PyJWTError, KeyError, StopIteration):
        raise AnsweredError(401, "A JSON web token could not be decoded") from None
    if not any(_is_signed_by(value, key) for key in app.public_keys):
        raise AnsweredError(401, "A JSON web token could not be decoded")
    _check_times(claim, hub.now_s())
    return Actor(hub.world.users[app.bot_id], None, app, is_claim=True)


def _is_signed_by(value: str, key: str) -> bool:
    options: Any = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
    try:
        jwt.decode(value, key, algorithms=["RS256"], options=options)
    except jwt.PyJWTError:
        return False
    return True


def _check_times(claim: dict[str, Any], now_s: float) -> None:
    ends, begins = claim.get("exp"), claim.get("iat")
    if not isinstance(ends, int) or ends <= now_s:
        sentence = "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the"
        sentence += " assertion expires"
        raise AnsweredError(401, sentence)
    if ends > now_s + LONGEST_CLAIM_S:
        raise AnsweredError(401, "'Expiration time' claim ('exp') is too far in the future")
    if not isinstance(begins, int) or begins > now_s + LEEWAY_S:
        sentence = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        raise AnsweredError(401, sentence)


def name_of(actor: Actor | None) -> str:
    """Name the budget that a call is taken from."""
    if actor is None:
        return ""
    if actor.token is not None and actor.token.installation_id is not None:
        return f"installation ID {actor.token.installation_id}"
    return f"app ID {actor.app.id}" if actor.app and actor.is_claim else f"user ID {actor.user.id}"


def is_seen(actor: Actor | None, repository: Repository) -> bool:
    """Tell whether a caller sees that a repository is there."""
    if actor is not None and actor.is_claim:
        return False
    if actor is not None and actor.places is not None:
        return repository.id in actor.places
    if not repository.is_private:
        return True
    return actor is not None and (actor.user.id == repository.owner_id or actor.user.id in repository.roles)


def require_app(call: Call) -> App:
    """Let in an App by its own claim only."""
    actor = call.actor
    if actor is None or actor.app is None or not actor.is_claim:
        raise AnsweredError(401, "A JSON web token could not be decoded")
    return actor.app
