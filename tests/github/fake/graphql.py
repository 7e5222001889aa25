"""GraphQL: the documents of `schema.graphql`, executed by a real engine over the fake's world."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    build_schema,
    execute,
    parse,
    validate,
)
from werkzeug.wrappers import Request

from tests.github.fake import acts_merges
from tests.github.fake.calls import Actor, Answer, AnsweredError
from tests.github.fake.graphql_changes import changes
from tests.github.fake.graphql_reads import Reads
from tests.github.fake.shapes import Json

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

SCHEMA = Path(__file__).with_name("schema.graphql")


@cache
def schema() -> GraphQLSchema:
    """Build the schema once a process."""
    return build_schema(SCHEMA.read_text())


def answer_graphql(hub: "Hub", request: Request, actor: Actor | None, caller: str) -> Answer:
    """Execute one document; what is wrong with it is told with status 200."""
    if actor is None or actor.is_claim:
        raise AnsweredError(401, "This endpoint requires you to be authenticated.")
    given = json.loads(request.data or b"{}")
    try:
        document = parse(given.get("query", ""))
    except GraphQLError as error:
        return _told([{"message": f"Parse error: {error.message}"}])
    wrong = validate(schema(), document)
    if wrong:
        return _told([_shown(error) for error in wrong])
    is_change = _is_change(document.definitions)
    try:
        hub.limits.spend(caller, hub.now_s())
    except AnsweredError as limited:
        return _told([{"type": "RATE_LIMITED", "message": limited.message}])
    if is_change:
        hub.limits.write(hub.now_s())
        hub.lags.keep(hub.world)
    for repository in list(hub.world.repositories.values()):
        acts_merges.settle(hub, repository)
    world = hub.world if is_change else hub.lags.seen_by("/graphql", hub.world)
    reads = Reads(hub, world, actor, caller)
    root = changes(reads) if is_change else reads.root()
    done = execute(schema(), document, root_value=root, variable_values=given.get("variables") or {})
    assert not hasattr(done, "__await__")
    for repository in list(hub.world.repositories.values()) if is_change else []:
        acts_merges.settle(hub, repository)
    told = [_shown(error) for error in getattr(done, "errors", None) or []]
    body: Json = {"data": getattr(done, "data", None)}
    return Answer({**body, "errors": told} if told else body)


def _is_change(definitions: Any) -> bool:
    operations = [found for found in definitions if isinstance(found, OperationDefinitionNode)]
    return any(found.operation is OperationType.MUTATION for found in operations)


def _told(errors: list[Json]) -> Answer:
    return Answer({"errors": errors})


def _shown(error: GraphQLError) -> Json:
    """Render an error as GitHub does: its type stands at the top."""
    cause, message = error.original_error, error.message
    kind = (error.extensions or {}).get("type")
    if isinstance(cause, AnsweredError):
        kind = {403: "FORBIDDEN", 404: "NOT_FOUND"}.get(cause.status, "UNPROCESSABLE")
    elif cause is not None and not isinstance(cause, GraphQLError):
        raise cause
    shown: Json = {"message": message, "locations": [place.formatted for place in error.locations or []]}
    if error.path:
        shown["path"] = error.path
    return {"type": kind, **shown} if kind else shown
