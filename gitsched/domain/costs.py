"""What runs have cost, and what the next one like them is expected to cost.

An amount is a whole number of its kind's unit: `usd_micros`, `tokens`, `turns`, `agent_ms`, `runs`, `suite_runs`.
What nobody reported is counted beside it as `unknown_<kind>`: that many runs of which the amount is not known.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.words import Tier

USD, TOKENS, TURNS, AGENT_MS = "usd_micros", "tokens", "turns", "agent_ms"
RUNS, SUITE_RUNS = "runs", "suite_runs"
REPORTED = (USD, TOKENS, TURNS)
"""Kinds that only an agent's own report tells."""
WORDS: Final[Mapping[str, str]] = {
    USD: "usd",
    TOKENS: "tokens",
    TURNS: "turns",
    RUNS: "runs",
    AGENT_MS: "agent_time",
    SUITE_RUNS: "suite_runs",
}
"""Kind of an amount → its key in `[budget.…]`."""


class DayCosts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was spent on one day of the configured zone, by what had ended or was counted on that day."""

    day: str
    """`2026-11-30`."""
    profiles: dict[str, dict[str, int]] = field(default_factory=dict)
    """By profile: amounts by kind."""
    refused: tuple[str, ...] = ()
    """Budgets that were told to be used up on this day, each once: `day.runs`, `batch:b1.usd`."""
    extra: Extra = field(default_factory=dict)


class RunCost(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one run came to; kinds that it did not report are missing."""

    tier: Tier | None = None
    amounts: dict[str, int] = field(default_factory=dict)


class Rates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The latest runs of a profile, from which the cost of its next one is estimated."""

    profile: str
    recent: tuple[RunCost, ...] = ()
    """Oldest first."""
    extra: Extra = field(default_factory=dict)


def unknown(kind: str) -> str:
    """Name the count of runs of which an amount is not known."""
    return f"unknown_{kind}"


def summed_amounts(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add amounts up, kind by kind."""
    total: dict[str, int] = {}
    for part in parts:
        for kind, amount in part.items():
            total[kind] = total.get(kind, 0) + amount
    return total
