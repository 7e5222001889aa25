"""The table of routes: GitHub's own path templates, so that each names its operation in the published description."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

from werkzeug.routing import Map, Rule

from tests.github.fake.calls import Answer, Call

Route = Callable[[Call], Answer]

ROOMS = ("issues", "comments", "pulls", "places", "checks", "refs", "apps", "actions")
WHOLE = ("issue_number", "pull_number", "comment_id", "milestone_number", "check_run_id", "run_id", "deployment_id")
NUMBERS = (
    *WHOLE,
    "installation_id",
    "delivery_id",
    "review_id",
    "reaction_id",
    "status_id",
    "issue_id",
    "check_suite_id",
)
PATHS = ("ref", "branch", "path", "basehead")
_TABLE: dict[tuple[str, str], tuple[Route, str]] = {}


def route(method: str, template: str, needs: str = "metadata:read") -> Callable[[Route], Route]:
    """Serve `method template` for callers with the permission `name:level`, or anybody's with ""."""

    def enter(function: Route) -> Route:
        _TABLE[method, template] = (function, needs)
        return function

    return enter


def _rule(template: str) -> str:
    def part(found: re.Match[str]) -> str:
        name = found[1]
        kind = "int:" if name in NUMBERS else "path:" if name in PATHS else ""
        return f"<{kind}{name}>"

    return re.sub(r"\{(\w+)\}", part, template)


@cache
def table() -> Map:
    """Make the map from method and path to (function, permission, template)."""
    for room in ROOMS:
        import_module(f"tests.github.fake.rest_{room}")
    rules = [
        Rule(_rule(template), methods=[method], endpoint=(function, needs, template))
        for (method, template), (function, needs) in _TABLE.items()
    ]
    return Map(rules, strict_slashes=False, merge_slashes=False)


def routes_known() -> list[tuple[str, str]]:
    """List all routes as (method, template)."""
    table()
    return list(_TABLE)
