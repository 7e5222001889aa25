"""Holds: an issue stays where it is, and goes on when it is let."""

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.holding import HoldAnswer, HoldRequest, UnholdRequest, hold, unhold
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused


def held(office: Office, issue: str, reason: str = "operator") -> HoldAnswer:
    return hold(office.store, HoldRequest(issue, reason), ACTOR)


def let_go(office: Office, issue: str) -> HoldAnswer:
    return unhold(office.store, UnholdRequest(issue), ACTOR)


def test_a_queued_issue_keeps_its_status(office: Office) -> None:
    office.enqueue(3)
    held(office, "3", "waits for the designers")
    assert (office.entry(3).status, office.entry(3).hold) == (EntryStatus.QUEUED, "waits for the designers")
    let_go(office, "3")
    assert office.entry(3).hold is None
    refused(office, 1, lambda: let_go(office, "3"))


def test_a_member_is_held_with_its_entry(office: Office) -> None:
    office.enqueue(1, 2)
    held(office, "2")
    assert (office.entry(2).hold, office.member("b1", 2).hold) == ("operator", "operator")
    let_go(office, "2")
    assert office.member("b1", 2).hold is None


def test_a_batch_that_was_blocked_for_it_executes_again(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    held(office, "1")
    office.block("b1", "held:operator")
    assert let_go(office, "1").resumed == "b1"
    assert (office.batch("b1").status, office.batch("b1").reason) == (BatchStatus.EXECUTING, None)


def test_a_batch_that_is_blocked_for_another_stays(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    held(office, "1")
    held(office, "2")
    office.block("b1", "held:operator")
    assert let_go(office, "2").resumed is None
    assert office.batch("b1").status is BatchStatus.BLOCKED


def test_what_has_landed_or_ended_is_not_held(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 1, MemberStatus.LANDED)
    assert "`gitsched stop 1`" in refused(office, 1, lambda: held(office, "1")).remedy
    stop(office.store, StopRequest("b1"), ACTOR)
    refused(office, 1, lambda: held(office, "2"))
    refused(office, 2, lambda: held(office, "2", " "))
