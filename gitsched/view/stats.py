"""Statistics: what work cost, by member, batch or day: exact for what is known, and what is not is counted apart."""

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any, Final

from gitsched.domain.costs import AGENT_MS, RUNS, TOKENS, USD, summed_amounts
from gitsched.domain.records import Batch, SuiteRun
from gitsched.domain.state import State
from gitsched.domain.zones import day_of
from gitsched.view.spans import agents_time, money, runs_told, span, tokens
from gitsched.view.table import Look, render_table

KEYS: Final = ("member", "batch", "day")
_SUITE_MS: Final = "suite_ms"
Row = tuple[str, Mapping[str, int]]


def stats_rows(state: State, by: str, zone: tzinfo) -> list[Row]:
    """Sum up by one of `KEYS`; a day is one of the zone, and a suite that was not run costs nothing."""
    if by == "member":
        found = sorted(state.members.values(), key=lambda member: (member.batch, member.index))
        return [(f"{member.batch}/{member.issue}", member.usage) for member in found]
    if by == "batch":
        return [(batch.id, _of_batch(state, batch)) for batch in state.batches_in_order()]
    days: dict[str, list[Mapping[str, int]]] = {
        day: list(costs.profiles.values()) for day, costs in sorted(state.costs.items())
    }
    for run in _suite_runs(state):
        days.setdefault(day_of(run.at, zone), []).append({_SUITE_MS: run.duration_ms})
    return [(day, summed_amounts(days[day])) for day in sorted(days)]


def _of_batch(state: State, batch: Batch) -> Mapping[str, int]:
    suites = [{_SUITE_MS: run.duration_ms} for run in batch.suite if not run.cached]
    return summed_amounts([*(member.usage for member in state.members_of(batch)), *suites])


def _suite_runs(state: State) -> Iterator[SuiteRun]:
    for batch in state.batches.values():
        yield from (run for run in batch.suite if run.at and not run.cached)


def stats_document(rows: list[Row]) -> dict[str, Any]:
    """Write what `stats --json` prints; null is what no run has reported."""
    return {"rows": [_document(key, amounts) for key, amounts in rows]}


def _document(key: str, amounts: Mapping[str, int]) -> dict[str, Any]:
    return {
        "key": key,
        "runs": amounts.get(RUNS, 0),
        "usd": amounts[USD] / 1_000_000 if USD in amounts else None,
        "tokens": amounts.get(TOKENS),
        "agent_s": amounts.get(AGENT_MS, 0) / 1000,
        "suite_s": amounts.get(_SUITE_MS, 0) / 1000,
        "unknown_runs": amounts.get("unknown_runs", 0),
    }


def render_stats(rows: list[Row], by: str, look: Look) -> str:
    """Write the rows as a table, with their sum."""
    if not rows:
        return "Nothing has been run yet."
    table = [(key, *_cells(amounts)) for key, amounts in rows]
    table.append(("together", *_cells(summed_amounts(amounts for _, amounts in rows))))
    return render_table((by, "runs", "money", "tokens", "agents", "suite"), table, look)


def _cells(amounts: Mapping[str, int]) -> tuple[str, ...]:
    suite = span(amounts[_SUITE_MS] / 1000) if _SUITE_MS in amounts else "-"
    return (runs_told(amounts), money(amounts), tokens(amounts), agents_time(amounts), suite)
