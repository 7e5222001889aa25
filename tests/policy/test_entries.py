"""What the forge and dependencies do to rows of the queue."""

from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.queue_effects import AdvanceEntry, BlockEntry, ClearEntry, Withdraw
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.policy.entries import entry_steps
from tests.policy.situations import a_batch, a_lease, a_member, a_situation, a_state, an_entry


def issue(number: int, *labels: str, is_open: bool = True, as_not_planned: bool = False) -> Issue:
    """Build an issue, open unless said otherwise."""
    return Issue(number=number, title="x", labels=labels, is_open=is_open, as_not_planned=as_not_planned)


def test_a_06_a_label_blocks_and_its_going_clears() -> None:
    """A-06: in the tick that reads it; the first blocking label is named, others of the issue do not matter."""
    state = a_state(an_entry(1))
    assert list(entry_steps(a_situation(state, issues={1: issue(1, "bug", "epic")}))) == [
        BlockEntry(1, EventName.LABEL_BLOCKED, "label:epic")
    ]
    blocked = a_state(an_entry(1, EntryStatus.BLOCKED, reason="label:epic"))
    assert list(entry_steps(a_situation(blocked, issues={1: issue(1, "epic")}))) == []
    assert list(entry_steps(a_situation(blocked, issues={1: issue(1)}))) == [ClearEntry(1, EventName.LABEL_CLEARED)]


def test_a_failed_read_changes_nothing() -> None:
    """A-06: unreachable is not empty."""
    blocked = a_state(an_entry(1, EntryStatus.BLOCKED, reason="label:epic"))
    assert list(entry_steps(a_situation(blocked, issues=Unreachable(what="forge", detail="away")))) == []


def test_a_07_closed_elsewhere() -> None:
    """A-07: as completed ends the row; as not planned blocks it, once; open again clears."""
    state = a_state(an_entry(1))
    done = issue(1, is_open=False)
    assert list(entry_steps(a_situation(state, issues={1: done}))) == [AdvanceEntry(1)]
    given_up = issue(1, is_open=False, as_not_planned=True)
    assert list(entry_steps(a_situation(state, issues={1: given_up}))) == [
        BlockEntry(1, EventName.CLOSED_ON_FORGE, "closed")
    ]
    blocked = a_state(an_entry(1, EntryStatus.BLOCKED, reason="closed"))
    assert list(entry_steps(a_situation(blocked, issues={1: given_up}))) == []
    assert list(entry_steps(a_situation(blocked, issues={1: issue(1)}))) == [ClearEntry(1, EventName.REOPENED_ON_FORGE)]


def test_r_05_a_missing_dependency_blocks_and_clears() -> None:
    """R-05: known again, it is waited for."""
    state = a_state(an_entry(9, deps=(404,)))
    assert list(entry_steps(a_situation(state))) == [BlockEntry(9, EventName.DEPENDENCY_BLOCKED, "dep-missing:404")]
    blocked = a_state(an_entry(9, EntryStatus.BLOCKED, deps=(404,), reason="dep-missing:404"), an_entry(404))
    assert list(entry_steps(a_situation(blocked))) == [ClearEntry(9, EventName.DEPENDENCY_CLEARED)]


def test_only_waiting_rows_are_looked_at_and_unknown_reasons_stay() -> None:
    """A row that is held for its record is not cleared by a clean issue."""
    state = a_state(
        an_entry(1, EntryStatus.PARKED),
        an_entry(2, EntryStatus.BLOCKED, reason="record-unreadable"),
        an_entry(3, EntryStatus.BLOCKED),
    )
    issues = {number: issue(number, "epic") if number == 1 else issue(number) for number in (1, 2, 3)}
    assert list(entry_steps(a_situation(state, issues=issues))) == []


def test_a_07_a_waiting_member_leaves_when_its_issue_is_closed() -> None:
    """A-07: either way; not one that has a slot, has started, or whose batch is not at its members."""
    state = a_state(a_batch(1, 2), a_member(1), a_member(2, MemberStatus.RUNNING))
    closed = {1: issue(1, is_open=False, as_not_planned=True), 2: issue(2, is_open=False)}
    assert list(entry_steps(a_situation(state, issues=closed))) == [Withdraw("b1", 1, is_done=False)]
    done = {1: issue(1, is_open=False), 2: issue(2)}
    assert list(entry_steps(a_situation(state, issues=done))) == [Withdraw("b1", 1, is_done=True)]
    assert list(entry_steps(a_situation(state.put(a_lease(1)), issues=closed))) == []
    shipping = state.put(a_batch(1, 2, status=BatchStatus.SHIPPING))
    assert list(entry_steps(a_situation(shipping, issues=closed))) == []
    assert list(entry_steps(a_situation(a_state(a_member(1)), issues=closed))) == []


def test_g_36_an_issue_that_the_forge_has_no_more_is_a_reason_on_its_own_row() -> None:
    """G-36 (the rule): deleted or transferred: blocked with that word; it clears should the issue be there again."""
    gone = Issue(number=1, title="x", is_open=False, as_not_planned=True, gone="deleted")
    assert list(entry_steps(a_situation(a_state(an_entry(1)), issues={1: gone}))) == [
        BlockEntry(1, EventName.CLOSED_ON_FORGE, "gone:deleted")
    ]
    blocked = a_state(an_entry(1, EntryStatus.BLOCKED, reason="gone:deleted"))
    assert list(entry_steps(a_situation(blocked, issues={1: issue(1)}))) == [ClearEntry(1, EventName.REOPENED_ON_FORGE)]
