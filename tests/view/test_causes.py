"""Causes: a red suite, or one that decides nothing, says in one line what it is about, on every face."""

from typing import Any

import pytest

from gitsched.domain.records import Batch, Control, Exit, SuiteRun
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.view.causes import red_suite, red_tests
from gitsched.view.overview import overview
from gitsched.view.screen import render_screen
from gitsched.view.status import status_document
from gitsched.view.table import Look
from gitsched.view.watch import render_watch
from gitsched.view.why import render_why, why
from tests.view.pictures import AT, a_batch, a_member, a_picture, an_entry

PRINTED = "exit 127, and it printed: npm: not found"


def judged(verdict: str = "broken", generation: int = 1, **fields: Any) -> Batch:
    run = SuiteRun(verdict=verdict, tree="1" * 40, commit="2" * 40, generation=generation, **fields)
    return a_batch(3, status=BatchStatus.BLOCKED, reason=f"suite-{verdict}", generation=1, suite=(run,))


@pytest.mark.parametrize(
    ("batch", "told"),
    [
        (judged(detail=PRINTED), PRINTED),
        (judged("failed", failing=("a", "b")), "a, b"),
        (judged("failed", failing=("a", "b", "c", "d", "e")), "a, b, c and 2 more"),
        (judged("passed"), ""),
        (judged("flaky", failing=("a",)), ""),
        (judged("failed", generation=0, failing=("a",)), ""),
        (a_batch(3), ""),
    ],
)
def test_a_suite_that_did_not_pass_says_what_it_is_about(batch: Batch, told: str) -> None:
    assert red_suite(batch) == told


def test_more_failing_tests_than_are_listed_are_counted() -> None:
    assert red_tests(("a", "b", "c", "d"), 70) == "a, b, c and 67 more"


def test_status_watch_and_why_name_the_same_cause() -> None:
    entry = an_entry(3, status=EntryStatus.ASSIGNED, batch="b1")
    batch = judged(detail=PRINTED)
    picture = a_picture(entry, batch, a_member(3, status=MemberStatus.LANDED))
    (told,) = status_document(picture)["batches"]
    assert told["red"] == PRINTED
    for shown in (
        render_screen(status_document(picture), Look()),
        render_watch(overview(picture, {}, AT), Look()),
    ):
        assert f"red: {PRINTED}" in shown.splitlines()
    for unit in (batch, entry):
        assert f"Red: {PRINTED}." in render_why(why(picture, unit), None).splitlines()


def test_whoever_left_for_red_tests_is_told_which() -> None:
    exit_ = Exit(batch="b1", issue=3, kind="evicted", reason="suite-failed", failing=("test_total",))
    entry = an_entry(3, status=EntryStatus.PARKED, reason=exit_.reason, evidence=(exit_,))
    assert why(a_picture(entry), entry).sentences[-1] == "Red: test_total."


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("git switch --detach abc && npm test", "To see it fail: git switch --detach abc && npm test"),
        ("x" * 200, "`gitsched report b1 --md` has the command that shows it."),
    ],
)
def test_whoever_left_is_told_with_the_command_that_shows_it(command: str, told: str) -> None:
    exit_ = Exit(batch="b1", issue=3, kind="evicted", reason="suite-failed", failing=("t",), reproduce=command)
    entry = an_entry(3, status=EntryStatus.PARKED, reason=exit_.reason, evidence=(exit_,))
    picture = a_picture(entry)
    assert why(picture, entry).sentences[-1] == told
    assert [need.says for need in overview(picture, {}, AT).needs] == ["Red: t."], (
        "what is the matter, not where to look"
    )


def test_whoever_left_for_the_end_of_its_run_is_told_where_its_output_is() -> None:
    exit_ = Exit(batch="b1", issue=3, kind="evicted", reason="agent-exited-unverified")
    entry = an_entry(3, status=EntryStatus.PARKED, reason=exit_.reason, evidence=(exit_,))
    assert why(a_picture(entry), entry).sentences[-1] == "`gitsched logs 3` shows what its agent printed."


def test_a_pause_says_why_it_is_one() -> None:
    entry = an_entry(3)
    picture = a_picture(entry, Control(paused=True, pause_reason="dispatch-unhealthy"), waits={3: ("paused",)})
    said = "Agents, or their provider, failed several times in a row."
    assert why(picture, entry).sentences == ("Scheduling is paused.", said)
    (need,) = overview(picture, {}, AT).needs
    assert (need.state, need.says, need.next) == ("paused", said, "gitsched resume")
