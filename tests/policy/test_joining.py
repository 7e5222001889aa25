"""Two states that grew apart, joined record by record."""

from msgspec.structs import replace

from gitsched.domain.records import Batch, DayCosts, Judged, Member, StoredVerdict
from gitsched.domain.state import State
from gitsched.domain.words import EntryStatus, MemberStatus
from gitsched.policy.joining import CONFLICT, Joined, join
from tests.policy.situations import ME, a_batch, a_driver, a_job, a_lease, a_member, a_state, an_entry

ASSIGNED = EntryStatus.ASSIGNED


def met(base: State, ours: State, theirs: State) -> tuple[State, Joined]:
    """Join, and give the state as the remote has it then."""
    joined = join(base, ours, theirs)
    state = theirs
    for record in joined.removed:
        state = state.drop(record)
    for record in joined.changes:
        state = state.put(record)
    return state, joined


def other_batch(name: str, *issues: int) -> Batch:
    return replace(a_batch(*issues), id=name)


def member_in(name: str, issue: int) -> Member:
    return a_member(issue, batch=name, branch=f"gitsched/{name}/m{issue}-i{issue}", head=f"head-{name}")


def test_what_one_side_alone_changed_is_as_that_side_has_it() -> None:
    base = a_state(an_entry(1), an_entry(2), an_entry(3))
    ours = base.put(an_entry(1, priority=5)).put(an_entry(7))
    theirs = base.put(an_entry(2, priority=6)).drop(an_entry(3))
    state, joined = met(base, ours, theirs)
    assert (state.entries[1].priority, state.entries[2].priority) == (5, 6)
    assert sorted(state.entries) == [1, 2, 7]
    assert (joined.issues, joined.batches, joined.removed) == ((), (), ())


def test_what_we_removed_goes_there_too() -> None:
    base = a_state(an_entry(1), a_driver("gone"))
    ours = base.drop(a_driver("gone")).drop(an_entry(1))
    state, joined = met(base, ours, base)
    assert ("gone" in state.drivers, 1 in state.entries) == (False, False)
    assert len(joined.removed) == 2


def test_what_both_made_the_same_is_that() -> None:
    base, both = a_state(), a_state(an_entry(1))
    assert met(base, both, both)[1].changes == ()


def test_an_issue_that_both_worked_keeps_the_remote_s_batch_and_is_held() -> None:
    """S-14: it is named; our member of it is withdrawn, its lease and jobs end, its work is kept."""
    base = a_state(an_entry(1), an_entry(2))
    ours = a_state(other_batch("b1-x", 1, 2), member_in("b1-x", 1), member_in("b1-x", 2))
    ours = ours.put(replace(a_lease(1), batch="b1-x")).put(replace(a_job("gate", issue=1), batch="b1-x"))
    theirs = a_state(a_batch(1), a_member(1), an_entry(2))
    state, joined = met(base, ours, theirs)
    assert (joined.issues, joined.batches) == ((1,), ())
    assert (state.entries[1].batch, state.entries[1].hold, state.members["b1", 1].hold) == ("b1", CONFLICT, CONFLICT)
    withdrawn = state.members["b1-x", 1]
    assert (withdrawn.status, withdrawn.reason) == (MemberStatus.WITHDRAWN, CONFLICT)
    assert (dict(state.leases), dict(state.jobs)) == ({}, {})
    assert (state.entries[2].batch, state.members["b1-x", 2].status) == ("b1-x", MemberStatus.WAITING)
    assert "head-b1-x" in joined.keeps


def test_a_batch_that_both_changed_stays_as_the_remote_has_it() -> None:
    base = a_state(a_batch(1, 2), a_member(1), a_member(2, MemberStatus.LANDED), an_entry(3))
    ours = base.put(a_batch(1, 2, 3)).put(a_member(3)).put(an_entry(3, ASSIGNED, batch="b1"))
    ours = ours.put(an_entry(4, ASSIGNED, batch="b1")).put(a_member(4))
    theirs = base.put(replace(a_batch(1, 2), priority=3))
    state, joined = met(base, ours, theirs)
    assert (joined.batches, joined.issues) == (("b1",), (3, 4))
    assert state.batches["b1"] == theirs.batches["b1"]
    assert ("b1", 3) not in state.members
    assert (state.entries[3].status, state.entries[3].hold) == (EntryStatus.QUEUED, CONFLICT)
    assert (state.entries[4].status, state.entries[4].batch, state.entries[4].hold) == (
        EntryStatus.QUEUED,
        None,
        CONFLICT,
    )
    assert (state.members["b1", 1].hold, state.members["b1", 2].hold) == (CONFLICT, None)


def test_a_row_that_is_over_is_not_held() -> None:
    base = a_state(a_batch(1), a_member(1), an_entry(1, ASSIGNED, batch="b1"))
    ours = base.put(replace(a_batch(1), priority=3))
    theirs = base.put(replace(a_batch(1), priority=4)).put(an_entry(1, EntryStatus.DONE, batch="b1"))
    state, joined = met(base, ours, theirs)
    assert (joined.batches, state.entries[1].hold) == (("b1",), None)


def test_both_changed_a_batch_in_the_same_way() -> None:
    base = a_state(a_batch(1), a_member(1))
    both = base.put(replace(a_batch(1), priority=3))
    assert met(base, both.put(an_entry(9)), both)[1].batches == ()


def test_a_batch_that_the_remote_removed_and_we_changed() -> None:
    base = a_state(a_batch(1), a_member(1))
    ours = base.put(replace(a_batch(1), priority=3))
    theirs = base.drop(base.members["b1", 1]).drop(base.batches["b1"]).put(an_entry(1, EntryStatus.DONE))
    state, joined = met(base, ours, theirs)
    assert (joined.batches, dict(state.batches)) == (("b1",), {})
    assert state.entries[1].hold is None, "what is over needs nobody"


def test_a_row_whose_batch_is_gone_is_queued() -> None:
    base = a_state(a_batch(1), a_member(1))
    ours = base.put(an_entry(1, ASSIGNED, batch="b1", priority=4))
    theirs = base.drop(base.members["b1", 1])
    state, _ = met(base, ours, theirs)
    assert (state.entries[1].status, state.entries[1].batch) == (EntryStatus.QUEUED, None)


def test_an_issue_that_both_removed_or_changed_is_named_only_where_it_is() -> None:
    base = a_state(an_entry(1), an_entry(2))
    ours = base.drop(an_entry(1)).put(an_entry(2, priority=1))
    theirs = base.put(an_entry(1, priority=9)).drop(an_entry(2))
    state, joined = met(base, ours, theirs)
    assert joined.issues == (1, 2)
    assert (state.entries[1].priority, state.entries[2].hold) == (9, CONFLICT)


def test_money_is_added_up_and_verdicts_stand_side_by_side() -> None:
    def spent(**kinds: int) -> DayCosts:
        return DayCosts(day="2026-01-01", profiles={"fake": kinds})

    def judged(fingerprint: str) -> Judged:
        return Judged(tree="t", verdicts={fingerprint: StoredVerdict(check="unit", verdict="passed", batch="b1")})

    base = a_state(spent(runs=1))
    ours = base.put(spent(runs=3, tokens=5)).put(judged("a"))
    theirs = base.put(replace(spent(runs=2), refused=("day.runs",))).put(judged("b"))
    state, _ = met(base, ours, theirs)
    assert state.costs["2026-01-01"].profiles == {"fake": {"runs": 4, "tokens": 5}}
    assert state.costs["2026-01-01"].refused == ("day.runs",)
    assert sorted(state.judged["t"].verdicts) == ["a", "b"]
    first, _ = met(a_state(), ours, theirs)
    assert first.costs["2026-01-01"].profiles == {"fake": {"runs": 5, "tokens": 5}}


def test_other_rows_that_both_changed_are_the_remote_s_unless_it_has_none() -> None:
    base = a_state(a_driver("one"), a_driver("two"))
    ours = base.put(replace(a_driver("one"), pid=5)).put(replace(a_driver("two"), pid=6))
    theirs = base.put(replace(a_driver("one"), pid=7)).drop(a_driver("two"))
    state, _ = met(base, ours, theirs)
    assert (state.drivers["one"].pid, state.drivers["two"].pid) == (7, 6)
    assert ME in state.drivers


def test_numbers_stay_given_out_and_a_pause_on_either_side_is_a_pause() -> None:
    base = a_state(next_batch=2)
    ours = replace(base, control=replace(base.control, next_batch=5, slots_max=7, paused=True, paused_by="operator"))
    theirs = replace(base, control=replace(base.control, next_batch=3, provider_errors=1, slots_max=2))
    control = met(base, ours, theirs)[0].control
    assert (control.next_batch, control.slots_max, control.provider_errors) == (5, 2, 1)
    assert (control.paused, control.paused_by) == (True, "operator")
    assert not met(base, base, theirs)[0].control.paused
