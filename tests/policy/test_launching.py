"""What stands against starting an agent that has its slot, and where its branch begins."""

from typing import Any

import pytest

from gitsched.domain.forge import Issue
from gitsched.domain.records import Entry, Exit, Member
from gitsched.domain.words import BatchStatus, Dispatch, EntryStatus, MemberStatus
from gitsched.policy.launching import Anew, Beginning, BranchLook, Carry, GoOn, beginning, stands_against
from tests.policy.situations import a_batch, a_member, a_state, an_entry, settings

OPEN = Issue(number=1, title="x")
PRIOR = Exit(batch="i1", issue=1, kind="evicted", reason="x", cut="old", head="kept", branch="b")


def against(issue: Issue | None, member: Member | None = None, entry: Entry | None = None, **batch: Any) -> str | None:
    """Ask about member 1 of b1."""
    asked = member or a_member(1, MemberStatus.PREPARING)
    row = entry or an_entry(1, EntryStatus.ASSIGNED, batch="b1")
    return stands_against(a_state(a_batch(1, **batch), asked, row), settings(), asked, issue)


def test_nothing_stands_against_it() -> None:
    """Also where the forge does not have the issue at all."""
    assert against(OPEN) is None
    assert against(None) is None


@pytest.mark.parametrize(
    ("issue", "member", "entry", "why"),
    [
        (Issue(number=1, title="x", labels=("epic",)), {}, {}, "label:epic"),
        (Issue(number=1, title="x", is_open=False), {}, {}, "closed"),
        (OPEN, {"hold": "operator"}, {}, "held:operator"),
        (OPEN, {}, {"hold": "later"}, "held:later"),
        (OPEN, {}, {"status": EntryStatus.BLOCKED, "reason": "dep-failed:2"}, "dep-failed:2"),
    ],
)
def test_what_came_since_the_slot_was_reserved(
    issue: Issue, member: dict[str, Any], entry: dict[str, Any], why: str
) -> None:
    """A-06, A-07: label, closing, hold, and a row that is blocked."""
    row = {"status": EntryStatus.ASSIGNED, "batch": "b1", **entry}
    assert against(issue, a_member(1, MemberStatus.PREPARING, **member), an_entry(1, **row)) == why


def test_nobody_starts_in_a_batch_that_waits_for_a_person() -> None:
    """A run that is started again there waits as well; so does one whose batch or row does not decode."""
    assert against(OPEN, status=BatchStatus.BLOCKED, reason="landing-failed") == "held:landing-failed"
    alone = a_member(1, MemberStatus.PREPARING)
    assert stands_against(a_state(), settings(), alone, OPEN) == "held:record-unreadable"
    assert stands_against(a_state(a_batch(1)), settings(), alone, OPEN) is None


def begins(member: Member, dispatch: Dispatch = Dispatch.PARALLEL, **look: Any) -> Beginning:
    """Say where a member of b1 begins."""
    seen = {"tree_is_here": False, "tip": None, "tip_holds_cut": False, "kept": None, **look}
    return beginning(a_batch(1, dispatch=dispatch), member, (member,), BranchLook(**seen))


def test_a_member_without_any_work_begins_at_the_base_or_the_head() -> None:
    """Of a serial batch at the head."""
    assert begins(a_member(1)) == Anew("base")
    assert begins(a_member(1), Dispatch.SERIAL) == Anew("head")


def test_what_is_there_is_gone_on_with() -> None:
    """A tree as it stands, or commits on the branch whose tree is gone; not a branch that stands elsewhere."""
    cut = a_member(1, cut="cut", start="start")
    assert begins(cut, tree_is_here=True) == GoOn("cut", "start", "start")
    assert begins(a_member(1, cut="cut"), tree_is_here=True) == GoOn("cut", "cut", "cut")
    assert begins(cut, tip="tip", tip_holds_cut=True) == GoOn("cut", "tip", "start")
    assert begins(a_member(1, cut="cut"), tip="tip", tip_holds_cut=True) == GoOn("cut", "tip", "cut")
    assert begins(cut, tip="tip") == Anew("base")
    assert begins(cut, tip="cut", tip_holds_cut=True) == Anew("base")


def test_earlier_work_is_carried_along() -> None:
    """Unless there is none left of it, or it has conflicted once: then it is only shown."""
    assert begins(a_member(1, prior=PRIOR), kept="kept") == Carry("base", "old", "kept")
    assert begins(a_member(1, prior=PRIOR), kept="old") == Anew("base")
    assert begins(a_member(1, prior=PRIOR)) == Anew("base")
    assert begins(a_member(1, prior=PRIOR, retries={"conflict": 1}), kept="kept") == Anew("head", earlier="kept")
