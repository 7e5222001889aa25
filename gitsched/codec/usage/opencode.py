"""opencode with `run --format json`: one event a line, each about one part of the session.

Cost and tokens stand in the part of each `step_finish`; `error` carries the name and data of what failed.
Source: https://opencode.ai/docs/cli and the tool's public issues 2810 and 15779 for the parts of a step.
"""

from gitsched.codec.usage.fields import Json, count, number, table, text, total
from gitsched.codec.usage.findings import Told


def read(events: list[Json]) -> Told:
    """Read a stream; steps add up. A step that begins after an error takes the error back."""
    told = Told()
    for event in events:
        part = table(event, "part")
        match event.get("type"):
            case "step_start":
                told.failure, told.status = None, None
            case "tool_use":
                told.last_tool = text(part.get("tool")) or told.last_tool
            case "text":
                told.last_words = text(part.get("text"))
            case "step_finish":
                _step(told, part)
            case "error":
                _failed(told, table(event, "error"))
            case _:
                pass
    return told


def _step(told: Told, part: Json) -> None:
    tokens = table(part, "tokens")
    told.add_tokens(total(tokens, "input", "output", "reasoning") + total(table(tokens, "cache"), "read", "write"))
    told.add_cost(number(part.get("cost")))
    told.turns = (told.turns or 0) + 1


def _failed(told: Told, error: Json) -> None:
    data = table(error, "data")
    name = text(error.get("name")) or "error"
    words = text(data.get("message")) or text(error.get("message"))
    told.failure = f"{name}: {words}" if words else name
    told.status = count(data.get("statusCode")) or None
