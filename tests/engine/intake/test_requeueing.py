"""Requeue: parked work goes on, and nothing else moves."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.holding import HoldRequest, hold
from gitsched.engine.intake.requeueing import RequeueAnswer, RequeueRequest, requeue
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused

BRANCH = "gitsched/b1/m2-i2"


def again(office: Office, issue: str, into: str | None = None, *allow: str) -> RequeueAnswer:
    return requeue(office.store, office.settings, RequeueRequest(issue=issue, into=into, allow=allow), ACTOR)


@pytest.fixture
def parked(office: Office) -> Office:
    """Give an office where 2 was evicted from b1 after work, and 1 has landed."""
    office.enqueue(1, 2, profile="claude")
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.VERIFIED)
    office.evict("b1", 2)
    office.run("b1", 1, MemberStatus.LANDED)
    return office


def test_parked_work_is_queued_on_its_branch_with_its_evidence(parked: Office) -> None:
    """V-41: the entry continues from its kept branch, with the recorded facts and its profile."""
    assert again(parked, "2") == RequeueAnswer(issue=2, batch=None, branch=BRANCH)
    entry = parked.entry(2)
    assert (entry.status, entry.branch, entry.profile, entry.reason) == (EntryStatus.QUEUED, BRANCH, "claude", None)
    told = entry.evidence[-1]
    assert (told.batch, told.reason, told.failing, told.head) == ("b1", "suite-failed", ("t::a",), parked.oid)
    parked.form_solo(2)
    assert parked.member("i2", 2).prior == told


def test_it_joins_a_forming_batch(parked: Office) -> None:
    parked.enqueue(5, batch="b2", leave_open=True)
    assert again(parked, "2", "b2").batch == "b2"
    assert parked.order("b2") == [5, 2]
    assert (parked.entry(2).status, parked.entry(2).batch) == (EntryStatus.ASSIGNED, "b2")
    assert parked.member("b2", 2).prior == parked.entry(2).evidence[-1]


def test_only_parked_issues_are_requeued(parked: Office) -> None:
    """V-42: a queued and a landed issue are refused with exit 1 in three sentences, and nothing changes."""
    parked.enqueue(6)
    assert "It is queued" in refused(parked, 1, lambda: again(parked, "6")).against
    assert "It has landed in b1" in refused(parked, 1, lambda: again(parked, "1")).against
    stop(parked.store, StopRequest("6"), ACTOR)
    assert "`gitsched enqueue 6`" in refused(parked, 1, lambda: again(parked, "6")).remedy


def test_a_batch_that_is_not_forming_takes_nobody(parked: Office) -> None:
    parked.enqueue(5, 6)
    assert "b2 is ready, not forming" in refused(parked, 1, lambda: again(parked, "2", "b2")).against
    refused(parked, 1, lambda: again(parked, "2", "b7"))


def test_a_batch_of_another_profile_takes_nobody(parked: Office) -> None:
    parked.enqueue(5, batch="b2", leave_open=True, profile="codex")
    assert "Its profile is codex" in refused(parked, 1, lambda: again(parked, "2", "b2")).against


def test_a_hazard_is_let_through_by_name(parked: Office) -> None:
    refused(parked, 2, lambda: again(parked, "2", None, "hazard:anything"))
    again(parked, "2", None, "hazard:size")
    assert parked.entry(2).allow == ("hazard:size",)


def test_a_held_member_is_done_again_on_its_own(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.VERIFYING)
    hold(office.store, HoldRequest("2", "out-of-scope"), ACTOR)
    office.block("b1", "held:out-of-scope")
    again(office, "2")
    assert office.member("b1", 2).status is MemberStatus.WITHDRAWN
    entry = office.entry(2)
    assert (entry.status, entry.batch, entry.hold, entry.branch) == (EntryStatus.QUEUED, None, None, BRANCH)
    assert office.batch("b1").status is BatchStatus.EXECUTING


def test_a_held_member_of_a_group_stays_in_it(office: Office) -> None:
    office.enqueue(1, 2, groups=((1, 2),))
    hold(office.store, HoldRequest("2"), ACTOR)
    assert "group 1+2" in refused(office, 1, lambda: again(office, "2")).against
