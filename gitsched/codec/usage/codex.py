"""Codex with `codex exec --json`: thread, turn and item events, one JSON object a line.

Usage stands in each `turn.completed`; `turn.failed` and `error` end a turn with a message. `error` is also
written for a stream that is being reconnected, so a turn that completes afterwards takes it back.
Source: https://developers.openai.com/codex/noninteractive (event types), and the tool's public issues for the
words of a usage limit.
"""

from typing import Final

from gitsched.codec.usage.fields import Json, table, text, total
from gitsched.codec.usage.findings import Told

_TALK: Final = frozenset({"agent_message", "reasoning", "plan", "todo_list", "error"})
"""Items that are no tool."""


def read(events: list[Json]) -> Told:
    """Read a stream; turns add up."""
    told = Told()
    for event in events:
        match event.get("type"):
            case "item.started" | "item.completed":
                _heard(told, table(event, "item"))
            case "turn.completed":
                told.add_tokens(total(table(event, "usage"), "input_tokens", "output_tokens"))
                told.turns = (told.turns or 0) + 1
                told.failure = None
            case "turn.failed":
                told.failure = text(table(event, "error").get("message")) or "turn.failed"
            case "error":
                told.failure = text(event.get("message")) or "error"
            case _:
                pass
    return told


def _heard(told: Told, item: Json) -> None:
    kind = text(item.get("type"))
    if kind == "agent_message":
        told.last_words = text(item.get("text"))
    elif kind == "mcp_tool_call":
        told.last_tool = text(item.get("tool")) or kind
    elif kind and kind not in _TALK:
        told.last_tool = kind
