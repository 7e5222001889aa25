"""GitHub milestones as batches: who joins, who leaves, in which order, and when they are sealed."""

import pytest
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.instants import after
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus as B
from gitsched.domain.words import EntryStatus, MemberStatus, Review
from gitsched.engine.intake.pausing import OPERATOR
from gitsched.errors import TemporaryError
from tests.commands.conftest import Hall


def test_a_milestone_is_a_batch_by_issue_number(hall: Hall) -> None:
    """W-26: milestoned in any order; an operator's order holds before the seal and is refused after; v2.0 is none."""
    hall.milestones.put("v2.0", 1)
    hall.milestones.put("batch/login", 7, 4)
    hall.reconcile()
    hall.milestones.put("batch/login", 7, 4, 5)
    hall.reconcile()
    assert hall.batch("login").status is B.FORMING
    assert hall.order("login") == [4, 5, 7]
    assert 1 not in hall.state.entries
    hall.say("/gitsched order #7 #4 #5", number=4)
    hall.milestones.put("batch/login", 7, 4, 5, 2)
    hall.reconcile()
    assert hall.order("login") == [7, 4, 5, 2]
    hall.say("/gitsched start", number=4)
    hall.say("/gitsched order #4 #7", number=4)
    assert "member order is fixed" in hall.answer(4, 1002)
    assert hall.reconcile() == 0


def test_dependencies_stand_before_what_depends_on_them(hall: Hall) -> None:
    dependent = hall.issue(deps=(9,))
    first = hall.issue(deps=(dependent,))
    hall.milestones.put("batch/x", 9, dependent, first)
    hall.reconcile()
    hall.milestones.put("batch/x", 9, dependent, first, 3)
    hall.reconcile()
    assert hall.order("x") == [3, 9, dependent, first]


def test_a_cycle_is_refused_when_it_is_planned(hall: Hall) -> None:
    """W-29: the issue that would close it is refused, and told the whole of it, once."""
    assert [hall.issue(deps=(11,)), hall.issue(deps=(10,))] == [10, 11]
    hall.milestones.put("batch/x", 3, 10, 11)
    for _ in range(2):
        hall.reconcile()
    assert hall.order("x") == [3, 10]
    assert 11 not in hall.state.entries
    ((told, answer),) = hall.talk.answers.items()
    assert told == (11, "gitsched:milestone:x:11")
    assert "10 → 11 → 10" in answer


def test_a_milestone_is_held_to_the_limits_of_a_batch(hall: Hall) -> None:
    """A-05: a ninth member and a third full review are refused with the limit, said once on the issue itself."""
    hall.milestones.put("batch/login", *range(1, 10))
    for _ in range(2):
        hall.reconcile()
    assert hall.order("login") == list(range(1, 9))
    ((told, answer),) = hall.talk.answers.items()
    assert told == (9, "gitsched:milestone:login:9")
    assert "max_members" in answer


def test_a_milestone_takes_no_third_full_review(hall: Hall) -> None:
    """A-05: the other two join."""
    for issue in (1, 2, 3):
        hall.enqueue(issue, review=Review.FULL)
    hall.milestones.put("batch/login", 1, 2, 3)
    hall.reconcile()
    assert hall.order("login") == [1, 2]
    ((told, answer),) = hall.talk.answers.items()
    assert told == (3, "gitsched:milestone:login:3")
    assert "3 full reviews" in answer


def test_an_issue_leaves_before_its_dispatch_and_stays_after(hall: Hall) -> None:
    """W-27: 9 leaves the batch; 4 stays a member and the refusal is said once."""
    hall.milestones.put("batch/login", 4, 9, 2)
    hall.reconcile()
    hall.milestones.put("batch/login", 4, 2)
    hall.reconcile()
    assert hall.order("login") == [2, 4]
    assert 9 not in hall.state.entries
    hall.bring("login", B.EXECUTING)
    hall.run("login", 4, MemberStatus.PREPARING)
    hall.milestones.put("batch/login", 2)
    for _ in range(2):
        hall.reconcile()
    assert hall.member("login", 4).status is MemberStatus.PREPARING
    assert list(hall.talk.answers) == [(4, "gitsched:milestone:login:4")]


def test_an_issue_that_comes_back_is_a_member_again(hall: Hall) -> None:
    hall.milestones.put("batch/login", 4, 9)
    hall.reconcile()
    hall.milestones.put("batch/login", 4)
    hall.reconcile()
    hall.milestones.put("batch/login", 4, 9)
    hall.reconcile()
    assert hall.order("login") == [4, 9]


def test_what_was_queued_before_is_queued_again_and_held(hall: Hall) -> None:
    """A batch that nobody sealed is no reason to run an issue that was taken out of it."""
    hall.enqueue(9)
    hall.milestones.put("batch/login", 4, 9)
    hall.reconcile()
    hall.milestones.put("batch/login", 4)
    hall.reconcile()
    left = hall.entry(9)
    assert (left.status, left.batch, left.hold) == (EntryStatus.QUEUED, None, "demilestoned")
    hall.milestones.put("batch/login", 4, 9)
    hall.reconcile()
    assert hall.order("login") == [4, 9]
    assert (hall.entry(9).hold, hall.member("login", 9).hold) == (None, None)


def test_a_waiting_member_of_a_sealed_batch_leaves_with_its_history(hall: Hall) -> None:
    hall.milestones.put("batch/login", 4, 9)
    hall.reconcile()
    hall.bring("login", B.EXECUTING)
    hall.milestones.put("batch/login", 4)
    hall.reconcile()
    assert hall.member("login", 9).status is MemberStatus.WITHDRAWN
    hall.milestones.put("batch/login")
    hall.reconcile()
    assert hall.member("login", 4).status is MemberStatus.WAITING


def test_a_queued_issue_is_adopted_and_a_bad_one_keeps_no_other_out(hall: Hall) -> None:
    hall.enqueue(2)
    hall.enqueue(3)
    hall.form_solo(3)
    hall.evict("i3", 3)
    hall.milestones.put("batch/x", 1, 2, 3)
    hall.reconcile()
    assert hall.order("x") == [1, 2]
    assert "It is parked" in hall.talk.answers[3, "gitsched:milestone:x:3"]


@pytest.mark.parametrize("how", ["due", "command", "quiet"])
def test_whatever_comes_first_seals_it_once(hall: Hall, how: str) -> None:
    """W-28: a due date, `/gitsched start`, or quiet."""
    hall.milestones.put("batch/login", 4)
    hall.reconcile()
    hall.reconcile()
    assert hall.batch("login").status is B.FORMING
    if how == "due":
        hall.milestones.put("batch/login", 4, due_at=hall.clock.now())
    elif how == "command":
        hall.say("/gitsched start", number=4)
    else:
        hall.settings = replace(hall.settings, batch=replace(hall.settings.batch, seal_after_s=600.0))
        hall.reconcile()
        assert hall.batch("login").status is B.FORMING
        _age(hall, "login", 601.0)
    for _ in range(2):
        hall.reconcile()
    assert (hall.batch("login").status, hall.batch("login").generation) == (B.READY, 1)


def test_without_an_open_issue_it_is_not_sealed_and_says_why(hall: Hall) -> None:
    """W-28: the reason is shown, and goes when an issue is open again."""
    hall.milestones.put("batch/login", 4, due_at=hall.clock.now())
    hall.reconcile()
    hall.forge.close_issue(4)
    hall.reconcile()
    hall.reconcile()
    assert (hall.batch("login").status, hall.batch("login").reason) == (B.FORMING, "no-open-issue")
    hall.say("/gitsched why login")
    assert "none of its issues is open" in hall.answer()
    hall.tracker.reopen(4)
    hall.reconcile()
    assert (hall.batch("login").status, hall.batch("login").reason) == (B.READY, None)


def bring_to_its_end(hall: Hall) -> None:
    """Let the batch `login` ship, report and clear away."""
    hall.bring("login", B.AWAITING_MERGE)
    for event, status in (
        (EventName.MERGE_ACCEPTED, B.MERGED),
        (EventName.DEPLOYED, B.DEPLOYED),
        (EventName.REPORTED, B.REPORTED),
        (EventName.TEARDOWN_DONE, B.DONE),
    ):
        hall.store.apply(lambda draft, e=event, s=status: _to(draft, e, s))  # type: ignore[misc]


def test_the_milestone_of_a_batch_that_is_done_is_closed_with_a_word(hall: Hall) -> None:
    hall.milestones.put("batch/login", 4)
    hall.reconcile()
    bring_to_its_end(hall)
    hall.reconcile()
    assert hall.milestones.told == {1: "Done."}
    assert hall.reconcile() == 0


def test_names_are_made_of_titles(hall: Hall) -> None:
    hall.milestones.put("batch/Log in & out!", 1)
    hall.milestones.put("batch/42", 2)
    hall.milestones.put("batch/log-in-out", 3)
    hall.reconcile()
    assert sorted((batch.id, batch.milestone) for batch in hall.state.batches.values()) == [
        ("b1", "batch/42"),
        ("b2", "batch/log-in-out"),
        ("log-in-out", "batch/Log in & out!"),
    ]


def test_a_set_that_failed_before_is_not_sealed_and_that_is_said(hall: Hall) -> None:
    hall.milestones.put("batch/login", 4, 9, due_at=hall.clock.now())
    hall.reconcile()

    def fail(draft: Draft) -> None:
        failed = replace(draft.state.control, failed_sets=((4, 9),))
        draft.note(EventName.PAUSED, "Note", failed, reason=OPERATOR)

    hall.store.apply(fail)
    hall.reconcile()
    assert hall.batch("login").status is B.FORMING
    assert (4, "gitsched:milestone:login:4") in hall.talk.answers


def test_an_unreachable_forge_decides_nothing(hall: Hall) -> None:
    hall.milestones.is_reachable = False
    with pytest.raises(TemporaryError):
        hall.reconcile()


def _age(hall: Hall, batch: str, seconds: float) -> None:
    def intent(draft: Draft) -> None:
        was = draft.state.batches[batch]
        draft.note(EventName.REPRIORITIZED, "Age", replace(was, updated_at=after(draft.at, -seconds)), batch=batch)

    hall.store.apply(intent)


def _to(draft: Draft, event: EventName, status: B) -> None:
    draft.note(event, "Move", replace(draft.state.batches["login"], status=status), batch="login")
