"""GitHub's published description of its API, and the look of every request and answer into it.

The file is fetched by `.ci/descriptions` from the package `@octokit/openapi`; where it is missing nothing is looked at,
and the tests say so.
"""

import json
import re
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec
from werkzeug.wrappers import Request

from tests.github.fake.audit import Heard
from tests.github.fake.calls import Answer
from tests.golden import ROOT

FILE = ROOT / "build" / "descriptions" / "api.github.com.json"
MISSING = "GitHub's description is not here: `make descriptions` fetches it from the package registry"
# What GitHub answers although its description does not list it for each operation: "common to all".
ANYWHERE = frozenset({304, 307, 400, 401, 403, 404, 405, 410, 422, 429})
JSON = "application/json"
# Where GitHub is known to differ from its own description.
KNOWN = (
    # Null when the fork, or its owner, is gone: github/rest-api-description#161.
    re.compile(r"head/(?:user|repo): null is not of type"),
    # An account is said to be a user and an enterprise at once.
    re.compile(r"apps/list-installations.*account: "),
)


class Description:
    """Looks requests and answers up, and keeps what does not fit."""

    def __init__(self, whole: dict[str, Any]) -> None:
        self._whole = whole
        self.violations: list[str] = []
        self.operations: set[str] = set()
        self.events: set[str] = set()
        self.exchange_count = 0

    def check(self, request: Request, heard: Heard, answer: Answer) -> None:
        """Look at one exchange, if it has an operation."""
        operation = self._whole["paths"].get(heard.operation, {}).get(heard.method.lower())
        if operation is None:
            return
        self.exchange_count += 1
        self.operations.add(operation["operationId"])
        where = f"{heard.method} {heard.path} ({operation['operationId']})"
        if answer.status < 400:
            self._check_query(operation, request, where)
            self._check_request(operation, request, where)
        self._check_answer(operation, answer, where)

    def check_event(self, event: str, action: str | None, payload: dict[str, Any]) -> None:
        """Look at the payload of a delivery."""
        name = "-".join([event, action] if action else [event]).replace("_", "-")
        described = self._whole["x-webhooks"].get(name)
        if described is None:
            self._tell(f"event {name}", "is not described")
            return
        self.events.add(name)
        shape = described["post"]["requestBody"]["content"][JSON]["schema"]
        self._fits(shape, payload, f"event {name}")

    def _tell(self, where: str, what: str) -> None:
        told = f"{where}: {what}"
        if not any(known.search(told) for known in KNOWN):
            self.violations.append(told)

    def _check_query(self, operation: dict[str, Any], request: Request, where: str) -> None:
        known = {
            found["name"]: found
            for found in map(self._resolved, operation.get("parameters", []))
            if found["in"] == "query"
        }
        for name, value in request.args.items():
            if name not in known:
                self._tell(where, f"the query has no {name!r}")
                continue
            shape = self._resolved(known[name]["schema"])
            wanted: Any = int(value) if shape.get("type") == "integer" and value.isdigit() else value
            if shape.get("type") == "boolean":
                wanted = value == "true"
            self._fits(shape, wanted, f"{where}: query {name}")

    def _check_request(self, operation: dict[str, Any], request: Request, where: str) -> None:
        wanted = operation.get("requestBody")
        if wanted is None:
            return
        content = self._resolved(wanted).get("content", {}).get(JSON)
        if not request.data:
            if wanted.get("required"):
                self._tell(where, "the request has no body")
        elif content is not None:
            self._fits(content["schema"], json.loads(request.data), f"{where}: request")

    def _check_answer(self, operation: dict[str, Any], answer: Answer, where: str) -> None:
        described = operation["responses"].get(str(answer.status))
        if described is None:
            if answer.status not in ANYWHERE:
                self._tell(where, f"{answer.status} is not described")
            return
        content = self._resolved(described).get("content", {}).get(JSON)
        if content is not None and answer.body is not None:
            self._fits(content["schema"], answer.body, f"{where}: answer {answer.status}")

    def _fits(self, shape: dict[str, Any], value: Any, where: str) -> None:
        for error in list(self._validator(shape).iter_errors(value))[:5]:
            at = "/".join(map(str, error.instance_path))
            self._tell(where, f"{at or '.'}: {error.message[:300]}")

    def _resolved(self, found: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in found:
            found = self._component(found["$ref"])
        return found

    def _component(self, reference: str) -> dict[str, Any]:
        found: Any = self._whole
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return dict(found)

    def _validator(self, shape: dict[str, Any]) -> Any:
        return _compiled(json.dumps(shape, sort_keys=True))


@cache
def whole() -> dict[str, Any] | None:
    """Read the file once a process; None where it is missing."""
    if not FILE.exists():
        return None
    found: dict[str, Any] = msgspec.json.decode(FILE.read_bytes())
    return found


@cache
def _compiled(shape: str) -> Any:
    """Compile a schema with all that it refers to."""
    needed: dict[str, Any] = {}
    main = _converted(json.loads(shape), needed)
    return jsonschema_rs.Draft4Validator({**main, "definitions": needed}, validate_formats=True)


def _converted(node: Any, needed: dict[str, Any]) -> Any:
    """Turn OpenAPI 3.0 into JSON Schema: `nullable`, and references to components."""
    if isinstance(node, list):
        return [_converted(one, needed) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": f"#/definitions/{_needed(node['$ref'], needed)}"}
    kept = {
        name: value
        for name, value in node.items()
        if name not in {"example", "examples", "description", "nullable", "title"}
    }
    turned = {
        name: _each(value, needed) if name == "properties" else _converted(value, needed)
        for name, value in kept.items()
    }
    return {"anyOf": [{"type": "null"}, turned]} if node.get("nullable") is True else turned


def _each(properties: dict[str, Any], needed: dict[str, Any]) -> dict[str, Any]:
    return {name: _converted(value, needed) for name, value in properties.items()}


def _needed(reference: str, needed: dict[str, Any]) -> str:
    name = reference.rsplit("/", 1)[1]
    if name not in needed:
        needed[name] = {}
        found: Any = whole()
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        needed[name] = _converted(found, needed)
    return name


def described() -> Description | None:
    """Give a fresh look into the description, or None where it is not here."""
    found = whole()
    return None if found is None else Description(found)
