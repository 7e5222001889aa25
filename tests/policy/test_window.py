"""When a window is open, and which moment somebody means."""

from zoneinfo import ZoneInfo

import pytest

from gitsched.policy.window import Span, Unclear, Window, moment_in, span_at, window_of

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Window(22 * 60, 6 * 60)


def test_a_window_is_two_times_of_day() -> None:
    """Anything else is none, nor is one without length."""
    assert window_of("22:00-06:00") == NIGHT
    assert window_of("09:15-17:45") == Window(555, 1065)
    for wrong in ("22-6", "24:00-06:00", "22:00-22:00", "22:00 - 06:00", ""):
        assert window_of(wrong) is None


@pytest.mark.parametrize(
    ("now", "opens", "closes"),
    [
        ("2026-12-01T12:00:00.000Z", "2026-12-01T21:00:00.000Z", "2026-12-02T05:00:00.000Z"),
        ("2026-12-01T23:30:00.000Z", "2026-12-01T21:00:00.000Z", "2026-12-02T05:00:00.000Z"),
        ("2026-12-02T04:59:59.999Z", "2026-12-01T21:00:00.000Z", "2026-12-02T05:00:00.000Z"),
        ("2026-12-02T05:00:00.000Z", "2026-12-02T21:00:00.000Z", "2026-12-03T05:00:00.000Z"),
    ],
)
def test_the_window_that_is_open_or_the_next_one(now: str, opens: str, closes: str) -> None:
    """Over midnight, by the zone's clocks; at its end it is closed."""
    found = span_at(NIGHT, BERLIN, now)
    assert found == Span(opens, closes)
    assert found.holds(now) == (opens <= now)


def test_a_night_is_an_hour_longer_or_shorter_when_the_clocks_change() -> None:
    """A window goes by the clocks on the wall."""
    autumn = span_at(NIGHT, BERLIN, "2026-10-24T22:00:00.000Z")
    assert autumn == Span("2026-10-24T20:00:00.000Z", "2026-10-25T05:00:00.000Z")
    spring = span_at(NIGHT, BERLIN, "2026-03-28T22:00:00.000Z")
    assert spring == Span("2026-03-28T21:00:00.000Z", "2026-03-29T04:00:00.000Z")


def test_an_edge_inside_the_change_makes_a_window_longer_never_shorter() -> None:
    """Opened at the end of the gap; closed at the second showing; opened at the first."""
    gap = Window(150, 240)
    assert span_at(gap, BERLIN, "2026-03-29T00:00:00.000Z") == Span(
        "2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"
    )
    assert span_at(Window(60, 150), BERLIN, "2026-03-28T23:30:00.000Z").closes_at == "2026-03-29T01:00:00.000Z"
    both = span_at(Window(150, 160), BERLIN, "2026-10-24T23:00:00.000Z")
    assert both == Span("2026-10-25T00:30:00.000Z", "2026-10-25T01:40:00.000Z")


def test_a_27_a_moment_is_never_guessed_at() -> None:
    """A-27: what comes twice must be chosen, what never comes is refused; neither is shifted silently."""
    twice = moment_in("2026-10-25 02:30", BERLIN, "Europe/Berlin")
    assert isinstance(twice, Unclear)
    assert '"2026-10-25 02:30+02:00" or "2026-10-25 02:30+01:00"' in twice.remedy
    assert moment_in("2026-10-25 02:30+02:00", BERLIN, "Europe/Berlin") == "2026-10-25T00:30:00.000Z"
    assert moment_in("2026-10-25 02:30+01:00", BERLIN, "Europe/Berlin") == "2026-10-25T01:30:00.000Z"
    never = moment_in("2026-03-29 02:30", BERLIN, "Europe/Berlin")
    assert isinstance(never, Unclear)
    assert "never" in never.why
    assert "2026-03-29 03:00" in never.remedy
    assert isinstance(moment_in("2026-03-29 02:30+01:00", BERLIN, "Europe/Berlin"), Unclear)


def test_a_plain_moment_goes_by_the_zone() -> None:
    """And what is none is told so; a zone behind UTC shows its offset too."""
    assert moment_in("2026-11-30 22:00", BERLIN, "Europe/Berlin") == "2026-11-30T21:00:00.000Z"
    for wrong in ("tomorrow", "2026-13-01 10:00", "2026-11-30 25:00", "2026-11-30 10:00+99:00"):
        assert isinstance(moment_in(wrong, BERLIN, "Europe/Berlin"), Unclear)
    twice = moment_in("2026-11-01 01:30", ZoneInfo("America/New_York"), "America/New_York")
    assert isinstance(twice, Unclear)
    assert "01:30-04:00" in twice.remedy
