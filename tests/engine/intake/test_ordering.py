"""Member order: an operator's, before the seal."""

from gitsched.domain.replay import replay, statuses_of
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.ordering import OrderAnswer, OrderRequest, order
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused


def given(office: Office, *issues: int) -> OrderAnswer:
    return order(office.store, OrderRequest("login", issues), ACTOR)


def test_members_change_places_and_the_rest_follows(office: Office) -> None:
    office.enqueue(4, 9, 2, 6, batch="login", leave_open=True)
    assert given(office, 2, 9).members == (2, 9, 4, 6)
    assert office.order("login") == [2, 9, 4, 6]
    assert office.member("login", 2).index == 1
    assert office.events() == ["reordered"]


def test_replaying_the_journal_still_gives_the_statuses(office: Office) -> None:
    office.enqueue(4, 9, batch="login", leave_open=True)
    given(office, 9, 4)
    events = [event for entry in reversed(list(office.store.history())) for event in entry.events]
    assert replay(events) == statuses_of(office.state)
    assert {member.issue for member in office.state.members.values()} == {4, 9}


def test_members_that_left_keep_their_places(office: Office) -> None:
    office.enqueue(4, 9, 2, batch="login", leave_open=True)
    stop(office.store, StopRequest("9"), ACTOR)
    assert given(office, 2, 4).members == (2, 4)
    assert [(slot.index, slot.issue) for slot in office.batch("login").members] == [(1, 2), (2, 9), (3, 4)]


def test_the_same_order_changes_nothing(office: Office) -> None:
    office.enqueue(4, 9, batch="login", leave_open=True)
    office.store.read()
    before = office.store.tip
    given(office, 4)
    office.store.read()
    assert office.store.tip == before


def test_what_is_no_order_is_refused(office: Office) -> None:
    office.enqueue(4, 9, batch="login", leave_open=True)
    office.enqueue(2, batch="login", leave_open=True, deps=(4,))
    assert "no member" in str(refused(office, 1, lambda: given(office, 4, 7)))
    assert "named twice" in str(refused(office, 1, lambda: given(office, 4, 4)))
    assert "depends on 4" in refused(office, 1, lambda: given(office, 2, 4)).against
