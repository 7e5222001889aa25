"""Single verbs of comments: what each comes to."""

from gitsched.domain.commands import Person, Role
from gitsched.domain.words import BatchStatus as B
from gitsched.domain.words import EntryStatus, MemberStatus
from tests.commands.conftest import Hall


def test_a_member_is_taken_out_of_its_batch(hall: Hall) -> None:
    hall.enqueue(1, 2, 3)
    hall.bring("b1", B.EXECUTING)
    hall.say("/gitsched evict #2", number=1)
    assert (hall.member("b1", 2).status, hall.entry(2).reason) == (MemberStatus.EVICTED, "operator")
    assert hall.entry(1).status is EntryStatus.ASSIGNED


def test_a_schedule_is_approved_by_its_token_alone(hall: Hall) -> None:
    hall.enqueue(1, 2)
    hall.book("b1")
    assert hall.say("/gitsched approve 0123456789abcdef").refused_count == 1
    assert "It is that of no packet as it is now" in hall.answer()
    assert hall.say(f"/gitsched approve {hall.token()}").accepted_count == 1
    assert "s1 is approved; it opens at" in hall.answer(comment=1001)
    assert (hall.state.schedules["s1"].status, hall.state.schedules["s1"].approved_by) == ("scheduled", "ada")


def test_the_last_act_is_taken_back(hall: Hall) -> None:
    hall.say("/gitsched enqueue priority=7", number=3)
    hall.say("/gitsched undo", number=3)
    assert 3 not in hall.state.entries
    assert "Taken back: Enqueue issue 3" in hall.answer(3, 1001)
    assert hall.row().is_answered, "what was heard stays heard"


def test_a_question_is_no_act_and_a_merge_is_one_that_stays(hall: Hall) -> None:
    hall.enqueue(1, 2, batch="done", leave_open=True)
    hall.say("/gitsched pause")
    hall.say("/gitsched why")
    hall.say("/gitsched undo")
    assert not hall.state.control.paused
    hall.bring("done", B.AWAITING_MERGE)
    hall.talk.roles[1] = Role.ADMIN
    hall.say("/gitsched ship done", by=Person(id=1, login="root"))
    hall.say("/gitsched undo")
    assert "What it did cannot be taken back" in hall.answer(comment=1004)
