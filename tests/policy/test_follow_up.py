"""Which failures get a draft of an issue."""

import pytest
from msgspec.structs import replace

from gitsched.domain.queue_effects import OpenFollowUp
from gitsched.domain.records import Entry, Exit
from gitsched.domain.words import EntryStatus
from gitsched.policy.follow_up import failure_of, follow_up_steps
from gitsched.policy.idle import waits_for_a_person
from tests.policy.situations import a_situation, a_state, an_entry, settings

ON = settings("[follow_up]\nenabled = true\n")


def failed(
    issue: int = 1, reason: str = "gate-failed:unit", *, kind: str = "evicted", told: int | None = None
) -> Entry:
    exit_ = Exit(batch="b1", issue=issue, kind=kind, reason=reason, follow_up=told)
    return replace(an_entry(issue), status=EntryStatus.PARKED, reason=reason, evidence=(exit_,))


def test_a_failure_that_waits_for_a_person_gets_one_where_that_is_asked_for() -> None:
    state = a_state(failed(2), failed(1, "environment:disk"), an_entry(3))
    assert list(follow_up_steps(a_situation(state, ON))) == [OpenFollowUp(1), OpenFollowUp(2)]
    assert list(follow_up_steps(a_situation(state))) == []
    assert waits_for_a_person(state, OpenFollowUp(1)), "a forge that is away keeps nobody from ending"


@pytest.mark.parametrize(
    "entry",
    [
        failed(told=7),
        failed(kind="handed-back"),
        failed(kind="stopped"),
        failed(reason="operator"),
        failed(reason="group-of:2"),
        failed(reason="depends-on-evicted:2"),
        replace(failed(), status=EntryStatus.QUEUED),
        replace(failed(), evidence=()),
    ],
    ids=["told", "handed-back", "stopped", "operator", "group", "dependency", "queued-again", "no-exit"],
)
def test_nothing_else_does(entry: Entry) -> None:
    assert failure_of(entry) is None


def test_what_gave_up_for_good_does_too() -> None:
    assert failure_of(replace(failed(reason="escalation-cap"), status=EntryStatus.FAILED)) is not None
