"""Priorities: whose counts, and for whom."""

from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.priority import PriorityAnswer, PriorityRequest, reprioritize
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused


def given(office: Office, unit: str, priority: int) -> PriorityAnswer:
    return reprioritize(office.store, PriorityRequest(unit, priority), ACTOR)


def test_an_issue_that_stands_alone_takes_it_and_keeps_its_age(office: Office) -> None:
    office.enqueue(5)
    age = office.entry(5).updated_at
    assert given(office, "5", 20) == PriorityAnswer(unit="5", before=0, priority=20)
    assert (office.entry(5).priority, office.entry(5).updated_at) == (20, age)


def test_a_batch_takes_it_for_its_members(office: Office) -> None:
    office.enqueue(1, 2)
    given(office, "b1", 3)
    assert office.batch("b1").priority == 3
    assert "`gitsched reprioritize b1 9`" in refused(office, 1, lambda: given(office, "1", 9)).remedy


def test_a_solo_batch_and_its_issue_are_one(office: Office) -> None:
    office.enqueue(7)
    office.form_solo(7)
    assert given(office, "7", 20).unit == "i7"
    assert (office.batch("i7").priority, office.entry(7).priority) == (20, 20)
    office.store.read()
    before = office.store.tip
    given(office, "i7", 20)
    office.store.read()
    assert office.store.tip == before


def test_what_is_over_and_what_is_out_of_range_is_refused(office: Office) -> None:
    office.enqueue(1, 2)
    refused(office, 2, lambda: given(office, "b1", 10_000_000))
    stop(office.store, StopRequest("b1"), ACTOR)
    refused(office, 1, lambda: given(office, "b1", 1))
    refused(office, 1, lambda: given(office, "1", 1))
