"""Claude Code with `--output-format stream-json`.

The last line is a `result` with cost, usage and turns; `rate_limit_event` tells on the way how the account
stands, and matters when it says "rejected" (others are information on a run that goes on).
Source: https://docs.anthropic.com/en/docs/claude-code/sdk (message types), and the tool's public issues for
the words of a failed end.
"""

import re
from typing import Final

from gitsched.codec.usage.fields import Json, count, number, rows, table, text, total
from gitsched.codec.usage.findings import Told
from gitsched.codec.usage.resets import instant_of_epoch

_BUDGETS: Final = {"error_max_turns": "turns", "error_max_budget_usd": "usd"}
# Some versions wrote these as an ordinary result, without `is_error`.
_FAILED: Final = re.compile(r"Claude AI usage limit reached\|\d+|API Error: \(?\d{3}\b.*", re.DOTALL)
_TOKENS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def read(events: list[Json]) -> Told:
    """Read a stream; a second `result` (a resumed session) replaces the first."""
    told = Told()
    for event in events:
        match event.get("type"):
            case "assistant":
                _heard(told, event)
            case "rate_limit_event":
                _limited(told, table(event, "rate_limit_info"))
            case "result":
                _ended(told, event)
            case _:
                pass
    return told


def _heard(told: Told, event: Json) -> None:
    for part in rows(table(event, "message").get("content")):
        if part.get("type") == "tool_use":
            told.last_tool = text(part.get("name")) or told.last_tool
        elif part.get("type") == "text":
            told.last_words = text(part.get("text"))


def _limited(told: Told, info: Json) -> None:
    rejected = info.get("status") == "rejected"
    told.resets_at = instant_of_epoch(count(info.get("resetsAt"))) if rejected else None
    told.status = 429 if rejected else None


def _ended(told: Told, event: Json) -> None:
    told.usd_micros = round(number(event.get("total_cost_usd")) * 1_000_000)
    told.tokens = total(table(event, "usage"), *_TOKENS)
    told.turns = count(event.get("num_turns"))
    told.budget = _BUDGETS.get(text(event.get("subtype")))
    told.last_words = text(event.get("result")) or told.last_words
    failed = event.get("is_error") is True or _FAILED.fullmatch(told.last_words) is not None
    failed = failed and told.budget is None
    told.failure = (told.last_words or text(event.get("subtype"))) if failed else None
    told.status = (count(event.get("api_error_status")) or told.status) if failed else None
