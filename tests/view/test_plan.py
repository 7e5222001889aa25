"""The plan document and how it reads."""

from msgspec.structs import replace

from gitsched.config.parse import parse_settings
from gitsched.domain.records import SuiteRun
from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.view.plan import Refusal, plan_document, render_plan
from gitsched.view.table import Look
from tests.view.pictures import a_batch, a_member, a_picture, an_entry

WITH_SUITE = parse_settings('[suite]\nrun = ["true"]\n')
ROWS = (
    an_entry(1, status=EntryStatus.ASSIGNED, batch="b1"),
    an_entry(2),
    an_entry(3, status=EntryStatus.DONE),
    an_entry(4, status=EntryStatus.PARKED),
    a_batch(1, status=BatchStatus.READY),
    a_member(1),
    a_batch(id="b2", status=BatchStatus.DONE),
)


def test_what_is_not_over_is_planned_with_one_suite_run_per_batch_and_solo_issue() -> None:
    document = plan_document(replace(a_picture(*ROWS), current=WITH_SUITE), None, ())
    assert set(document) == {"entries", "batches", "suite_runs", "refused"}
    assert [entry["issue"] for entry in document["entries"]] == [1, 2]
    assert [batch["id"] for batch in document["batches"]] == ["b1"]
    assert document["suite_runs"] == 2


def test_only_chosen_issues_and_their_batches_are_planned() -> None:
    document = plan_document(replace(a_picture(*ROWS), current=WITH_SUITE), frozenset({2}), ())
    assert [entry["issue"] for entry in document["entries"]] == [2]
    assert (document["batches"], document["suite_runs"]) == ([], 1)


def test_without_a_suite_or_with_a_proven_tree_no_run_is_expected() -> None:
    waived = parse_settings('[suite]\nrun = "none"\n')
    proven = a_batch(1, suite=(SuiteRun(verdict="passed", tree="1" * 40, commit="2" * 40),))
    assert plan_document(replace(a_picture(*ROWS), current=waived), None, ())["suite_runs"] == 0
    assert plan_document(replace(a_picture(ROWS[0], proven), current=WITH_SUITE), None, ())["suite_runs"] == 0


def test_the_plan_reads_as_batches_then_issues_then_refusals() -> None:
    refused = (Refusal("Issue 9 was to be enqueued.", "The forge has no such issue.", "`gitsched issue list`"),)
    text = render_plan(plan_document(replace(a_picture(*ROWS), current=WITH_SUITE), None, refused), Look())
    assert [line.split()[0] for line in text.split("\n\n")] == ["b1", "issue", "refused:", "The"]
    assert text.endswith("The suite is expected to run 2 times.")


def test_nothing_to_do_is_said() -> None:
    assert render_plan(plan_document(a_picture(), None, ()), Look()) == "There is nothing to do."
