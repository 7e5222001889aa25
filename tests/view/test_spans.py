"""Amounts for people: two units at most, and what nobody reported is unknown."""

import pytest

from gitsched.view.spans import agents_time, money, runs_told, span, tokens


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(-3, "0 s"), (59.4, "59 s"), (60, "1 min"), (3599, "59 min"), (3900, "1 h 05 min"), (187_200, "2 d 4 h")],
)
def test_a_duration_has_its_two_largest_units(seconds: float, written: str) -> None:
    assert span(seconds) == written


@pytest.mark.parametrize(
    ("usage", "written"),
    [
        ({}, ("-", "-", "-", "0")),
        ({"runs": 1, "unknown_runs": 1, "agent_ms": 90_000}, ("unknown", "unknown", "1 min", "1 (1 unknown)")),
        ({"runs": 1, "usd_micros": 1_250_000, "tokens": 4200}, ("$1.25", "4,200", "-", "1")),
        ({"runs": 2, "usd_micros": 500_000, "unknown_usd_micros": 1}, ("≥ $0.50", "unknown", "-", "2")),
        ({"runs": 2, "tokens": 9, "unknown_runs": 1}, ("unknown", "≥ 9", "-", "2 (1 unknown)")),
    ],
)
def test_what_is_not_known_is_said(usage: dict[str, int], written: tuple[str, ...]) -> None:
    """I-14: unknown costs are shown as unknown, and a sum over partly unknown ones as a least one."""
    assert (money(usage), tokens(usage), agents_time(usage), runs_told(usage)) == written
