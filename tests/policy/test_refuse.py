"""What stands against enqueuing, where only a particular state shows it."""

from immutables import Map

from gitsched.domain.forge import Issue
from gitsched.domain.records import Batch, Entry, Integration, Slot
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus
from gitsched.policy.refuse import dependency_faults, issue_faults, join_faults
from tests.policy.situations import a_state, an_entry

FAILED = Entry(issue=3, title="Work", status=EntryStatus.FAILED, reason="pr-closed-unmerged")
FOUND = {3: Issue(number=3, title="Work")}


def a_batch(status: BatchStatus, kind: BatchKind = BatchKind.BATCH) -> Batch:
    return Batch(
        id="b1",
        kind=kind,
        status=status,
        reason="pr-closed-unmerged",
        members=(Slot(index=1, issue=3),),
        target="main",
        integration=Integration(branch="gitsched/b1/integration"),
    )


def with_failed(batch: Batch) -> State:
    return State(entries=Map({3: FAILED}), batches=Map({"b1": batch}))


def test_a_failed_issue_waits_for_the_end_of_its_batch() -> None:
    live, over = (with_failed(a_batch(status)) for status in (BatchStatus.BLOCKED, BatchStatus.STOPPED))
    (fault,) = issue_faults(live, [3], FOUND)
    assert "its batch b1 is not over" in fault.against
    assert list(issue_faults(over, [3], FOUND)) == []


def test_nobody_joins_a_solo_batch_or_one_that_is_blocked() -> None:
    row = Entry(issue=4, title="More", status=EntryStatus.QUEUED)
    for batch, words in (
        (a_batch(BatchStatus.READY, BatchKind.SOLO), "the batch of a single issue"),
        (a_batch(BatchStatus.BLOCKED), "b1 is blocked (pr-closed-unmerged)"),
    ):
        (fault,) = join_faults(with_failed(batch), batch, [row])
        assert words in fault.against
        assert "`gitsched enqueue 4 --solo`" in fault.remedy


def test_a_cycle_is_the_one_fault_that_is_told() -> None:
    """Once issues would wait for one another, nothing more is asked of their batches."""
    rows = [an_entry(5, deps=(6,)), an_entry(6, deps=(5,))]
    faults = list(dependency_faults(a_state(), rows, None))
    assert len(faults) == 1
    assert "5 → 6 → 5" in str(faults[0])


def test_all_issues_that_are_missing_are_named_at_once() -> None:
    first, *_ = issue_faults(a_state(), [3, 8, 9], FOUND)
    assert (first.asked, first.against) == ("Issues 8, 9 were to be enqueued.", "The forge has no such issues.")
