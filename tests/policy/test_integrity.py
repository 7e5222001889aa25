"""Records, refs and runs that do not agree: each disagreement by itself, against a store in which all is well."""

from typing import Any

from immutables import Map
from msgspec.structs import replace

from gitsched.domain.ids import branch_ref
from gitsched.domain.integrity import ForgetRun, KeepCommit, RestoreBranch
from gitsched.domain.records import Exit, Integration, Record
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, RunStatus
from gitsched.policy.integrity import Inspection, commits_named, integrity
from tests.policy.situations import a_batch, a_job, a_lease, a_member, an_entry

INTEGRATION = "gitsched/b1/integration"


def state(*records: Record) -> State:
    found = State()
    for record in records:
        found = found.put(record)
    return found


def sound(**changes: Any) -> Inspection:
    """Give a store in which 1 has landed, 2 runs and 3 is parked."""
    parked = Exit(batch="b0", issue=3, kind="evicted", reason="gate", branch="kept", head="c3", commits=("c3",))
    landed = a_member(1, MemberStatus.LANDED, cut="base", head="c1", landed_from="base", landed="head")
    records = (
        a_batch(1, 2),
        landed,
        a_member(2, MemberStatus.RUNNING, cut="head"),
        an_entry(1, EntryStatus.ASSIGNED, batch="b1"),
        an_entry(2, EntryStatus.ASSIGNED, batch="b1"),
        an_entry(3, EntryStatus.PARKED, branch="kept", evidence=(parked,)),
        a_lease(2, RunStatus.RUNNING, gen=4, slot=1),
    )
    names = (INTEGRATION, "gitsched/b1/m1-i1", "gitsched/b1/m2-i2", "kept")
    given = {"state": state(*records), "refs": {branch_ref(name): "x" for name in names}, "runs": {("b1", "2"): 4}}
    return Inspection(**{**given, **changes})


def found(look: Inspection) -> list[tuple[str, str]]:
    return [(one.code, one.unit) for one in integrity(look)]


def test_what_agrees_is_silent() -> None:
    assert found(sound()) == []


def test_a_record_that_does_not_decode_excuses_what_hangs_on_it() -> None:
    whole = sound().state
    lost = replace(whole, members=whole.members.delete(("b1", 1)), unreadable=Map({"batches/b1/members/1-1": "torn"}))
    assert found(sound(state=lost)) == [("record-unreadable", "batches/b1/members/1-1")]
    lost = replace(whole, batches=whole.batches.delete("b1"), unreadable=Map({"batches/b1/batch": "torn"}))
    assert found(sound(state=lost)) == [("record-unreadable", "batches/b1/batch")]
    lost = replace(whole, entries=whole.entries.delete(2), unreadable=Map({"queue/02/2": "torn"}))
    assert found(sound(state=lost)) == [("record-unreadable", "queue/02/2")]
    lost = replace(whole, members=whole.members.delete(("b1", 2)), unreadable=Map({"batches/b1/members/2-2": "torn"}))
    assert found(sound(state=lost)) == [("record-unreadable", "batches/b1/members/2-2")]


def test_rows_members_and_batches_know_each_other() -> None:
    whole = sound().state
    gone = replace(whole, members=whole.members.delete(("b1", 2)), leases=Map())
    assert found(sound(state=gone)) == [
        ("reference-broken", "issue 2"),
        ("reference-broken", "b1"),
        ("run-orphan", "refs/gitsched/runs/b1/2"),
    ]
    left = whole.put(a_member(1, MemberStatus.EVICTED))
    assert ("reference-broken", "issue 1") in found(sound(state=left))
    unlisted = whole.put(a_member(9, MemberStatus.WAITING))
    assert found(sound(state=unlisted)) == [("reference-broken", "issue 9 of b1")]
    rowless = replace(whole, entries=whole.entries.delete(2))
    assert found(sound(state=rowless)) == [("reference-broken", "b1")]
    elsewhere = whole.put(an_entry(2, EntryStatus.QUEUED))
    assert found(sound(state=elsewhere)) == [("reference-broken", "b1")]
    ended = whole.put(an_entry(2, EntryStatus.FAILED))
    assert found(sound(state=ended)) == []


def test_slots_are_held_once_and_by_members() -> None:
    whole = sound().state
    twice = whole.put(a_lease(1, RunStatus.EXITED, slot=1))
    assert found(sound(state=twice)) == [("slot-doubled", "issue 2 of b1")]
    stranger = whole.put(a_lease(7, RunStatus.EXITED, slot=2))
    assert found(sound(state=stranger)) == [("reference-broken", "issue 7 of b1")]
    lost = replace(stranger, leases=whole.leases).put(replace(a_lease(7, RunStatus.EXITED, slot=2), batch="b9"))
    assert found(sound(state=lost)) == [("reference-broken", "issue 7 of b9")]


def test_what_is_over_holds_nothing() -> None:
    whole = sound().state.put(a_batch(1, 2, status=BatchStatus.STOPPED)).put(a_job("suite"))
    assert [one for one in found(sound(state=whole)) if one[0] == "ended-holds"] == [("ended-holds", "b1")] * 2


def test_landings_stand_on_each_other() -> None:
    whole = sound().state
    beside = a_member(1, MemberStatus.LANDED, cut="base", head="c1", landed_from="elsewhere", landed="head")
    assert found(sound(state=whole.put(beside))) == [("landing-order", "b1")]
    rebuilt = whole.put(beside).put(a_batch(1, 2, status=BatchStatus.EVICTING))
    assert found(sound(state=rebuilt)) == []


def test_a_missing_branch_is_made_again_only_where_its_head_is_known() -> None:
    refs = dict(sound().refs)
    del refs[branch_ref(INTEGRATION)]
    (lost,) = integrity(sound(refs=refs))
    assert (lost.code, lost.unit, lost.mend) == ("branch-missing", "b1", RestoreBranch(branch_ref(INTEGRATION), "head"))
    refs = dict(sound().refs)
    del refs[branch_ref("gitsched/b1/m2-i2")]
    (lost,) = integrity(sound(refs=refs))
    assert (lost.unit, lost.mend) == ("issue 2 of b1", None), "it runs: nobody knows where it was"
    refs = dict(sound().refs)
    del refs[branch_ref("kept")]
    (lost,) = integrity(sound(refs=refs))
    assert (lost.unit, lost.mend) == ("issue 3", RestoreBranch(branch_ref("kept"), "c3"))
    (gone, *_) = integrity(sound(refs=refs, missing=frozenset({"c3"})))
    assert (gone.code, gone.mend) == ("branch-missing", None)


def test_what_has_not_begun_has_no_branch() -> None:
    forming = replace(a_batch(1, status=BatchStatus.FORMING), base=None, integration=Integration(branch=INTEGRATION))
    waiting = state(forming, a_member(1), an_entry(1, EntryStatus.ASSIGNED, batch="b1"))
    assert found(sound(state=waiting, refs={}, runs={})) == []


def test_runs_and_run_refs_know_each_other() -> None:
    assert found(sound(runs={})) == [("lease-without-run", "issue 2 of b1")]
    assert found(sound(runs={("b1", "2"): 3})) == [("run-disagrees", "issue 2 of b1")]
    (orphan,) = integrity(sound(runs={("b1", "2"): 4, ("b1", "5"): 1}))
    assert (orphan.code, orphan.mend) == ("run-orphan", ForgetRun("b1", "5", 1))
    job = a_job("suite")
    working = sound().state.put(job)
    assert found(sound(state=working, runs={("b1", "2"): 4, ("b1", job.run): 0})) == []


def test_commits_on_record_are_there_and_kept() -> None:
    whole = sound().state.put(
        replace(a_batch(1, 2), evictions=(Exit(batch="b1", issue=5, kind="evicted", reason="x", head="c5"),))
    )
    named = commits_named(whole)
    assert named.keys() == {"base", "head", "c1", "c3", "c5"}
    assert (named["c3"], named["c5"]) == ("issue 3 of b0", "issue 5 of b1")
    assert found(sound(missing=frozenset({"c1"}))) == [("commit-missing", "issue 1 of b1")]
    (loose,) = integrity(sound(unkept=frozenset({"c1"})))
    assert (loose.code, loose.mend) == ("commit-unkept", KeepCommit("c1"))
    archived = state(a_batch(1, status=BatchStatus.DONE), a_member(1, MemberStatus.SHIPPED, head="old"))
    assert found(sound(archived=archived, missing=frozenset({"old"}))) == [("commit-missing", "issue 1 of b1")]
