"""The report of a night: each issue in one part, with one command; costs, and what is unknown of them."""

from typing import Any

from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.records import DayCosts, Exit, Schedule
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.view.night import night_document, render_night
from gitsched.view.picture import Picture
from tests.policy.situations import a_batch, a_member, a_state, an_entry

SINCE, DURING = "2026-01-01T10:00:00.000Z", "2026-01-01T11:00:00.000Z"


def a_night(*records: Any, **waits: tuple[str, ...]) -> Picture:
    """Build a picture; `i5=("capacity",)` is why issue 5 waits."""
    told = {int(name[1:]): found for name, found in waits.items()}
    return Picture(
        state=a_state(*records), tip=None, waits=told, live_drivers=frozenset({"driver-me"}), current=Settings()
    )


def test_a_night_is_told_part_by_part() -> None:
    """Landed, evicted with its culprit and how to reproduce it, failed, held, untouched; ended long ago is left out."""
    exit_ = Exit(
        batch="b1",
        issue=2,
        kind="evicted",
        reason="suite-failed",
        failing=("tests/a.py::test_x",),
        reproduce="git checkout abc && pytest",
        at=DURING,
    )
    batch = a_batch(1, 2, status=BatchStatus.AWAITING_MERGE, evictions=(exit_,), updated_at=DURING)
    picture = a_night(
        batch,
        a_member(1, MemberStatus.LANDED),
        a_member(2, MemberStatus.EVICTED),
        an_entry(2, EntryStatus.PARKED),
        an_entry(3, EntryStatus.FAILED, reason="escalation-cap", updated_at=DURING),
        an_entry(4, hold="later"),
        an_entry(5),
        an_entry(6, EntryStatus.DONE),
        DayCosts(day="2026-01-01", profiles={"fake": {"runs": 2, "usd_micros": 1_500_000, "unknown_usd_micros": 1}}),
        Schedule(id="s1", status=ScheduleStatus.HUMAN_REQUIRED, reason="missed-window", zone="UTC"),
        i5=("capacity",),
    )
    text = render_night(night_document(picture, SINCE))
    for line in (
        "- #1 Issue 1: awaiting-merge",
        "  next: gitsched harvest b1",
        "- #2 Issue 2: suite-failed",
        "  product: Its work fails tests, with evidence.",
        "  culprit: tests/a.py::test_x",
        "  reproduce: git checkout abc && pytest",
        "- #3 Issue 3: escalation-cap",
        "- #4 Issue 4: queued",
        "- #5 Issue 5: capacity",
        "2 runs, at least $1.50, unknown tokens, 0 s of agents' time.",
        "- schedule s1 needs you: missed-window",
    ):
        assert line in text.splitlines(), text
    assert "#6" not in text


def test_who_handed_back_was_not_evicted() -> None:
    said = "no exchange rate is named"
    exit_ = Exit(batch="b1", issue=2, kind="handed-back", reason=said, at=DURING)
    batch = a_batch(2, status=BatchStatus.DISSOLVED, evictions=(exit_,), updated_at=DURING)
    lines = render_night(night_document(a_night(batch, an_entry(2, EntryStatus.PARKED)), SINCE)).splitlines()
    assert "## Evicted" not in lines
    at = lines.index("## Handed back")
    assert lines[at + 2 : at + 4] == [f"- #2 Issue 2: {said}", "  next: gitsched requeue 2"]


def test_an_empty_night_and_a_blocked_batch() -> None:
    """What nobody touched is said; a batch that is blocked holds its members; merged work needs nothing."""
    quiet = render_night(night_document(a_night(), SINCE))
    assert "Nothing was queued." in quiet
    assert "No run has ended." in quiet
    blocked = a_batch(1, status=BatchStatus.BLOCKED, reason="base-red", updated_at=DURING)
    held = night_document(a_night(blocked, a_member(1)), SINCE)
    assert [row["issue"] for row in held["held"]] == [1]
    done = replace(blocked, status=BatchStatus.DONE, reason=None)
    merged = night_document(a_night(done, a_member(1, MemberStatus.SHIPPED)), SINCE)
    assert [(row["issue"], row["status"]) for row in merged["landed"]] == [(1, "merged")]
