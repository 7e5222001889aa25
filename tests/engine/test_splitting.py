"""A batch that is cut in two: what goes along with its members."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Schedule
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus
from tests.engine.suites import parts, without_file
from tests.engine.test_fix import mender
from tests.engine.test_search import batch_of
from tests.engine.world import World
from tests.real_git import run_git


def conflicted_again(draft: Draft) -> None:
    """Let b1 be where its pull request has conflicted for the second time, and stand in a schedule that let it go."""
    batch = draft.state.batches["b1"]
    split = replace(batch, status=BatchStatus.REBASING, conflicts_met=2, milestone="batch/autumn")
    booked = Schedule(
        id="s1", status=ScheduleStatus.SUBMITTED, batches=("b1",), zone="UTC", released={"b1": 4}, created_at=draft.at
    )
    draft.note(EventName.SCHEDULE_ADDED, "Book b1", booked)
    draft.note(EventName.REBASING, "The target has moved under b1", split, batch="b1")


def test_fixes_and_bookings_go_along_with_the_halves(world: World) -> None:
    """What mended 1 is part of what it lands; the halves stand in the schedule of the whole, let go as that was.

    Nobody runs again, and what is dissolved of the whole takes nothing with it.
    """
    mender(
        world,
        "rm file1.txt; echo 1 > mended.txt; git add -A; git commit -qm 'Mend it'",
        more='[ship]\nmerge = "manual"\n',
    )
    parts(world, two=without_file(1))
    batch_of(world, 3)
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert [(one.issue, one.kind) for one in world.batch().beside] == [(1, "fix")]
    started = world.started()
    world.clone.store.apply(conflicted_again)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DISSOLVED, "conflicts-again")
    assert [world.entry(issue).batch for issue in (1, 2, 3)] == ["b2", "b2", "b3"]
    assert [world.batch(batch).milestone for batch in ("b2", "b3")] == ["batch/autumn"] * 2
    schedule = world.state.schedules["s1"]
    assert (schedule.batches, schedule.released) == (("b1", "b2", "b3"), {"b1": 4, "b2": 4, "b3": 4})
    assert [world.batch(batch).status for batch in ("b2", "b3")] == [BatchStatus.DONE] * 2
    assert [world.entry(issue).status for issue in (1, 2, 3)] == [EntryStatus.DONE] * 3
    span = f"{world.batch('b1').base}..main"
    subjects = run_git(world.repo, "log", "--reverse", "--format=%s", span).splitlines()
    one, other = ["Work on 1 (#1)", "Mend it (#1)", "Work on 2 (#2)"], ["Work on 3 (#3)"]
    assert subjects in (one + other, other + one)
    assert "mended.txt" in world.paths()
    assert world.started() == started
