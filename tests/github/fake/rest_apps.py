"""Apps: who they are, where they are installed, their tokens, their deliveries, and how one is made from a manifest."""

from tests.github.fake.callers import require_app
from tests.github.fake.calls import STEPS, Answer, AnsweredError, Call, invalid
from tests.github.fake.clock import stamp
from tests.github.fake.model_apps import Delivery, Installation
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

MOST_REPOSITORIES = 500


@route("GET", "/app", "")
def app(call: Call) -> Answer:
    return Answer(call.hub.app.shown(call.world, require_app(call)))


@route("GET", "/app/installations", "")
def installations(call: Call) -> Answer:
    mine = require_app(call)
    found = [one for one in call.world.installations.values() if one.app_id == mine.id]
    return paged(found, lambda one: shown(call, one))


@route("GET", "/app/installations/{installation_id}", "")
def one_installation(call: Call) -> Answer:
    return Answer(shown(call, _found(call)))


@route("GET", "/repos/{owner}/{repo}/installation", "")
def of_repository(call: Call) -> Answer:
    mine = require_app(call)
    for one in call.world.installations.values():
        if one.app_id == mine.id and call.repository.id in one.repositories:
            return Answer(shown(call, one))
    raise AnsweredError(404, "Not Found")


def _found(call: Call) -> Installation:
    mine = require_app(call)
    found = call.world.installations.get(call.parts["installation_id"])
    if found is None or found.app_id != mine.id:
        raise AnsweredError(404, "Not Found")
    return found


def shown(call: Call, found: Installation) -> Json:
    shapes, at = call.hub.shapes(call.world, call.version), stamp(found.created_at)
    here = f"{call.hub.api_url}/app/installations/{found.id}"
    of = call.world.apps[found.app_id]
    account = call.world.users[found.account_id]
    return {
        **{"id": found.id, "account": shapes.user(account), "repository_selection": "selected"},
        **{
            "access_tokens_url": f"{here}/access_tokens",
            "html_url": f"{call.hub.web_url}/settings/installations/{found.id}",
        },
        "repositories_url": f"{call.hub.api_url}/installation/repositories",
        **{"app_id": of.id, "app_slug": of.slug, "target_id": account.id, "target_type": account.kind},
        **{"permissions": found.permissions, "events": of.events, "created_at": at, "updated_at": at},
        **{"single_file_name": None, "suspended_by": None},
        "suspended_at": at if found.is_suspended else None,
    }


@route("POST", "/app/installations/{installation_id}/access_tokens", "")
def access_token(call: Call) -> Answer:
    """Give an hour's token, narrowed to what was asked for; more than the installation has is refused."""
    found, given, world = _found(call), call.json, call.world
    if found.is_suspended:
        raise AnsweredError(403, "This installation has been suspended")
    wanted = given.get("repository_ids") or [_id_of(call, found, name) for name in given.get("repositories") or []]
    if len(wanted) > MOST_REPOSITORIES or not set(wanted) <= set(found.repositories):
        raise AnsweredError(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    asked = given.get("permissions") or found.permissions
    if any(STEPS.index(level) > STEPS.index(found.permissions.get(name, "none")) for name, level in asked.items()):
        raise AnsweredError(422, "The permissions requested are not granted to this installation.")
    token = call.hub.app.new_token(found, {**asked, "metadata": "read"}, wanted or None)
    body: Json = {"token": token.value, "expires_at": stamp(token.expires_at or 0), "permissions": token.permissions}
    if wanted:
        shapes = call.hub.shapes(world, call.version)
        body["repositories"] = [shapes.repository(world.repositories[number]) for number in wanted]
    return Answer({**body, "repository_selection": "selected"}, 201)


def _id_of(call: Call, found: Installation, name: str) -> int:
    for number in found.repositories:
        if call.world.repositories[number].name.lower() == name.lower():
            return number
    return 0


@route("GET", "/installation/repositories", "")
def repositories(call: Call) -> Answer:
    places = call.who.places
    if places is None:
        raise AnsweredError(403, "Resource not accessible by integration")
    found = [call.world.repositories[number] for number in places]
    return paged(found, call.hub.shapes(call.world, call.version).repository, "repositories")


@route("DELETE", "/installation/token", "")
def revoke(call: Call) -> Answer:
    token = call.who.token
    if token is None or token.installation_id is None:
        raise AnsweredError(401, "Bad credentials")
    del call.hub.world.tokens[token.value]
    return Answer(None, 204)


# ---------------------------------------------------------------------------------- deliveries


def _delivery(found: Delivery) -> Json:
    is_good = 200 <= found.status_code < 400
    return {
        **{"id": found.id, "guid": found.guid, "delivered_at": stamp(found.at), "redelivery": found.is_redelivery},
        **{"duration": 0.1, "status": "OK" if is_good else "failed to connect", "status_code": found.status_code},
        **{"event": found.event, "action": found.action, "throttled_at": None},
        **{"installation_id": found.installation_id, "repository_id": found.repository_id},
    }


@route("GET", "/app/hook/deliveries", "")
def deliveries(call: Call) -> Answer:
    """List them newest first, in pages that go on by a cursor."""
    mine = require_app(call)
    own = {one.id for one in call.world.installations.values() if one.app_id == mine.id}
    found = [one for one in reversed(call.world.deliveries) if one.installation_id in own]
    if call.query.get("status"):
        is_good = call.query["status"] == "success"
        found = [one for one in found if (200 <= one.status_code < 400) == is_good]
    cursor, size = call.query.get("cursor"), min(100, int(call.query.get("per_page", "30")))
    if cursor:
        found = [one for one in found if one.id < int(cursor.removeprefix("v1_"))]
    headers = {}
    if len(found) > size:
        at = f"{call.hub.api_url}{call.path}?per_page={size}&cursor=v1_{found[size - 1].id}"
        status = f"&status={call.query['status']}" if call.query.get("status") else ""
        headers["Link"] = f'<{at}{status}>; rel="next"'
    return Answer([_delivery(one) for one in found[:size]], headers=headers)


def _one_delivery(call: Call) -> Delivery:
    require_app(call)
    for found in call.world.deliveries:
        if found.id == call.parts["delivery_id"]:
            return found
    raise AnsweredError(404, "Not Found")


@route("GET", "/app/hook/deliveries/{delivery_id}", "")
def one_delivery(call: Call) -> Answer:
    found = _one_delivery(call)
    request = {"headers": {"X-GitHub-Delivery": found.guid, "X-GitHub-Event": found.event}, "payload": found.payload}
    return Answer({**_delivery(found), "url": "", "request": request, "response": {"headers": {}, "payload": "{}"}})


@route("POST", "/app/hook/deliveries/{delivery_id}/attempts", "")
def redeliver(call: Call) -> Answer:
    call.hub.hooks.again(_one_delivery(call))
    return Answer({}, 202)


# ------------------------------------------------------------------------------------ manifest


@route("POST", "/app-manifests/{code}/conversions", "")
def convert(call: Call) -> Answer:
    """Turn a code into an App, once."""
    number = call.hub.world.manifests.pop(call.parts["code"], None)
    if number is None:
        raise AnsweredError(404, "Not Found")
    if call.json:
        raise invalid("AppManifest", "body")
    return Answer(call.hub.app.conversion(call.world, call.hub.world.apps[number]), 201)
