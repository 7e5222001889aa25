"""Amounts for people: durations, money, tokens. What nobody reported is said to be unknown, never nothing."""

from collections.abc import Mapping
from typing import Final

from gitsched.domain.costs import AGENT_MS, RUNS, TOKENS, USD, unknown

UNKNOWN: Final = "unknown"
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400


def span(seconds: float) -> str:
    """Write a duration in its two largest units: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`."""
    whole = max(0, round(seconds))
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S} min"
    if whole < _DAY_S:
        return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S:02d} min"
    return f"{whole // _DAY_S} d {whole % _DAY_S // _HOUR_S} h"


def money(usage: Mapping[str, int]) -> str:
    """Write what runs cost; where some did not say, the sum is a least one."""
    if USD not in usage:
        return UNKNOWN if usage.get(RUNS) else "-"
    return f"{_least(usage, USD)}${usage[USD] / 1_000_000:.2f}"


def tokens(usage: Mapping[str, int]) -> str:
    """Write how many tokens runs used; where some did not say, the sum is a least one."""
    if TOKENS not in usage:
        return UNKNOWN if usage.get(RUNS) else "-"
    return f"{_least(usage, TOKENS)}{usage[TOKENS]:,}"


def agents_time(usage: Mapping[str, int]) -> str:
    """Write for how long agents worked."""
    return span(usage[AGENT_MS] / 1000) if AGENT_MS in usage else "-"


def runs_told(usage: Mapping[str, int]) -> str:
    """Write how many runs there were, and how many of them reported nothing."""
    silent = usage.get("unknown_runs", 0)
    return f"{usage.get(RUNS, 0)}" + (f" ({silent} unknown)" if silent else "")


def _least(usage: Mapping[str, int], kind: str) -> str:
    return "≥ " if usage.get(unknown(kind)) or usage.get("unknown_runs") else ""
