"""`undo`: the last act of an operator, back by a new transaction; what something has come of stays."""

import pytest

from gitsched.domain.events import EventName
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.intake.ending import AbandonRequest, StopRequest, abandon, stop
from gitsched.engine.intake.holding import HoldRequest, hold
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.engine.intake.priority import PriorityRequest, reprioritize
from gitsched.engine.intake.requeueing import RequeueRequest, requeue
from gitsched.engine.intake.sealing import SealRequest, seal
from gitsched.engine.intake.undo import UndoAnswer, undo
from gitsched.errors import RefusedError
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused


def back(office: Office) -> UndoAnswer:
    return undo(office.store, ACTOR)


def essence(state: State) -> object:
    rows = {issue: (row.status, row.priority, row.hold, row.batch) for issue, row in state.entries.items()}
    batches = {b.id: (b.status, b.members, b.priority, b.generation) for b in state.batches.values()}
    members = {key: member.status for key, member in state.members.items()}
    return rows, batches, members, dict(state.settings), state.control.paused


def test_an_enqueue_is_taken_back_and_the_history_keeps_both(office: Office) -> None:
    office.enqueue(1, 2)
    before = office.state
    office.enqueue(3)
    enqueued = office.store.tip
    answer = back(office)
    assert (answer.commit, answer.sentence, answer.actor) == (enqueued, "Enqueue issue 3", ACTOR)
    assert essence(office.state) == essence(before)
    newest = next(iter(office.store.history()))
    assert (newest.events[0].name, newest.events[0].fields["undoes"]) == (EventName.UNDONE, enqueued)
    assert [entry.commit for entry in office.store.history()][1] == enqueued


@pytest.mark.parametrize("act", ["batch", "open", "seal", "priority", "pause", "resume", "hold", "join", "abandon"])
def test_every_act_that_can_be_undone_leaves_nothing(office: Office, act: str) -> None:
    office.enqueue(1, 2, leave_open=True)
    office.enqueue(5)
    pause(office.store, PauseRequest(), ACTOR) if act == "resume" else None
    before = office.state
    match act:
        case "batch":
            office.enqueue(3, 4)
        case "open":
            office.enqueue(3, 4, leave_open=True)
        case "seal":
            seal(office.store, office.settings, SealRequest("b1"), ACTOR)
        case "priority":
            reprioritize(office.store, PriorityRequest("b1", 99), ACTOR)
        case "pause":
            pause(office.store, PauseRequest(), ACTOR)
        case "resume":
            resume_scheduler(office.store, ACTOR)
        case "hold":
            hold(office.store, HoldRequest("5"), ACTOR)
        case "join":
            office.enqueue(3, batch="b1", leave_open=True)
        case _:
            abandon(office.store, AbandonRequest("b1"), ACTOR)
    assert essence(office.state) != essence(before)
    back(office)
    assert essence(office.state) == essence(before)


def test_one_act_after_the_other_and_then_none_is_left(office: Office) -> None:
    office.enqueue(1)
    office.enqueue(2)
    back(office)
    back(office)
    assert dict(office.state.entries) == {}
    assert "There is none." in str(refused(office, 1, lambda: back(office)))


def test_what_the_engine_did_meanwhile_stays(office: Office) -> None:
    """S-18 (engine): events of the engine's own, after the act and on the same record, are not taken back."""
    office.enqueue(1, 2)
    reprioritize(office.store, PriorityRequest("b1", 99), ACTOR)
    office.bring("b1", BatchStatus.EXECUTING)
    back(office)
    assert (office.batch("b1").priority, office.batch("b1").status) == (10, BatchStatus.EXECUTING)
    number = office.state.control.next_batch
    office.enqueue(3, 4)
    back(office)
    assert office.state.control.next_batch == number + 1, "a number that was given out is not given out again"


def test_a_label_that_came_meanwhile_is_no_obstacle(office: Office) -> None:
    number = office.issue(labels=("epic",))
    office.enqueue(number)
    assert office.entry(number).status is EntryStatus.BLOCKED
    back(office)
    assert number not in office.state.entries


def test_a_second_enqueue_of_ended_work_gives_the_ended_row_back(office: Office) -> None:
    office.enqueue(1)
    office.finish(1)
    before = office.entry(1)
    office.enqueue(1)
    back(office)
    assert office.entry(1).status is before.status is EntryStatus.DONE


def test_a_requeue_is_taken_back(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.VERIFIED)
    office.evict("b1", 2)
    requeue(office.store, office.settings, RequeueRequest(issue="2"), ACTOR)
    back(office)
    assert office.entry(2).status is EntryStatus.PARKED


def test_a_member_that_joined_a_batch_at_work_is_withdrawn(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.enqueue(3, batch="b1")
    back(office)
    assert office.member("b1", 3).status is MemberStatus.WITHDRAWN
    assert office.order("b1") == [1, 2, 3], "it keeps its place"
    assert 3 not in office.state.entries


def test_what_something_has_come_of_is_refused(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    before = office.store.tip
    told = str(refused(office, 1, lambda: back(office)))
    assert "batch b1 has moved: its status is executing, it was ready" in told
    assert office.store.tip == before
    office.enqueue(3)
    office.form_solo(3)
    assert "issue 3 has moved: its status is assigned, it was queued" in str(refused(office, 1, lambda: back(office)))


def test_what_has_gone_or_come_back_since_is_refused(office: Office) -> None:
    office.enqueue(3)
    gone = office.entry(3)
    office.store.apply(lambda draft: draft.note(EventName.RECORD_HELD, "x", removed=[gone]))
    assert "issue 3 has gone" in str(refused(office, 1, lambda: back(office)))


def test_an_act_that_ended_something_is_refused(office: Office) -> None:
    office.enqueue(1)
    stop(office.store, StopRequest("1"), ACTOR)
    with pytest.raises(RefusedError, match="cannot be taken back: entry-stopped"):
        back(office)


def test_care_of_the_store_is_no_act(office: Office) -> None:
    office.enqueue(1)
    office.store.apply(lambda draft: draft.note(EventName.MENDED, "Mend", codes=["x"]), ACTOR)
    assert back(office).sentence == "Enqueue issue 1"
