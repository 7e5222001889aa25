"""Why: one state, at least one reason for everything that does not run, and one next step."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.config.parse import parse_settings
from gitsched.domain.events import Event, EventName
from gitsched.domain.records import Exit, PullRequest
from gitsched.domain.words import (
    LEFT_MEMBERS,
    BatchStatus,
    EntryStatus,
    MemberStatus,
    PullRequestState,
)
from gitsched.view.why import AT_WORK, bearer, render_why, why
from tests.view.pictures import AT, a_batch, a_driver, a_lease, a_member, a_picture, an_entry, an_event

LIVE_MEMBERS = [status for status in MemberStatus if status not in LEFT_MEMBERS]


@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize("status", list(EntryStatus))
def test_every_entry_has_a_reason_and_a_next_step(status: EntryStatus, driven: bool) -> None:
    """I-09: exactly one state and at least one reason for each entry that does not run."""
    entry = an_entry(3, status=status)
    answer = why(a_picture(entry, *([a_driver()] if driven else [])), entry)
    assert answer.state == status
    assert answer.reasons
    assert answer.next


@pytest.mark.parametrize("batch_status", [s for s in BatchStatus if s is not BatchStatus.FORMING])
@pytest.mark.parametrize("status", LIVE_MEMBERS)
def test_every_member_that_does_not_run_has_a_reason(status: MemberStatus, batch_status: BatchStatus) -> None:
    """I-09: the same for members, in whatever state their batch is."""
    entry = an_entry(3, status=EntryStatus.ASSIGNED, batch="b1")
    answer = why(a_picture(entry, a_batch(3, status=batch_status), a_member(3, status=status)), entry)
    assert answer.state == status
    assert bool(answer.reasons) is (status not in AT_WORK)
    assert answer.next


@pytest.mark.parametrize("status", list(BatchStatus))
def test_every_batch_that_does_not_run_has_a_reason(status: BatchStatus) -> None:
    """I-09: the same for batches; never an empty reason on a blocked one."""
    batch = a_batch(3, status=status)
    answer = why(a_picture(batch, a_member(3)), batch)
    assert answer.state == status
    assert all(answer.reasons)
    assert answer.reasons
    assert answer.next


def test_all_reasons_of_the_plan_are_told_in_its_order() -> None:
    entry = an_entry(3)
    answer = why(a_picture(entry, waits={3: ("dependency:2", "capacity")}), entry)
    assert answer.document == {
        "unit": "3",
        "state": "queued",
        "reasons": ["dependency:2", "capacity"],
        "next": "gitsched why 2",
    }
    assert answer.sentences == ("It depends on issue 2.", "Every slot is taken.")


def test_a_batch_at_work_needs_no_reason() -> None:
    batch = a_batch(3)
    assert why(a_picture(batch, a_member(3), a_lease(3)), batch).reasons == ()


def test_a_batch_that_waits_tells_what_its_members_wait_for_each_once() -> None:
    batch = a_batch(3, 4)
    picture = a_picture(batch, a_member(3), a_member(4, 2), waits={3: ("paused",), 4: ("paused", "capacity")})
    assert why(picture, batch).reasons == ("paused", "capacity")
    assert why(picture, batch).next == "gitsched resume"


def test_what_only_lacks_a_driver_says_so() -> None:
    entry = an_entry(3)
    alone = why(a_picture(entry), entry)
    driven = why(a_picture(entry, a_driver()), entry)
    assert (alone.reasons, alone.next) == (("driver-lost",), "gitsched run")
    assert driven.reasons == ("queued",)


def test_a_held_member_says_what_holds_it() -> None:
    entry = an_entry(3, status=EntryStatus.ASSIGNED, batch="b1")
    held = a_member(3, status=MemberStatus.RUNNING, hold="out-of-scope")
    answer = why(a_picture(entry, a_batch(3), held), entry)
    assert (answer.reasons, answer.next) == (("held:out-of-scope",), "gitsched resume 3")


def test_a_hand_back_is_told_in_the_agents_own_words() -> None:
    exit_ = Exit(batch="b1", issue=3, kind="handed-back", reason="timeout: the page is gone")
    entry = an_entry(3, status=EntryStatus.PARKED, reason=exit_.reason, evidence=(exit_,))
    answer = why(a_picture(entry), entry)
    assert answer.reasons == ("timeout: the page is gone",)
    assert answer.sentences == ("timeout: the page is gone",)
    assert answer.next == "gitsched requeue 3"


@pytest.mark.parametrize(("merge", "step"), [("manual", "gitsched pr merge 7"), ("direct", "It merges by itself.")])
def test_a_batch_that_waits_for_its_merge_names_the_command_unless_it_merges_by_itself(merge: str, step: str) -> None:
    request = PullRequest(number=7, state=PullRequestState.OPEN, head="1" * 40)
    batch = a_batch(3, status=BatchStatus.AWAITING_MERGE, pr=request)
    picture = replace(a_picture(batch), current=parse_settings(f'[ship]\nmerge = "{merge}"\n'))
    assert why(picture, batch).next == step


def test_a_landed_member_waits_for_what_its_batch_waits_for() -> None:
    entry = an_entry(3, status=EntryStatus.ASSIGNED, batch="b1")
    batch = a_batch(3, status=BatchStatus.BLOCKED, reason="suite-unreadable")
    answer = why(a_picture(entry, batch, a_member(3, status=MemberStatus.LANDED)), entry)
    assert answer.reasons == ("suite-unreadable",)
    assert answer.sentences == ("The suite came to 'unreadable', which decides nothing.",)


def test_the_sentence_of_the_table_says_how_it_came_here() -> None:
    entry = an_entry(3, status=EntryStatus.PARKED, reason="suite-failed")
    last = an_event(EventName.MEMBER_EVICTED)
    text = render_why(why(a_picture(entry), entry, last), last)
    assert text.splitlines() == [
        "3 is parked since 2026-01-02 03:04:05 UTC.",
        "It was taken out of its batch; its work is kept.",
        "The suite was red because of it.",
        "Reason: suite-failed",
        "Next: gitsched requeue 3",
    ]


@pytest.mark.parametrize(
    ("status", "event"), [(BatchStatus.BLOCKED, EventName.BATCH_BLOCKED), (BatchStatus.READY, EventName.SEALED)]
)
def test_a_batch_tells_how_it_came_here_too(status: BatchStatus, event: EventName) -> None:
    batch = a_batch(3, status=status, reason="base-red" if status is BatchStatus.BLOCKED else None)
    assert why(a_picture(batch, a_member(3)), batch, an_event(event)).sentences[0].endswith((".",))


def test_an_assigned_issue_is_borne_by_its_member_and_a_done_one_by_its_row() -> None:
    assigned, done = (
        an_entry(3, status=EntryStatus.ASSIGNED, batch="b1"),
        an_entry(4, status=EntryStatus.DONE, batch="b1"),
    )
    members = a_member(3, status=MemberStatus.RUNNING), a_member(4, 2, status=MemberStatus.SHIPPED)
    picture = a_picture(assigned, done, a_batch(3, 4), *members)
    assert bearer(picture, assigned) == members[0]
    assert bearer(picture, done) == done
    assert bearer(picture, picture.state.batches["b1"]) == picture.state.batches["b1"]
    member_came = why(picture, assigned, Event(name=EventName.SPAWNED, at=AT, sentence="s"))
    assert member_came.sentences == ("Its agent was started.",)


def test_a_profile_that_came_after_the_seal_is_taken_by_a_reload() -> None:
    """What `gitsched doctor` finds nothing wrong with: the batch does not know the profile yet."""
    now = parse_settings('[agents]\ndefault = "mine"\n[agents.mine]\ncommand = ["mine"]\n')
    entry, batch = an_entry(3, status=EntryStatus.ASSIGNED, batch="b1"), a_batch(3, status=BatchStatus.READY)
    waits = {3: ("profile-missing:mine",)}
    fields: dict[str, Any] = {"waits": waits, "current": now, "sealed": {"b1": parse_settings("")}}
    picture = a_picture(entry, batch, a_member(3, status=MemberStatus.WAITING), **fields)
    answers = (why(picture, entry), why(picture, batch))
    assert [answer.next for answer in answers] == ["gitsched resume b1 --reload"] * 2
    assert [answer.reasons for answer in answers] == [("profile-missing:mine",)] * 2
    assert answers[0].sentences == ("Its batch was sealed before the agent profile 'mine' was written.",)


@pytest.mark.parametrize(
    ("status", "reason", "asked"),
    [
        (BatchStatus.AWAITING_MERGE, None, "gitsched pr merge 7"),
        (BatchStatus.BLOCKED, "suite-broken", "gitsched resume b1"),
        (BatchStatus.VALIDATING, None, "gitsched run"),
    ],
)
def test_a_landed_member_asks_for_what_its_batch_asks_for(status: BatchStatus, reason: str | None, asked: str) -> None:
    """Not for another `why`: the step stands where it was asked for; nobody drives here."""
    request = PullRequest(number=7, state=PullRequestState.OPEN, head="1" * 40)
    entry = an_entry(3, status=EntryStatus.ASSIGNED, batch="b1")
    batch = a_batch(3, status=status, reason=reason, pr=request)
    assert why(a_picture(entry, batch, a_member(3, status=MemberStatus.LANDED)), entry).next == asked
