"""What may go, and what anything unfinished keeps."""

from immutables import Map
from msgspec.structs import replace

from gitsched.domain.instants import after
from gitsched.domain.records import Exit
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.hygiene import archivable, prunable_evidence, prunable_rescues
from tests.policy.situations import NOW, a_batch, a_job, a_lease, a_member, an_entry

DAY_S = 86_400.0
LONG_AGO, LATELY = after(NOW, -20 * DAY_S), after(NOW, -2 * DAY_S)


def ended(**fields: object) -> State:
    return (
        State()
        .put(a_batch(1, status=BatchStatus.DONE, updated_at=LONG_AGO, **fields))
        .put(a_member(1, MemberStatus.SHIPPED))
    )


def test_an_ended_batch_goes_once_nothing_live_hangs_on_it() -> None:
    assert archivable(ended()) == ("b1",)
    assert archivable(ended().put(a_batch(1))) == ()
    assert archivable(ended().put(a_lease(1))) == ()
    assert archivable(ended().put(a_job("suite"))) == ()
    assert archivable(ended().put(a_member(1, MemberStatus.SHIPPED, tree="/trees/1"))) == ()
    assert archivable(replace(ended(), unreadable=Map({"batches/b1/members/2-2": "torn", "control": "torn"}))) == ()


def test_old_rescues_go_unless_a_parked_row_or_a_live_batch_may_ask() -> None:
    saved = {f"refs/gitsched/rescue/{name}": at for name, at in (("b1/1/1", LONG_AGO), ("b1/1/2", LATELY))}
    assert prunable_rescues(ended(), saved, NOW) == ("refs/gitsched/rescue/b1/1/1",)
    assert prunable_rescues(State(), saved, NOW) == ("refs/gitsched/rescue/b1/1/1",), "its batch is archived"
    assert prunable_rescues(ended().put(a_batch(1)), saved, NOW) == ()
    assert prunable_rescues(ended().put(an_entry(1, EntryStatus.PARKED)), saved, NOW) == ()
    assert prunable_rescues(ended().put(an_entry(1, EntryStatus.DONE)), saved, NOW) != ()


def test_old_evidence_goes_unless_a_parked_row_names_it() -> None:
    assert prunable_evidence(ended(), State(), NOW, 10 * DAY_S) == ("b1",)
    assert prunable_evidence(State(), ended(), NOW, 10 * DAY_S) == ("b1",)
    assert prunable_evidence(ended(), State(), NOW, 30 * DAY_S) == ()
    assert prunable_evidence(State().put(a_batch(1, updated_at=LONG_AGO)), State(), NOW, 10 * DAY_S) == ()
    row = an_entry(1, EntryStatus.PARKED, evidence=(Exit(batch="b1", issue=1, kind="evicted", reason="x"),))
    assert prunable_evidence(ended().put(row), State(), NOW, 10 * DAY_S) == ()
    assert prunable_evidence(ended().put(replace(row, status=EntryStatus.DONE)), State(), NOW, 10 * DAY_S) == ("b1",)
