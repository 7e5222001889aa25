"""The state as a value, and the draft that checks every edge."""

import pytest

from gitsched.domain.events import Claim, EventName
from gitsched.domain.records import (
    Batch,
    Control,
    DayCosts,
    Driver,
    Entry,
    Format,
    Heard,
    Holder,
    Integration,
    Job,
    Judged,
    Lease,
    Member,
    Rates,
    Record,
    Schedule,
    Settings,
    Slot,
    StoredVerdict,
)
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.state import Draft, State, record_path
from gitsched.domain.words import (
    BatchKind,
    BatchStatus,
    EntryStatus,
    JobKind,
    MemberStatus,
    RunStatus,
)
from gitsched.errors import TransitionError

AT = "2026-01-01T00:00:00.000Z"
HOLDER = Holder(host="h", boot_id="b", pid=1, started="1", driver="d")
ENTRY = Entry(issue=300, title="A", status=EntryStatus.QUEUED)
MEMBER = Member(batch="b1", issue=300, index=1, title="A", status=MemberStatus.WAITING)
BATCH = Batch(
    id="b1",
    kind=BatchKind.BATCH,
    status=BatchStatus.FORMING,
    members=(Slot(index=1, issue=300), Slot(index=2, issue=301)),
    target="main",
    integration=Integration(branch="gitsched/b1/integration"),
)
LEASE = Lease(
    batch="b1",
    issue=300,
    slot=1,
    gen=0,
    status=RunStatus.ASSIGNED,
    token="t",
    holder=HOLDER,
    profile="fake",
    acquired_at=AT,
)
JOB = Job(
    batch="b1",
    name="suite",
    kind=JobKind.SUITE,
    gen=0,
    token="t",
    commit="c",
    tree="t",
    fingerprint="f",
    owner=HOLDER,
    started_at=AT,
)
JUDGED = Judged(tree="aabb", verdicts={"f": StoredVerdict(check="unit", verdict="passed", batch="b1")})
DRIVER = Driver(id="d", host="h", boot_id="b", pid=1, started="1", registered_at=AT)
HEARD = Heard(comment=300, number=1, author=7)
SETTINGS = Settings(batch="b1", hash="h", data={})
EVERY: tuple[tuple[Record, str], ...] = (
    (ENTRY, "queue/2c/300"),
    (MEMBER, "batches/b1/members/1-300"),
    (BATCH, "batches/b1/batch"),
    (SETTINGS, "batches/b1/settings"),
    (LEASE, "slots/b1/300"),
    (JOB, "batches/b1/jobs/suite"),
    (JUDGED, "judged/aa/aabb"),
    (DRIVER, "drivers/d"),
    (HEARD, "commands/2c/300"),
    (DayCosts(day="2026-11-30", profiles={"fake": {"runs": 1}}), "costs/2026-11-30"),
    (Rates(profile="fake"), "rates/fake"),
    (Schedule(id="s1", status=ScheduleStatus.SUBMITTED, zone="UTC"), "schedules/s1"),
    (Control(slots_max=3), "control"),
    (Format(store="s"), "format"),
)


@pytest.mark.parametrize(("record", "path"), EVERY)
def test_each_record_has_its_path_and_its_place(record: Record, path: str) -> None:
    """What is put is what is found there, and the state before does not change."""
    before = State()
    after = before.put(record)
    assert record_path(record) == path
    assert after.current(record) == record
    assert before.current(record) != record


@pytest.mark.parametrize("record", [record for record, _ in EVERY[:-2]])
def test_a_dropped_record_is_gone(record: Record) -> None:
    """Dropping gives the state without it."""
    assert State().put(record).drop(record) == State()


@pytest.mark.parametrize("record", [Control(), Format()])
def test_control_and_format_are_always_there(record: Record) -> None:
    """Dropping one of them is a mistake of ours."""
    with pytest.raises(AssertionError):
        State().drop(record)


def test_members_are_listed_in_member_order_and_unreadable_ones_left_out() -> None:
    """Slot 301 has no readable record."""
    state = State().put(BATCH).put(MEMBER)
    assert state.members_of(BATCH) == (MEMBER,)


def test_batches_are_listed_as_people_count() -> None:
    """b2 comes before b10."""
    names = ["b10", "b2", "i3", "b1"]
    state = State()
    for name in names:
        state = state.put(
            Batch(
                id=name,
                kind=BatchKind.BATCH,
                status=BatchStatus.FORMING,
                target="main",
                integration=Integration(branch="x"),
            )
        )
    assert [batch.id for batch in state.batches_in_order()] == ["b1", "b2", "b10", "i3"]


def test_questions_of_the_state() -> None:
    """Entries by number, jobs of a batch, a stored verdict, the live membership of an issue."""
    state = State().put(ENTRY).put(MEMBER).put(JOB).put(JUDGED)
    assert state.entries_in_order() == [ENTRY]
    assert state.jobs_of("b1") == [JOB]
    assert state.jobs_of("b2") == []
    assert state.verdict_on("aabb", "f") == JUDGED.verdicts["f"]
    assert state.verdict_on("aabb", "g") is None
    assert state.verdict_on("cc", "f") is None
    assert state.member_of_issue(300) is None
    assigned = Entry(issue=300, title="A", status=EntryStatus.ASSIGNED, batch="b1")
    assert state.put(assigned).member_of_issue(300) == MEMBER


def test_a_draft_collects_events_changes_and_claims() -> None:
    """Each event claims what it changed; statuses stand in the claim, other changes are claimed without one."""
    draft = Draft(State(), AT, "ada")
    draft.note(EventName.ENQUEUED, "Enqueue issue 300", ENTRY, issue=300, priority=3)
    draft.note(EventName.REPRIORITIZED, "Raise it", Entry(issue=300, title="B", status=EntryStatus.QUEUED))
    draft.note(EventName.DRIVER_REGISTERED, "Begin", DRIVER)
    draft.note(EventName.DRIVER_LEFT, "End", removed=[DRIVER])
    first, second, third, fourth = list(draft)
    assert first.claims == {"queue/2c/300": Claim(status="queued")}
    assert first.fields == {"priority": 3}
    assert second.claims == {"queue/2c/300": Claim()}
    assert third.claims == {"drivers/d": Claim()}
    assert fourth.claims == {"drivers/d": Claim(removed=True)}
    assert draft.changed["drivers/d"] is None
    assert draft.state.entries[300].title == "B"
    assert draft.base == State()


def test_a_refused_edge_leaves_the_draft_as_it_was() -> None:
    """Nothing of an event is recorded when one of its statuses has no edge."""
    draft = Draft(State().put(ENTRY), AT)
    done = Entry(issue=300, title="A", status=EntryStatus.DONE)
    with pytest.raises(TransitionError, match="entry"):
        draft.note(EventName.REPORTED, "Report", DRIVER, done)
    assert not draft.events
    assert draft.state == draft.base
    assert not draft.changed
