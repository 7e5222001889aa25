"""The status document, field by field as the contract has it."""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.records import Exit, GateResult, PullRequest, SuiteRun
from gitsched.domain.words import BatchStatus, Dispatch, EntryStatus, MemberStatus, Method, PullRequestState
from gitsched.view.status import status_document
from tests.view.pictures import a_batch, a_driver, a_lease, a_member, a_picture, an_entry

TOP = {"schema", "paused", "pause_reason", "tip", "slots", "entries", "batches", "drivers", "costs"}
ENTRY = {
    *("issue", "title", "status", "reason", "batch", "deps", "priority", "tier", "review", "profile", "files"),
    *("branch", "waits"),
}
BATCH = {
    *("id", "kind", "status", "reason", "generation", "dispatch", "target", "base", "integration", "members", "suite"),
    *("evictions", "pr", "anchor", "priority", "leftovers", "red"),
}
MEMBER = {"issue", "index", "status", "reason", "gen", "tier", "branch", "head", "landed", "gates", "waits"}


def in_b1(issue: int, **fields: Any) -> Any:
    return an_entry(issue, status=EntryStatus.ASSIGNED, batch="b1", **fields)


def test_an_empty_store_has_every_field() -> None:
    assert status_document(a_picture(tip=None)) == {
        "schema": 1,
        "paused": False,
        "pause_reason": None,
        "tip": None,
        "slots": {"max": 4, "live": 0},
        "entries": [],
        "batches": [],
        "drivers": [],
        "costs": {"usd": None, "tokens": None, "agent_s": 0.0, "suite_s": 0.0},
    }


def test_entries_batches_and_members_have_the_fields_of_the_contract() -> None:
    document = status_document(a_picture(in_b1(3), a_batch(3), a_member(3)))
    (entry,), (batch,) = document["entries"], document["batches"]
    assert (set(document), set(entry), set(batch), set(batch["members"][0])) == (TOP, ENTRY, BATCH, MEMBER)
    assert batch["integration"] == {"branch": "gitsched/b1/integration", "head": None}
    assert batch["suite"] == {"runs": 0, "verdict": None, "tree": None, "cached": False, "failing": ()}
    assert (batch["pr"], batch["members"][0]["gen"]) == (None, None)


def test_what_a_member_waits_for_stands_on_its_entry_too() -> None:
    picture = a_picture(in_b1(3), a_batch(3), a_member(3), waits={3: ("serial:2", "capacity")})
    document = status_document(picture)
    assert document["entries"][0]["waits"] == ("serial:2", "capacity")
    assert document["batches"][0]["members"][0]["waits"] == ("serial:2", "capacity")


def test_slots_count_live_runs_and_drivers_tell_whether_they_live() -> None:
    picture = a_picture(in_b1(3), a_batch(3), a_member(3), a_lease(3), a_driver("d1"), a_driver("d2"))
    document = status_document(replace(picture, live_drivers=frozenset({"d1"})))
    assert document["slots"] == {"max": 4, "live": 1}
    assert document["drivers"] == [{"id": "d1", "host": "vm", "live": True}, {"id": "d2", "host": "vm", "live": False}]


def test_gates_the_last_suite_run_and_the_request_are_told() -> None:
    gates = {"unit": GateResult(verdict="passed", cached=True, evidence="checks/unit")}
    runs = (
        SuiteRun(verdict="failed", tree="1" * 40, commit="2" * 40, failing=("t",)),
        SuiteRun(verdict="passed", tree="3" * 40, commit="4" * 40, cached=True),
    )
    request = PullRequest(number=7, state=PullRequestState.OPEN, head="4" * 40)
    batch = a_batch(3, suite=runs, pr=request, dispatch=Dispatch.SERIAL)
    (told,) = status_document(a_picture(in_b1(3), batch, a_member(3, gates=gates)))["batches"]
    assert told["members"][0]["gates"] == {"unit": {"verdict": "passed", "cached": True, "evidence": "checks/unit"}}
    assert told["suite"] == {"runs": 1, "verdict": "passed", "tree": "3" * 40, "cached": True, "failing": ()}
    assert (told["pr"], told["dispatch"]) == ({"number": 7, "url": None, "state": "open"}, "serial")


def test_evictions_and_hand_backs_are_told_and_stops_are_not() -> None:
    kinds = ("evicted", "handed-back", "stopped")
    exits = tuple(Exit(batch="b1", issue=n, kind=kind, reason="r", method=Method.PATHS) for n, kind in enumerate(kinds))
    (told,) = status_document(a_picture(a_batch(3, evictions=exits)))["batches"]
    assert [exit_["kind"] for exit_ in told["evictions"]] == ["evicted", "handed-back"]
    assert set(told["evictions"][0]) == {"issue", "kind", "reason", "method", "failing", "branch"}


def test_a_member_that_left_is_not_landed_whatever_it_was() -> None:
    member = a_member(3, status=MemberStatus.EVICTED, landed="5" * 40)
    (told,) = status_document(a_picture(a_batch(3), member))["batches"]
    assert told["members"][0]["landed"] is None


def test_ended_batches_are_listed_when_asked_for() -> None:
    picture = a_picture(a_batch(id="b1", status=BatchStatus.DONE), a_batch(id="b2"))
    assert [b["id"] for b in status_document(picture)["batches"]] == ["b2"]
    assert [b["id"] for b in status_document(picture, include_ended=True)["batches"]] == ["b1", "b2"]


def test_one_batch_is_shown_with_its_entries_and_one_issue_with_its_batch() -> None:
    picture = a_picture(in_b1(3), in_b1(4), an_entry(5), a_batch(3, 4), a_member(3), a_member(4, 2), a_batch(id="b2"))
    of_batch = status_document(picture, picture.state.batches["b1"])
    of_issue = status_document(picture, picture.state.entries[4])
    alone = status_document(picture, picture.state.entries[5])
    assert ([e["issue"] for e in of_batch["entries"]], [b["id"] for b in of_batch["batches"]]) == ([3, 4], ["b1"])
    assert ([e["issue"] for e in of_issue["entries"]], [b["id"] for b in of_issue["batches"]]) == ([4], ["b1"])
    assert ([e["issue"] for e in alone["entries"]], alone["batches"]) == ([5], [])


def test_costs_sum_what_is_known_and_are_null_where_nothing_is() -> None:
    known = {"usd_micros": 1_500_000, "tokens": 12, "agent_ms": 2_000, "runs": 1}
    silent = {"agent_ms": 500, "runs": 1, "unknown_runs": 1}
    suite = (SuiteRun(verdict="passed", tree="1" * 40, commit="2" * 40, duration_ms=3_100),)
    both = a_picture(a_batch(3, 4, suite=suite), a_member(3, usage=known), a_member(4, 2, usage=silent))
    assert status_document(both)["costs"] == {"usd": 1.5, "tokens": 12, "agent_s": 2.5, "suite_s": 3.1}
    unknown = a_picture(a_batch(4), a_member(4, usage=silent))
    assert status_document(unknown)["costs"] == {"usd": None, "tokens": None, "agent_s": 0.5, "suite_s": 0.0}


def test_a_row_that_does_not_decode_is_shown_as_held_for_that() -> None:
    picture = a_picture(an_entry(3))
    lost = picture.state.unreadable.set("queue/04/4", "no JSON").set("control", "no JSON")
    document = status_document(replace(picture, state=replace(picture.state, unreadable=lost)))
    assert [(e["issue"], e["status"], e["reason"]) for e in document["entries"]] == [
        (3, "queued", None),
        (4, "blocked", "record-unreadable"),
    ]
