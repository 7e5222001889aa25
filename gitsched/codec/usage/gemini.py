"""Gemini CLI with `--output-format json` (one object at the end) or `stream-json` (one event a line).

`stats` holds tokens per model, or their sum in a stream; `error.code` 53 is the exit code for used-up turns.
Source: https://geminicli.com/docs/cli/headless
"""

from typing import Final

from gitsched.codec.usage.fields import Json, count, table, text
from gitsched.codec.usage.findings import Told

_TURNS_USED_UP: Final = 53
_STATUSES: Final = range(400, 600)
"""`error.code` is an HTTP status or, for the tool's own failures, its exit code."""


def read(events: list[Json]) -> Told:
    """Read either form."""
    told = Told()
    for event in events:
        match event.get("type"):
            case "tool_use":
                told.last_tool = text(event.get("tool_name")) or told.last_tool
            case "message":
                _heard(told, event)
            case None | "result":
                _ended(told, event)
            case _:
                pass
    return told


def _heard(told: Told, event: Json) -> None:
    if event.get("role") == "assistant":
        words = text(event.get("content"))
        told.last_words = told.last_words + words if event.get("delta") is True else words


def _ended(told: Told, event: Json) -> None:
    stats = table(event, "stats")
    models = [model for model in table(stats, "models").values() if isinstance(model, dict)]
    if stats:
        told.tokens = count(stats.get("total_tokens")) or sum(
            count(table(model, "tokens").get("total")) for model in models
        )
    if models:
        told.turns = sum(count(table(model, "api").get("totalRequests")) for model in models)
    tools = table(stats, "tools", "byName")
    told.last_tool = next(reversed(tools), None) or told.last_tool
    told.last_words = text(event.get("response")) or told.last_words
    _failed(told, table(event, "error"))


def _failed(told: Told, error: Json) -> None:
    code = count(error.get("code"))
    if code == _TURNS_USED_UP or error.get("type") == "FatalTurnLimitedError":
        told.budget = "turns"
    elif error:
        told.failure = text(error.get("message")) or text(error.get("type")) or "error"
        told.status = code if code in _STATUSES else None
