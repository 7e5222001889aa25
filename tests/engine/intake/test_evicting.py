"""Taking members out: who leaves, what is kept, when it cannot be."""

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.evicting import EvictAnswer, EvictRequest, evict_member
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused


def taken_out(office: Office, issue: str) -> EvictAnswer:
    return evict_member(office.store, EvictRequest(issue), ACTOR)


def test_a_member_leaves_with_its_work_and_does_not_count(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.VERIFYING)
    assert taken_out(office, "#2") == EvictAnswer(batch="b1", issues=(2,))
    entry = office.entry(2)
    assert (entry.status, entry.reason, entry.branch) == (EntryStatus.PARKED, "operator", "gitsched/b1/m2-i2")
    assert (entry.evidence[-1].head, entry.evidence[-1].counts) == (office.oid, False)
    assert office.member("b1", 1).status is MemberStatus.WAITING


def test_a_group_leaves_together(office: Office) -> None:
    office.enqueue(1, 2, 3, groups=((1, 3),))
    assert taken_out(office, "3").issues == (1, 3)


def test_a_landed_member_is_taken_off_the_branch(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 1, MemberStatus.LANDED)
    taken_out(office, "1")
    assert office.batch("b1").status is BatchStatus.EVICTING


def test_what_is_in_no_batch_or_on_its_way_is_refused(office: Office) -> None:
    office.enqueue(1)
    assert "It is in no batch: it is queued." in refused(office, 1, lambda: taken_out(office, "1")).against
    office.enqueue(2, 3)
    office.bring("b1", BatchStatus.SHIPPING)
    assert "b1 is shipping" in refused(office, 1, lambda: taken_out(office, "2")).against
