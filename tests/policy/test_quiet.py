"""When a lasting condition is told."""

from collections.abc import Mapping

from gitsched.domain.streaks import Streak
from gitsched.policy.quiet import listen


def test_i_11_a_streak_is_told_at_ticks_1_21_and_41() -> None:
    """I-11: 45 ticks are three lines with one start; when it comes back, it is a new streak."""
    streaks: Mapping[str, Streak] = {}
    told: list[tuple[int, str]] = []
    for tick in range(1, 46):
        heard = listen(streaks, ["labels"], f"at {tick}")
        streaks = heard.streaks
        told += [(tick, streaks[name].since) for name in heard.told]
        assert not heard.over
    assert told == [(1, "at 1"), (21, "at 1"), (41, "at 1")]
    over = listen(streaks, [], "at 46")
    assert (over.streaks, over.over) == ({}, {"labels": Streak("at 1", 45)})
    again = listen(over.streaks, ["labels"], "at 47")
    assert again.told == ("labels",)
    assert again.streaks["labels"].since == "at 47"
