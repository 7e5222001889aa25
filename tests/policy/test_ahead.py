"""Where the next member will begin, and when nothing can be made ready for it."""

from typing import Any

from gitsched.domain.records import Exit, Record
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.ahead import next_cut
from gitsched.policy.plan import plan
from gitsched.policy.situation import Situation
from tests.policy.situations import a_batch, a_lease, a_member, a_situation, a_state, an_entry


def cut_of(situation: Situation) -> str | None:
    return next_cut(situation, plan(situation).waits)


def full(*more: Record, **batch: Any) -> Situation:
    rows = (an_entry(issue, EntryStatus.ASSIGNED, batch="b1") for issue in (1, 2))
    units: tuple[Record, ...] = (a_batch(1, 2, **batch), a_member(1, MemberStatus.RUNNING), a_lease(1), *rows)
    return a_situation(a_state(*units, *(more or (a_member(2),)), slots_max=1))


def test_the_next_member_for_a_slot_begins_at_the_base() -> None:
    assert cut_of(full()) == "base"


def test_one_that_builds_on_others_begins_at_the_head() -> None:
    assert cut_of(full(a_member(2, retries={"conflict": 1}))) == "head"


def test_nobody_waits_for_a_slot_alone() -> None:
    assert cut_of(full(a_member(2, hold="operator"))) is None


def test_a_batch_that_has_not_begun_has_no_base_yet() -> None:
    assert cut_of(full(status=BatchStatus.READY)) is None


def test_where_earlier_work_is_carried_to_is_not_known_before() -> None:
    prior = Exit(batch="b0", issue=2, kind="evicted", reason="gate-failed", cut="c", head="h")
    assert cut_of(full(a_member(2, prior=prior))) is None
