"""Who ran when: spans from events, and what has not ended goes on."""

from gitsched.domain.events import Claim, Event, EventName
from gitsched.view.timeline import Lane, timeline

NAMES = [(3, "Three"), (4, "Four")]


def at(second: int) -> str:
    return f"2026-01-02T03:00:{second:02d}.000Z"


def an_event(name: EventName, second: int, issue: int | None = None, **fields: str | int) -> Event:
    return Event(name=name, at=at(second), sentence=f"{name}", batch="b1", issue=issue, gen=0, fields=fields)


def ended(job: str, second: int, verdict: str) -> Event:
    claims = {f"batches/b1/jobs/{job}": Claim(removed=True)}
    return Event(
        name=EventName.PROGRESS, at=at(second), sentence="", batch="b1", fields={"verdict": verdict}, claims=claims
    )


EVENTS = [
    an_event(EventName.BATCH_FORMED, 0),
    an_event(EventName.ASSIGNED, 10, 3, slot=1),
    an_event(EventName.SPAWNED, 11, 3),
    an_event(EventName.EXIT_DETECTED, 20, 3, code=0),
    an_event(EventName.JOB_CLAIMED, 20, 3, job="gate-3-unit", kind="gate"),
    ended("gate-3-unit", 22, "passed"),
    an_event(EventName.SLOT_RELEASED, 22, 3, slot=1, reason="verified"),
    an_event(EventName.MEMBER_LANDED, 23, 3),
    an_event(EventName.JOB_CLAIMED, 24, None, job="suite", kind="suite"),
    ended("suite", 30, "failed"),
]


def shown(lane: Lane) -> list[tuple[str, str, str]]:
    return [(span.kind, span.outcome, f"{span.from_at[17:19]}-{span.to_at[17:19]}") for span in lane.spans]


def test_members_checks_and_slots_have_their_lanes() -> None:
    picture = timeline(EVENTS, NAMES, at(59))
    assert picture is not None
    three, four, checks, slot = picture.lanes
    assert shown(three) == [("run", "exit 0", "11-20"), ("gate", "passed", "20-22")]
    assert [mark.word for mark in three.marks] == ["landed"]
    assert (four.spans, four.issue) == ((), 4)
    assert shown(checks) == [("suite", "failed", "24-30")]
    assert (slot.name, shown(slot)) == ("slot 1", [("slot", "verified", "10-22")])
    assert (picture.from_at, picture.to_at) == (at(10), at(30))
    assert (picture.place(at(10)), picture.place(at(20)), picture.place(at(30))) == (0, 500, 1000)
    assert picture.ticks == ((0, "0 s"), (250, "5 s"), (500, "10 s"), (750, "15 s"), (1000, "20 s"))


def test_what_goes_on_reaches_to_now_and_what_was_begun_anew_was_lost() -> None:
    events = [*EVENTS[:3], an_event(EventName.SPAWNED, 15, 3)]
    picture = timeline(events, NAMES, at(40))
    assert picture is not None
    assert shown(picture.lanes[0]) == [("run", "lost", "11-15"), ("run", "live", "15-40")]


def test_a_batch_in_which_nothing_ran_has_no_picture() -> None:
    assert timeline(EVENTS[:1], NAMES, at(59)) is None
