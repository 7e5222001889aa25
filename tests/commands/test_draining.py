"""Deliveries are worked off: each once, none holds another up, and what got lost is found by looking again."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.adapters.store.inbox import InboxRef
from gitsched.domain.commands import Reaction, Spoken
from gitsched.domain.deliveries import Delivery, FailedDelivery
from gitsched.domain.instants import Instant, after
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus as B
from gitsched.domain.words import EntryStatus
from gitsched.engine.deliveries.draining import Drained, drain
from gitsched.engine.deliveries.looking_again import expect_all_heard, poll_comments, sweep_deliveries
from gitsched.errors import TemporaryError
from tests.commands.conftest import Hall


class Courier:
    """The Courier port in memory."""

    def __init__(self, *failed: FailedDelivery) -> None:
        self.failed: tuple[FailedDelivery, ...] | Unreachable = failed
        self.asked: list[int] = []

    def failed_since(self, at: Instant) -> tuple[FailedDelivery, ...] | Unreachable:
        return self.failed

    def ask_again(self, attempt: int) -> None:
        self.asked.append(attempt)


@pytest.fixture
def box(hall: Hall) -> InboxRef:
    return InboxRef(hall.store.place.common, hall.clock, fsync=False)


def told(hall: Hall, spoken: Spoken | None = None, name: str = "d", **fields: Any) -> Delivery:
    made = Delivery(id=name, event="issue_comment", action="created", received_at=hall.clock.now())
    about = {} if spoken is None else {"comment": spoken.comment, "number": spoken.number}
    return replace(made, **{**about, **fields})


def worked_off(hall: Hall, box: InboxRef) -> Drained:
    return drain(hall.counter, box, box.waiting())


def test_a_comment_is_heard_and_the_delivery_is_done(hall: Hall, box: InboxRef) -> None:
    box.receive(told(hall, hall.talk.say(1, "/gitsched enqueue")))
    assert worked_off(hall, box).outcomes == {"d": "commands:1 accepted, 0 refused"}
    assert hall.entry(1).status is EntryStatus.QUEUED
    assert box.waiting() == ()
    assert box.knows("d")


def test_what_failed_half_way_stays_and_holds_nothing_up(hall: Hall, box: InboxRef) -> None:
    """W-05: seen is not done."""
    first = hall.talk.say(1, "/gitsched enqueue")
    box.receive(told(hall, first, "a"))
    box.receive(told(hall, name="b", event="push", action=""))
    hall.talk.is_reachable = False
    drained = worked_off(hall, box)
    assert drained.outcomes == {"b": "hint"}
    assert "not now" in drained.failures["a"]
    assert [waiting.id for waiting in box.waiting()] == ["a"]
    hall.talk.is_reachable = True
    assert worked_off(hall, box).failures == {}
    assert hall.entry(1).status is EntryStatus.QUEUED
    box.receive(told(hall, first, "a"))
    assert box.waiting() == ()


def test_a_death_between_the_effect_and_the_mark_does_nothing_twice(hall: Hall, box: InboxRef) -> None:
    """W-05: the marks were not written, the ledger was."""
    box.receive(told(hall, hall.talk.say(1, "/gitsched enqueue priority=3")))
    waiting = box.waiting()
    drain(hall.counter, _Deaf(box), waiting)
    hall.say("/gitsched priority 9")
    assert worked_off(hall, box).outcomes == {"d": "commands:1 accepted, 0 refused"}
    assert hall.entry(1).priority == 9


class _Deaf:
    """An inbox whose marks get lost, as by a death."""

    def __init__(self, box: InboxRef) -> None:
        self.receive, self.waiting, self.knows = box.receive, box.waiting, box.knows

    def settle(self, outcomes: object) -> None:
        """Lose them."""


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"event": "ping", "action": ""}, "ignored:unknown-event"),
        ({"event": "starred", "action": "created"}, "ignored:unknown-event"),
        ({"event": "issues", "action": "pinned"}, "ignored:unknown-action"),
        ({"action": "edited"}, "ignored:unknown-action"),
        ({"action": "deleted"}, "ignored:unknown-action"),
        ({}, "ignored:no-comment"),
        ({"comment": 1}, "ignored:comment-gone"),
        ({"event": "installation", "action": "created"}, "tenancy"),
        ({"event": "pull_request", "action": "closed"}, "hint"),
    ],
)
def test_each_delivery_comes_to_something(hall: Hall, box: InboxRef, fields: dict[str, Any], outcome: str) -> None:
    """W-08, the second half: what is of no use is ignored with a reason."""
    box.receive(told(hall, **fields))
    assert worked_off(hall, box).outcomes == {"d": outcome}


def test_a_milestone_s_delivery_lets_the_forge_be_asked(hall: Hall, box: InboxRef) -> None:
    """W-09: a `demilestoned` without the old milestone: what the forge says is compared with the state."""
    hall.milestones.put("batch/login", 4, 9)
    box.receive(told(hall, event="issues", action="milestoned", number=4))
    worked_off(hall, box)
    assert hall.order("login") == [4, 9]
    hall.milestones.put("batch/login", 4)
    box.receive(told(hall, name="e", event="issues", action="demilestoned"))
    worked_off(hall, box)
    assert hall.order("login") == [4]


def test_a_delivery_is_a_hint_and_no_fact(hall: Hall, box: InboxRef) -> None:
    """W-07, here: `closed` was said of an open request; nothing changes but that the drivers look."""
    hall.enqueue(1, 2)
    hall.bring("b1", B.AWAITING_MERGE)
    before = hall.state
    box.receive(told(hall, event="pull_request", action="closed", number=12))
    worked_off(hall, box)
    assert hall.state == before
    assert hall.woken == 1


def test_what_was_deleted_before_it_was_read_never_runs(hall: Hall, box: InboxRef) -> None:
    """W-16: by its delivery and by the poll alike."""
    spoken = hall.talk.say(1, "/gitsched pause")
    del hall.talk.comments[spoken.comment]
    box.receive(told(hall, spoken))
    assert worked_off(hall, box).outcomes == {"d": "ignored:comment-gone"}
    poll_comments(hall.counter)
    assert not hall.state.control.paused


def test_a_stop_leaves_the_rest_whole(hall: Hall, box: InboxRef) -> None:
    """W-13, here: between two deliveries."""
    for number in range(3):
        box.receive(told(hall, name=f"d{number}", event="push", action=""))
    may_go_on = iter([True, True])
    drained = drain(hall.counter, box, box.waiting(), lambda: next(may_go_on, False))
    assert list(drained.outcomes) == ["d0", "d1"]
    assert [waiting.id for waiting in box.waiting()] == ["d2"]


def test_a_lost_delivery_is_made_up_for_by_the_poll(hall: Hall) -> None:
    """W-24: the command runs once; comments of the cursor's own second are not skipped."""
    assert poll_comments(hall.counter).heard == {}
    hall.talk.now = after(hall.clock.now(), 1)
    first = hall.talk.say(1, "/gitsched enqueue")
    assert poll_comments(hall.counter).heard[first.comment].accepted_count == 1
    second = hall.talk.say(2, "/gitsched enqueue")
    assert second.updated_at == hall.state.control.comments_at
    heard = poll_comments(hall.counter).heard
    assert heard[second.comment].accepted_count == 1
    hall.store.read()
    before = hall.store.tip
    poll_comments(hall.counter)
    hall.store.read()
    assert hall.store.tip == before
    names = [str(event.name) for entry in hall.store.history() for event in entry.events]
    assert names.count("enqueued") == 2


def test_a_poll_without_an_answer_moves_nothing(hall: Hall) -> None:
    poll_comments(hall.counter)
    before = hall.state
    hall.talk.is_reachable = False
    with pytest.raises(TemporaryError):
        poll_comments(hall.counter)
    assert hall.state == before


def test_a_comment_that_cannot_be_heard_holds_up_no_other_issue(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows it on its own issue waits for it; the cursor stays before it, and the next poll hears it."""
    poll_comments(hall.counter)
    hall.talk.now = after(hall.clock.now(), 1)
    spoken = [hall.talk.say(1, "/gitsched enqueue"), hall.talk.say(1, "/gitsched hold")]
    hall.talk.now = after(hall.talk.now, 1)
    spoken.append(hall.talk.say(2, "/gitsched enqueue"))
    react = hall.talk.react

    def unreachable(comment: int, reaction: Reaction) -> None:
        if comment == spoken[0].comment:
            raise TemporaryError("A reaction was to be put.", "Not now.")
        react(comment, reaction)

    with monkeypatch.context() as patched:
        patched.setattr(hall.talk, "react", unreachable)
        polled = poll_comments(hall.counter)
    assert list(polled.heard) == [spoken[2].comment]
    assert list(polled.unheard) == [spoken[0].comment, spoken[1].comment]
    assert hall.entry(2).status is EntryStatus.QUEUED
    assert 1 not in hall.state.entries
    assert (hall.state.control.comments_at or "") < spoken[0].updated_at
    with pytest.raises(TemporaryError, match=r"Not now\. 1 more wait"):
        expect_all_heard(polled)
    polled = poll_comments(hall.counter)
    expect_all_heard(polled)
    assert hall.entry(1).hold == "operator"
    assert hall.state.control.comments_at == spoken[2].updated_at


def test_the_sweep_asks_again_for_what_is_not_here(hall: Hall, box: InboxRef) -> None:
    box.receive(told(hall, name="here"))
    courier = Courier(FailedDelivery(attempt=1, id="here"), FailedDelivery(attempt=2, id="lost"))
    assert sweep_deliveries(box, courier, hall.clock.now()) == 1
    assert courier.asked == [2]
    courier.failed = Unreachable(what="forge", detail="not now")
    with pytest.raises(TemporaryError):
        sweep_deliveries(box, courier, hall.clock.now())
