"""What enqueue refuses, without writing anything of the call."""

from collections.abc import Callable
from functools import partial

import pytest

from gitsched.adapters.forge.local import LocalForge
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus, MemberStatus, Review, Tier
from gitsched.engine.intake import values
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
from gitsched.errors import RefusedError, TemporaryError, UsageError
from tests.engine.intake.office import ACTOR, Office, settings
from tests.engine.intake.refusal import refused

READY, FORMING = BatchStatus.READY, BatchStatus.FORMING


def test_an_active_issue_is_not_enqueued_twice(office: Office) -> None:
    """A-01: an active issue is refused by name; nothing of the call is written."""
    office.enqueue(3)
    error = refused(office, 1, lambda: office.enqueue(3))
    assert error.asked == "Issue 3 was to be enqueued."
    refused(office, 1, lambda: office.enqueue(4, 3))
    refused(office, 1, lambda: office.enqueue(4, 4))
    assert 4 not in office.state.entries


def test_nothing_waits_for_itself(office: Office) -> None:
    """A-01: a self-dependency is refused naming the issue."""
    error = refused(office, 1, lambda: office.enqueue(4, deps=(4,)))
    assert "Issue 4" in error.asked


def test_a_cycle_over_old_and_new_rows_is_named_whole(office: Office) -> None:
    """A-01: 5 → 6 → 7 → 5 over old and new rows is refused naming the whole cycle."""
    office.enqueue(5, deps=(6,))
    office.enqueue(6, deps=(7,))
    error = refused(office, 1, lambda: office.enqueue(7, deps=(5,)))
    assert "5 → 6 → 7 → 5" in error.against
    assert error.remedy.startswith("`gitsched stop 5`")


def test_a_cycle_among_new_issues_alone_is_refused(office: Office) -> None:
    assert [office.issue(deps=(11,)), office.issue(deps=(10,))] == [10, 11]
    error = refused(office, 1, lambda: office.enqueue(10, 11))
    assert "10 → 11 → 10" in error.against
    assert "`gitsched issue show 10`" in error.remedy


def test_batches_that_would_wait_for_each_others_merge_are_refused(office: Office) -> None:
    office.enqueue(3, batch="b7", leave_open=True)
    office.enqueue(1, batch="b8", deps=(3,), leave_open=True)
    error = refused(office, 1, lambda: office.enqueue(4, batch="b7", deps=(1,)))
    assert "b7 → b8 → b7" in error.against


def test_an_unknown_issue_and_a_closed_one_are_refused(office: Office) -> None:
    office.tracker.close(2)
    assert "no such issue" in refused(office, 1, lambda: office.enqueue(404)).against
    assert "closed" in refused(office, 1, lambda: office.enqueue(2)).against
    assert office.enqueue(1, deps=(404,)).entries == (1,)


def test_a_parked_issue_is_sent_to_requeue(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.VERIFYING)
    office.evict("b1", 2)
    assert "`gitsched requeue 2`" in refused(office, 1, lambda: office.enqueue(2)).remedy


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (values.issue_number, "0"),
        (values.issue_number, "-1"),
        (values.issue_number, "abc"),
        (partial(values.word_of, Tier), "huge"),
        (partial(values.word_of, Review), "deep"),
        (values.priority_of, "x"),
        (values.checked_batch_id, "B 1!"),
        (values.checked_batch_id, "i3"),
        (values.checked_batch_id, "12"),
        (values.checked_glob, "../secrets"),
        (values.group_of, "3"),
        (values.checked_hazard, "hazard:none"),
        (values.checked_reason, "two\nlines"),
    ],
    ids=[f"value-{number}" for number in range(13)],
)
def test_a_bad_value_is_a_usage_error_that_says_what_is_allowed(read: Callable[[str], object], text: str) -> None:
    """A-02: exit 2 with the allowed values."""
    with pytest.raises(UsageError, match="it takes") as caught:
        read(text)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"batch": "B 1!"},
        {"priority": 10_000_000},
        {"deps": (0,)},
        {"profile": "a b"},
        {"target": "-x"},
        {"files": ("/etc/passwd",)},
        {"groups": ((1,),)},
        {"solo": True, "batch": "b1"},
        {"solo": True, "leave_open": True},
    ],
    ids=str,
)
def test_a_bad_request_writes_nothing(office: Office, bad: dict[str, object]) -> None:
    """A-02: nothing is written."""
    refused(office, 2, lambda: office.enqueue(1, **bad))
    refused(office, 2, lambda: office.enqueue(-1))
    refused(office, 2, office.enqueue)


def test_the_allowed_words_are_named() -> None:
    with pytest.raises(UsageError, match="mechanical, mid, strong"):
        values.word_of(Tier, "huge")
    with pytest.raises(UsageError, match="light, full"):
        values.word_of(Review, "deep")
    assert values.word_of(Tier, "mid") is Tier.MID
    assert values.issue_numbers("3,#4") == (3, 4)
    assert values.group_of("4+3") == (3, 4)
    assert values.priority_of("-2") == -2


def test_one_target_and_one_profile_per_batch(office: Office) -> None:
    """A-04: a second value for target or profile is refused and the batch unchanged; one left out may come later."""
    office.enqueue(1, batch="b1", leave_open=True, target="main", profile="claude")
    for other in ({"target": "dev"}, {"profile": "codex"}):
        error = refused(office, 1, lambda other=other: office.enqueue(2, batch="b1", **other))  # type: ignore[misc]
        assert "b1" in error.against or "Its " in error.against
    office.enqueue(3, batch="b1", leave_open=True, target="main", profile="claude")
    assert office.order("b1") == [1, 3]


def test_a_value_left_out_may_be_supplied_later(office: Office) -> None:
    """A-04: the target and profile of a batch that nobody stated are taken from a later call, for all members."""
    office.enqueue(1, batch="b1", leave_open=True)
    office.enqueue(2, batch="b1", leave_open=True, target="dev", profile="codex")
    assert (office.batch("b1").target, office.batch("b1").profile) == ("dev", "codex")
    assert office.member("b1", 1).profile == "codex"
    assert office.entry(1).profile == "codex"
    refused(office, 1, lambda: office.enqueue(3, batch="b1", target="main"))
    office.enqueue(3, batch="b1")
    assert office.member("b1", 3).profile == "codex"


def test_full_reviews_and_members_have_limits(office: Office) -> None:
    """A-05: a third full review is refused by enqueue and by join, and so is a ninth member."""
    office.enqueue(1, 2, batch="b1", leave_open=True, review=Review.FULL)
    error = refused(office, 1, lambda: office.enqueue(3, batch="b1", review=Review.FULL))
    assert "`batch.max_full_review` is 2" in error.against
    refused(office, 1, lambda: office.enqueue(3, 4, 5, review=Review.FULL))
    office.enqueue(3, 4, 5, 6, 7, 8, batch="b1", leave_open=True)
    error = refused(office, 1, lambda: office.enqueue(9, batch="b1"))
    assert "`batch.max_members` is 8" in error.against
    assert "`gitsched enqueue 9 --solo`" in error.remedy


def test_a_join_takes_a_validating_batch_back_to_executing(office: Office) -> None:
    """V-05: b1 goes back to executing with 4 appended; once it is reviewing a join is refused with the reason."""
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.VALIDATING)
    before = office.batch("b1").generation
    office.enqueue(4, batch="b1")
    batch = office.batch("b1")
    assert (batch.status, batch.generation, office.order("b1")) == (BatchStatus.EXECUTING, before + 1, [1, 2, 4])
    assert office.member("b1", 4).index == 3
    office.bring("b1", BatchStatus.REVIEWING)
    assert "b1 is reviewing" in refused(office, 1, lambda: office.enqueue(5, batch="b1")).against


def test_nobody_joins_behind_a_member_that_depends_on_it(office: Office) -> None:
    office.enqueue(2, batch="b1", deps=(5,), leave_open=True)
    assert "depends on 5" in refused(office, 1, lambda: office.enqueue(5, batch="b1")).against


def test_a_member_that_left_does_not_join_again(office: Office) -> None:
    office.enqueue(1, 2)
    stop(office.store, StopRequest("2"), ACTOR)
    assert "was a member of b1 before" in refused(office, 1, lambda: office.enqueue(2, batch="b1")).against


def test_a_group_lies_inside_its_batch(office: Office) -> None:
    assert "no member" in refused(office, 1, lambda: office.enqueue(1, 2, groups=((2, 3),))).against
    office.enqueue(1, 2, batch="b1", leave_open=True)
    office.enqueue(3, batch="b1", groups=((1, 3),))
    assert office.batch("b1").groups == ((1, 3),)
    assert [office.member("b1", issue).group for issue in (1, 2, 3)] == [(1, 3), (), (1, 3)]
    assert (
        "fixed when it was sealed"
        in refused(office, 1, lambda: office.enqueue(4, batch="b1", groups=((1, 4),))).against
    )


def test_a_failed_set_is_not_put_together_again(office: Office) -> None:
    from msgspec.structs import replace

    from gitsched.domain.events import EventName

    failed = replace(office.state.control, failed_sets=((1, 2, 3),))
    office.store.apply(lambda draft: draft.note(EventName.BATCH_DISSOLVED, "Remember", failed))
    assert "the set is the same" in refused(office, 1, lambda: office.enqueue(3, 1, 2)).against
    assert office.enqueue(1, 2, 3, 4).batch == "b1"


def test_an_unreachable_forge_is_no_unknown_issue(office: Office) -> None:
    class Away(LocalForge):
        def __init__(self) -> None:
            pass

        def issues(self, numbers: object = None) -> Unreachable:  # type: ignore[override]
            return Unreachable(what="The forge", detail="no route")

    request = EnqueueRequest(issues=(1,))
    with pytest.raises(TemporaryError, match="no route") as caught:
        enqueue(office.store, Away(), settings(), request, ACTOR)
    assert caught.value.exit_code == 75


def test_nothing_stands_against_a_refusal_that_is_none(office: Office) -> None:
    office.enqueue(1)
    stop(office.store, StopRequest("1"), ACTOR)
    assert office.enqueue(1).entries == (1,)
    with pytest.raises(RefusedError):
        office.enqueue(1)
