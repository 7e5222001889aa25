"""Evictions, the dissolve threshold, and when a driver's work is over."""

import pytest

from gitsched.domain.effects import Merge
from gitsched.domain.records import Exit
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, Method
from gitsched.policy.dissolve import (
    has_landed_work,
    is_passed,
    keeps_work,
    nobody_is_left,
    threshold,
    unproven,
    withdrawal,
)
from gitsched.policy.evictions import exit_of, is_escalation_cap, parked, with_groups
from gitsched.policy.idle import is_live, is_settled, went_wrong
from gitsched.policy.ship import mismatch
from tests.policy.situations import a_batch, a_job, a_lease, a_member, a_state, an_entry, settings


@pytest.mark.parametrize(("members", "bears"), [(1, 0), (2, 1), (3, 1), (4, 2), (6, 2), (7, 3), (9, 3)])
def test_the_threshold(members: int, bears: int) -> None:
    """T = min(max(ceil(N/3), 1), N - 1); 0.333 of 6 is two, not three."""
    assert threshold(members, settings()) == bears


def test_only_evictions_for_a_cause_of_their_own_count() -> None:
    """V-36: hand-backs and members that left because of another do not."""

    def left(issue: int, kind: str = "evicted", *, counts: bool = True) -> Exit:
        return Exit(batch="b1", issue=issue, kind=kind, reason="x", counts=counts)

    three = (left(1), left(2, "handed-back"), left(3, counts=False))
    assert not is_passed(a_batch(1, 2, 3, evictions=three), settings())
    assert not is_passed(a_batch(1, 2, 3, evictions=(left(1), left(1))), settings())
    assert is_passed(a_batch(1, 2, 3, evictions=(left(1), left(2))), settings())


def test_v_38_landed_work_that_is_not_proven_is_not_given_up() -> None:
    """V-38: past the threshold the block says that dissolving was refused, and why."""
    two = tuple(Exit(batch="b1", issue=issue, kind="evicted", reason="gate-failed:unit") for issue in (2, 3))
    assert unproven(a_batch(1, 2, 3, evictions=two), settings(), "why") == "dissolve-refused:why"
    assert unproven(a_batch(1, 2, 3, evictions=two[:1]), settings(), "why") == "why"


def test_what_is_left_of_a_batch() -> None:
    """Landed work is work; all out is nobody."""
    landed, out, busy = a_member(1, MemberStatus.LANDED), a_member(2, MemberStatus.EVICTED), a_member(3)
    assert has_landed_work([landed, out])
    assert nobody_is_left([out])
    assert not nobody_is_left([out, busy])
    assert not nobody_is_left([landed, out])


def test_v_32_a_group_leaves_together() -> None:
    """V-32: 3 takes 2 along; each record names the group; the one taken along does not count."""
    members = {n: a_member(n, cut="c", head="h") for n in (1, 2, 3)}
    batch = a_batch(1, 2, 3, groups=((2, 3),))
    gone = with_groups(
        batch, (exit_of(members[3], kind="evicted", reason="suite-failed", method=Method.PATHS),), members
    )
    assert [(e.issue, e.reason, e.counts, e.group) for e in gone] == [
        (3, "suite-failed", True, (2, 3)),
        (2, "group-of:3", False, (2, 3)),
    ]
    assert with_groups(batch, (exit_of(members[1], kind="evicted", reason="x"),), members)[0].group == ()


def test_only_an_agent_at_work_hands_back() -> None:
    """Of a group that one hands back, what waits or has landed is evicted; what left before is left alone."""
    statuses = (MemberStatus.RUNNING, MemberStatus.LANDED, MemberStatus.WAITING, MemberStatus.STOPPED)
    members = {n: a_member(n, status) for n, status in enumerate(statuses, 1)}
    batch = a_batch(1, 2, 3, 4, groups=((1, 2, 3, 4),))
    gone = with_groups(batch, (exit_of(members[1], kind="handed-back", reason="x"),), members)
    assert [(e.issue, e.kind) for e in gone] == [(1, "handed-back"), (2, "evicted"), (3, "evicted")]


def test_an_exit_is_cut_to_what_a_record_holds() -> None:
    """200 characters of reason, 50 tests, and no branch for one that never had any work."""
    left = exit_of(a_member(1), kind="evicted", reason="r" * 300, failing=tuple(map(str, range(80))))
    assert (len(left.reason), len(left.failing), left.branch) == (200, 50, None)
    assert exit_of(a_member(1, cut="c"), kind="evicted", reason="x").branch == "gitsched/b1/m1-i1"


def test_an_entry_is_parked_with_its_evidence() -> None:
    """On the kept branch, out of its batch; only a solo at its last rung fails instead."""
    left = exit_of(a_member(1, cut="c"), kind="evicted", reason="escalation-cap")
    entry = parked(an_entry(1, EntryStatus.ASSIGNED, batch="b1"), left, "now")
    assert (entry.status, entry.batch, entry.branch, entry.evidence) == (
        EntryStatus.PARKED,
        None,
        "gitsched/b1/m1-i1",
        (left,),
    )
    assert is_escalation_cap(a_batch(1), left)
    assert not is_escalation_cap(a_batch(1, 2), left)


def test_g_10_commits_and_members_must_agree() -> None:
    """G-10: a missing member, a wrong order, and a commit of nobody's are named."""
    spans = [(1, ("a", "b")), (2, ("c",))]
    assert mismatch(("a", "b", "c"), spans) is None
    assert mismatch(("a", "b"), spans) == "2"
    assert mismatch(("c", "a", "b"), spans) == "1"
    assert mismatch(("a", "b", "c", "d"), spans) == "foreign"


def test_what_waits_for_a_person_is_settled() -> None:
    """Parked, blocked, held, done, or in a batch that a person must move; not what can still go on."""
    state = a_state(
        an_entry(1, EntryStatus.PARKED),
        an_entry(2, EntryStatus.DONE),
        an_entry(3, hold="later"),
        a_batch(4, status=BatchStatus.AWAITING_MERGE),
        a_member(4, MemberStatus.LANDED),
    )
    assert is_settled(state)
    assert not is_settled(state.put(an_entry(9)))
    assert is_settled(state.put(an_entry(9)), {1, 2})
    assert not is_settled(state.put(a_batch(4)))
    assert not is_settled(state, {4}, {Merge("b1")})
    assert is_settled(state, {4}, {Merge("b2")})


def test_what_is_live() -> None:
    """A run or a job."""
    assert not is_live(a_state())
    assert is_live(a_state(a_member(1), a_lease(1)))
    assert is_live(a_state(a_job()))
    for state in (a_state(a_member(1), a_lease(1)), a_state(a_job())):
        here = next(iter(state.leases.values()), None)
        host = here.holder.host if here is not None else next(iter(state.jobs.values())).owner.host
        assert (is_live(state, host), is_live(state, "another")) == (True, False)


def test_what_went_wrong_since() -> None:
    """Only what became bad during the call, and only of the named issues; of those whatever is not well."""
    before = a_state(a_batch(1, 2), a_member(1), a_member(2), an_entry(5))
    assert not went_wrong(before, None, before)
    assert went_wrong(before.put(an_entry(5, EntryStatus.PARKED)), None, before)
    assert not went_wrong(before.put(an_entry(5, EntryStatus.PARKED)), {1}, before)
    assert went_wrong(before.put(an_entry(5, hold="x")), None, before)
    parked = before.put(an_entry(5, EntryStatus.PARKED))
    assert went_wrong(parked, {5}, parked), "a driver that was killed had parked it"
    assert not went_wrong(parked, None, parked)
    blocked = before.put(a_batch(1, 2, status=BatchStatus.BLOCKED)).put(an_entry(1, EntryStatus.ASSIGNED, batch="b1"))
    assert went_wrong(blocked, {1}, blocked)
    assert not went_wrong(blocked, {5}, blocked)
    held = before.put(a_member(1, hold="x")).put(an_entry(1, EntryStatus.ASSIGNED, batch="b1"))
    assert went_wrong(held, {1}, held)
    assert went_wrong(before.put(a_batch(1, 2, status=BatchStatus.BLOCKED)), None, before)
    left = Exit(batch="b1", issue=1, kind="evicted", reason="x")
    assert went_wrong(before.put(a_batch(1, 2, status=BatchStatus.DONE, evictions=(left,))), None, before)


def test_v_39_a_member_leaves_without_a_cause() -> None:
    """V-39: what was at work is parked with its work, what never started is queued; kept work stays evidence."""
    batch, entry = a_batch(1, 2), an_entry(1, EntryStatus.ASSIGNED, batch="b1")
    worked, fresh = a_member(1, cut="c", head="h"), a_member(1)
    assert keeps_work(batch, worked, in_flight=True)
    assert not keeps_work(batch, worked, in_flight=False)
    assert not keeps_work(batch, fresh, in_flight=True)
    assert keeps_work(a_batch(1, 2, parks_all=True), fresh, in_flight=False)
    gone, back = withdrawal(worked, entry, "abandoned", is_parked=True, at="now")
    assert (gone.status, gone.reason) == (MemberStatus.WITHDRAWN, "abandoned")
    assert (back.status, back.reason, back.branch, back.batch) == (EntryStatus.PARKED, "abandoned", worked.branch, None)
    assert [exit_.kind for exit_ in back.evidence] == ["withdrawn"]
    _, again = withdrawal(fresh, entry, "abandoned", is_parked=False, at="now")
    assert (again.status, again.reason, again.evidence) == (EntryStatus.QUEUED, None, ())
    came = a_member(1, prior=back.evidence[0])
    assert withdrawal(came, entry, "x", is_parked=False, at="now")[1].evidence[0].head == "h"
    assert withdrawal(came, back, "x", is_parked=False, at="now")[1].evidence == back.evidence
