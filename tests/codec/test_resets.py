"""When a usage limit ends, in the words of the tools."""

import pytest

from gitsched.codec.usage.resets import instant_of_epoch, reset_in

NOW = "2026-01-02T03:00:00.000Z"


@pytest.mark.parametrize(
    ("words", "instant"),
    [
        ("Claude AI usage limit reached|1767351600", "2026-01-02T11:00:00.000Z"),
        ("usage limit, resets at 05:00Z", "2026-01-02T05:00:00.000Z"),
        ("resets 2pm", "2026-01-02T14:00:00.000Z"),
        ("resets 2:30am (UTC)", "2026-01-03T02:30:00.000Z"),
        ("resets 12am", "2026-01-03T00:00:00.000Z"),
        ("resets 4:30pm (Asia/Calcutta)", "2026-01-02T11:00:00.000Z"),
        ("resets 5am (Nowhere/Land)", "2026-01-02T05:00:00.000Z"),
        ("resets Apr 23 at 4pm (America/Recife)", "2026-04-23T19:00:00.000Z"),
        ("resets Jan 1 at 4pm", "2027-01-01T16:00:00.000Z"),
        ("try again at Feb 7th, 2026 3:04 PM", "2026-02-07T15:04:00.000Z"),
        ("Try again in 3 days 5 hours and 2 minutes.", "2026-01-05T08:02:00.000Z"),
        ("Please try again in 5.289s", None),
        ("quota will reset after 1h0m5s", "2026-01-02T04:00:05.000Z"),
        ("resets on 2026-01-09T10:11:12Z", "2026-01-09T10:11:12.000Z"),
        ("resets on 2026-13-09T10:11:12Z", None),
        ("resets Feb 31 at 4pm", None),
        ("resets Foo 3 at 4pm", None),
        ("resets 25:00", None),
        ("resets 3 times", None),
        ("limit reached|9999999999", "2286-11-20T17:46:39.000Z"),
        ("limit reached|0000000001", None),
        ("try again later", None),
    ],
)
def test_the_end_of_a_limit(words: str, instant: str | None) -> None:
    """R-45 (recognition): "resets at 05:00Z" and its likes become an instant in UTC."""
    assert reset_in(words, NOW) == instant


def test_an_epoch_must_be_meant_as_one() -> None:
    assert instant_of_epoch(0) is None
    assert instant_of_epoch(10**12) is None
    assert instant_of_epoch(1_767_351_600) == "2026-01-02T11:00:00.000Z"
