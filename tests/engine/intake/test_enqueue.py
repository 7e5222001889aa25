"""What enqueue writes."""

from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus, Review, Tier
from tests.engine.intake.office import ACTOR, Office

READY, FORMING = BatchStatus.READY, BatchStatus.FORMING


def test_a_single_issue_waits_as_an_entry_of_its_own(office: Office) -> None:
    answer = office.enqueue(3, tier=Tier.STRONG, files=("src/**",), profile="claude", priority=7)
    entry = office.entry(3)
    assert (answer.entries, answer.batch, dict(office.state.batches)) == ((3,), None, {})
    assert (entry.status, entry.title, entry.priority, entry.tier) == (EntryStatus.QUEUED, "Work 3", 7, Tier.STRONG)
    assert (entry.files, entry.profile, entry.review) == (("src/**",), "claude", Review.LIGHT)
    assert next(iter(office.store.history())).actor == ACTOR


def test_several_issues_form_one_new_batch_that_is_sealed_at_once(office: Office) -> None:
    answer = office.enqueue(4, 2)
    batch = office.batch("b1")
    assert answer.batch == "b1"
    assert (batch.status, batch.kind, batch.priority, batch.generation) == (READY, BatchKind.BATCH, 10, 1)
    assert office.order("b1") == [4, 2]
    assert [office.entry(issue).status for issue in (2, 4)] == [EntryStatus.ASSIGNED, EntryStatus.ASSIGNED]
    assert office.member("b1", 2).branch == "gitsched/b1/m2-i2"
    assert office.enqueue(5, 6).batch == "b2"


def test_each_stands_alone_when_that_is_said(office: Office) -> None:
    assert office.enqueue(1, 2, solo=True).batch is None
    assert {entry.status for entry in office.state.entries.values()} == {EntryStatus.QUEUED}


def test_an_open_batch_takes_more_until_a_call_leaves_it_closed(office: Office) -> None:
    office.enqueue(1, batch="night", leave_open=True)
    assert office.batch("night").status is FORMING
    office.enqueue(2, batch="night", leave_open=True)
    office.enqueue(3, batch="night")
    assert office.batch("night").status is READY
    assert office.order("night") == [1, 2, 3]


def test_a_number_that_a_person_has_taken_is_passed_over(office: Office) -> None:
    office.enqueue(1, batch="b1", leave_open=True)
    assert office.enqueue(2, 3).batch == "b2"
    assert office.enqueue(4, 5).batch == "b3"


def test_a_dependency_inside_a_batch_orders_its_members(office: Office) -> None:
    number = office.issue(deps=(8,))
    office.enqueue(5, number, 8)
    assert office.order("b1") == [5, 8, number]
    assert office.member("b1", number).deps == (8,)


def test_dependencies_and_files_come_from_the_issue_too(office: Office) -> None:
    number = office.issue(deps=(2,), files=("docs/**",))
    office.enqueue(number, deps=(1, 2))
    assert office.entry(number).deps == (1, 2)
    assert office.entry(number).files == ("docs/**",)


def test_a_row_that_is_over_is_replaced(office: Office) -> None:
    """A-03: there is one row, it starts afresh, and nothing of its earlier run is left in it."""
    office.enqueue(3, profile="claude", deps=(9,))
    office.finish(3)
    office.enqueue(3)
    entry = office.entry(3)
    assert (entry.status, entry.profile, entry.deps, entry.evidence, entry.branch) == (
        EntryStatus.QUEUED,
        None,
        (),
        (),
        None,
    )
    assert office.events() == ["enqueued"]


def test_a_label_shows_at_once(office: Office) -> None:
    """A-06: the row of an issue with a blocking label is blocked from the start."""
    number = office.issue(labels=("epic",))
    office.enqueue(number)
    assert (office.entry(number).status, office.entry(number).reason) == (EntryStatus.BLOCKED, "label:epic")
