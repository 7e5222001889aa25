"""Stopping and abandoning: who ends, what is kept, what is refused."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.ending import AbandonRequest, StopAnswer, StopRequest, abandon, stop
from gitsched.errors import TransitionError
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused

STOPPED = EntryStatus.STOPPED


def stopped(office: Office, unit: str) -> StopAnswer:
    return stop(office.store, StopRequest(unit), ACTOR)


def given_up(office: Office, batch: str, *, keep: bool = False) -> tuple[int, ...]:
    return abandon(office.store, AbandonRequest(batch, keep), ACTOR).issues


def test_a_queued_issue_is_ended(office: Office) -> None:
    office.enqueue(3)
    assert stopped(office, "#3") == StopAnswer(issues=(3,), batch=None)
    assert (office.entry(3).status, office.entry(3).reason) == (STOPPED, "operator")


def test_a_member_is_ended_with_its_work_kept(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.VERIFYING)
    stopped(office, "2")
    entry = office.entry(2)
    assert (entry.status, entry.batch, entry.branch) == (STOPPED, None, "gitsched/b1/m2-i2")
    assert (entry.evidence[-1].kind, entry.evidence[-1].head) == ("stopped", office.oid)
    assert office.member("b1", 2).status is MemberStatus.STOPPED
    assert office.member("b1", 1).status is MemberStatus.WAITING


def test_a_group_is_ended_together(office: Office) -> None:
    office.enqueue(1, 2, 3, groups=((1, 3),))
    assert stopped(office, "3").issues == (1, 3)
    assert office.entry(2).status is EntryStatus.ASSIGNED


def test_a_landed_member_is_ended_and_stays_known_as_landed(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 1, MemberStatus.LANDED)
    stopped(office, "1")
    member = office.member("b1", 1)
    assert (member.status, member.landed) == (MemberStatus.STOPPED, office.oid)


def test_a_landed_member_that_is_shipping_cannot_be_ended_alone(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 1, MemberStatus.LANDED)
    office.bring("b1", BatchStatus.SHIPPING)
    assert "`gitsched stop b1`" in refused(office, 1, lambda: stopped(office, "1")).remedy


def test_a_whole_batch_is_ended_and_parked_members_are_left_alone(office: Office) -> None:
    office.enqueue(1, 2, 3)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 1, MemberStatus.LANDED)
    office.run("b1", 2, MemberStatus.RUNNING)
    office.evict("b1", 2)
    assert stopped(office, "b1") == StopAnswer(issues=(1, 3), batch="b1")
    assert office.batch("b1").status is BatchStatus.STOPPED
    assert [office.entry(issue).status for issue in (1, 2, 3)] == [STOPPED, EntryStatus.PARKED, STOPPED]


def test_a_solo_batch_ends_with_its_issue(office: Office) -> None:
    office.enqueue(7)
    office.form_solo(7)
    assert stopped(office, "7") == StopAnswer(issues=(7,), batch="i7")
    assert office.batch("i7").status is BatchStatus.STOPPED


def test_what_is_over_is_not_ended_again(office: Office) -> None:
    office.enqueue(1, 2)
    stopped(office, "b1")
    refused(office, 1, lambda: stopped(office, "b1"))
    assert "`gitsched enqueue 1`" in refused(office, 1, lambda: stopped(office, "1")).remedy
    refused(office, 1, lambda: stopped(office, "8"))


@pytest.mark.parametrize("keep", [False, True])
def test_a_batch_is_given_up(office: Office, *, keep: bool) -> None:
    office.enqueue(1, 2)
    assert given_up(office, "b1", keep=keep) == (1, 2)
    batch = office.batch("b1")
    assert (batch.status, batch.reason, batch.parks_all) == (BatchStatus.DISSOLVING, "abandoned", keep)
    assert office.entry(1).status is EntryStatus.ASSIGNED


def test_giving_up_twice_names_the_edge_that_is_missing(office: Office) -> None:
    """V-39: dissolving again is refused naming machine, from and event."""
    office.enqueue(1, 2)
    given_up(office, "b1")
    error = refused(office, 1, lambda: given_up(office, "b1"))
    assert isinstance(error, TransitionError)
    assert (error.machine, error.event) == ("batch", "batch-dissolving")
    assert error.state.startswith("dissolving")


def test_a_batch_that_waits_for_its_merge_is_not_given_up(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.AWAITING_MERGE)
    assert "`gitsched stop b1`" in refused(office, 1, lambda: given_up(office, "b1")).remedy
    refused(office, 1, lambda: given_up(office, "1"))
