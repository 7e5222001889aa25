"""Statistics: exact for what is known, and the unknown counted apart."""

from datetime import UTC

from gitsched.domain.costs import DayCosts
from gitsched.domain.records import SuiteRun
from gitsched.view.stats import render_stats, stats_document, stats_rows
from gitsched.view.table import Look
from tests.view.pictures import a_batch, a_member, a_picture

SUITE = (
    SuiteRun(verdict="failed", tree="t", commit="c", duration_ms=2500, at="2026-01-02T23:00:00.000Z"),
    SuiteRun(verdict="passed", tree="t", commit="c", duration_ms=9000, cached=True, at="2026-01-02T23:00:00.000Z"),
)
STATE = a_picture(
    a_batch(1, 2, suite=SUITE),
    a_member(1, usage={"runs": 2, "usd_micros": 1_500_000, "tokens": 10, "agent_ms": 4000, "unknown_runs": 1}),
    a_member(2, index=2, usage={"runs": 1, "usd_micros": 250_000, "agent_ms": 1000}),
    DayCosts(
        day="2026-01-02", profiles={"a": {"runs": 2, "usd_micros": 1_750_000}, "b": {"runs": 1, "unknown_runs": 1}}
    ),
).state


def test_the_sums_are_exact_and_the_unknown_is_apart() -> None:
    """I-15: by member, batch and day; each row holds only its own numbers."""
    rows = {by: stats_document(stats_rows(STATE, by, UTC))["rows"] for by in ("member", "batch", "day")}
    first, second = rows["member"]
    assert first == {
        "key": "b1/1", "runs": 2, "usd": 1.5, "tokens": 10, "agent_s": 4.0, "suite_s": 0.0, "unknown_runs": 1
    }  # fmt: skip
    assert (second["key"], second["usd"], second["tokens"], second["unknown_runs"]) == ("b1/2", 0.25, None, 0)
    assert rows["batch"] == [
        {"key": "b1", "runs": 3, "usd": 1.75, "tokens": 10, "agent_s": 5.0, "suite_s": 2.5, "unknown_runs": 1}
    ]
    assert rows["day"] == [
        {"key": "2026-01-02", "runs": 3, "usd": 1.75, "tokens": None, "agent_s": 0.0, "suite_s": 2.5, "unknown_runs": 1}
    ]


def test_the_table_ends_with_the_sum() -> None:
    lines = render_stats(stats_rows(STATE, "member", UTC), "member", Look()).splitlines()
    assert lines[-1].split() == ["together", "3", "(1", "unknown)", "≥", "$1.75", "≥", "10", "5", "s", "-"]
    assert render_stats([], "day", Look()) == "Nothing has been run yet."
