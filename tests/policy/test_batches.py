"""What each batch needs next."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.domain.effects import (
    AcceptMerge,
    Block,
    ClaimGate,
    ClaimSuite,
    CloseRequest,
    Deploy,
    Dissolve,
    Effect,
    Evict,
    FinishDissolve,
    Land,
    Merge,
    OpenRequest,
    Rebuild,
    Report,
    Review,
    StartBatch,
    TearDown,
    Validate,
)
from gitsched.domain.forge import PullRequestView
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Exit, GateResult, Integration, PullRequest, Record
from gitsched.domain.search import Search
from gitsched.domain.search_effects import Attribute, ClaimFix, RunStep
from gitsched.domain.ship_effects import Split
from gitsched.domain.words import BatchStatus, MemberStatus, PullRequestState
from gitsched.policy.batches import batch_steps
from gitsched.policy.situation import basis_of
from tests.policy.situations import a_batch, a_job, a_lease, a_member, a_situation, a_state, settings

GATE = '\n[[gates]]\nname = "unit"\nrun = ["true"]\n'


def steps(*records: Record, more: str = "", **facts: object) -> list[Effect]:
    """Ask for the steps of a state of these records."""
    config = settings(more)
    return list(batch_steps(a_situation(a_state(*records), config, sealed={"b1": config}, **facts)))


@pytest.mark.parametrize(
    ("status", "effect"),
    [
        (BatchStatus.FORMING, None),
        (BatchStatus.FIXING, ClaimFix("b1", None)),
        (BatchStatus.BLOCKED, None),
        (BatchStatus.DONE, None),
        (BatchStatus.VALIDATING, ClaimSuite("b1")),
        (BatchStatus.ATTRIBUTING, Attribute("b1")),
        (BatchStatus.EVICTING, Rebuild("b1")),
        (BatchStatus.REBASING, Rebuild("b1")),
        (BatchStatus.REVALIDATING, Validate("b1")),
        (BatchStatus.REVIEWING, Review("b1")),
        (BatchStatus.SHIPPING, OpenRequest("b1")),
        (BatchStatus.MERGED, Deploy("b1")),
        (BatchStatus.DEPLOYED, Report("b1")),
        (BatchStatus.REPORTED, TearDown("b1")),
        (BatchStatus.DISSOLVING, FinishDissolve("b1")),
    ],
)
def test_each_status_has_its_step(status: BatchStatus, effect: Effect | None) -> None:
    """One landed member; nothing else is going on."""
    assert steps(a_batch(1, status=status), a_member(1, MemberStatus.LANDED)) == ([effect] if effect else [])


def test_a_batch_that_conflicts_again_is_cut_in_two_and_what_is_cut_starts_by_itself() -> None:
    """G-16: no member of a half waits for a slot: it starts because its members are there."""
    landed = a_member(1, MemberStatus.LANDED)
    assert steps(a_batch(1, status=BatchStatus.REBASING, conflicts_met=1), landed) == [Rebuild("b1")]
    assert steps(a_batch(1, status=BatchStatus.REBASING, conflicts_met=2), landed) == [Split("b1")]
    ready, verified = a_batch(1, 2, status=BatchStatus.READY), a_member(1, MemberStatus.VERIFIED)
    assert steps(ready, verified, a_member(2, MemberStatus.VERIFIED)) == [StartBatch("b1")]
    assert steps(ready, verified, a_member(2)) == []


def test_steps_that_run_the_whole_suite_ask_its_budget() -> None:
    """No more of them at once than the budget has room for; single tests are no run of the suite."""
    search = Search(head="head", members=(1, 2, 3), is_begun=True)
    batch = a_batch(1, 2, 3, status=BatchStatus.ATTRIBUTING, search=search)
    records: tuple[Record, ...] = (batch, *(a_member(issue, MemberStatus.LANDED) for issue in (1, 2, 3)))
    cap = "[budget.batch]\nsuite_runs = {}\n[bisect]\nparallel = 2\n"
    assert len(steps(*records, more=cap.format(9))) == 2
    (only,) = steps(*records, more=cap.format(1))
    assert isinstance(only, RunStep)
    assert steps(*records, more=cap.format(0)) == []
    named, config = replace(batch, failing=(("", "checks", "one"),)), settings(cap.format(0))
    suite = replace(config.suite, report="junit", rerun=("t", "{tests}"), ids="name")
    singly = a_situation(a_state(named, *records[1:]), replace(config, suite=suite))
    assert len(list(batch_steps(singly))) == 2


def test_a_running_suite_is_waited_for() -> None:
    """One suite at a time."""
    assert steps(a_batch(1, status=BatchStatus.VALIDATING), a_member(1, MemberStatus.LANDED), a_job()) == []


def test_a_rebuild_without_anybody_left_dissolves() -> None:
    """The only landed member was taken out."""
    batch = a_batch(1, status=BatchStatus.EVICTING)
    assert steps(batch, a_member(1, MemberStatus.EVICTED)) == [Dissolve("b1", "no-landed-members")]


def test_l_14_the_first_unresolved_member_lands_or_is_waited_for() -> None:
    """L-14: 2 is verified and 1 is not: nothing lands; then 1 does."""
    two = a_member(2, MemberStatus.VERIFIED)
    assert steps(a_batch(1, 2), a_member(1, MemberStatus.RUNNING), two) == []
    assert steps(a_batch(1, 2), a_member(1, MemberStatus.VERIFIED), two) == [Land("b1", 1)]
    assert steps(a_batch(1, 2), a_member(1, MemberStatus.EVICTED), two) == [Land("b1", 2)]


def test_when_all_are_resolved_the_suite_is_due() -> None:
    """Landed and left are both resolved."""
    assert steps(a_batch(1, 2), a_member(1, MemberStatus.LANDED), a_member(2, MemberStatus.EVICTED)) == [Validate("b1")]


def test_v_04_nobody_landed_and_nobody_is_left() -> None:
    """V-04: dissolved, before and after it started."""
    left = (a_member(1, MemberStatus.EVICTED), a_member(2, MemberStatus.HANDED_BACK))
    assert steps(a_batch(1, 2), *left) == [Dissolve("b1", "no-landed-members")]
    assert steps(a_batch(1, 2, status=BatchStatus.READY), *left) == [Dissolve("b1", "no-landed-members")]
    assert steps(a_batch(1, status=BatchStatus.READY), a_member(1)) == []


def an_exit(issue: int, kind: str = "evicted", **fields: object) -> Exit:
    """Build how a member left."""
    return Exit(batch="b1", issue=issue, kind=kind, reason="x", **fields)  # type: ignore[arg-type]


def test_v_35_too_many_evictions_before_anything_landed() -> None:
    """V-35: two of three pass T = 1; one does not; once something has landed nothing is thrown away."""
    two = (an_exit(1), an_exit(2))
    members = (a_member(1, MemberStatus.EVICTED), a_member(2, MemberStatus.EVICTED), a_member(3))
    assert steps(a_batch(1, 2, 3, evictions=two), *members) == [Dissolve("b1", "too-many-evicted")]
    assert steps(a_batch(1, 2, 3, evictions=two[:1]), *members) == []
    landed = replace(members[2], status=MemberStatus.LANDED)
    assert steps(a_batch(1, 2, 3, evictions=two), *members[:2], landed) == [Validate("b1")]


def test_v_31_a_waiting_member_leaves_with_what_it_depends_on() -> None:
    """V-31: its reason names the one that left, and it does not count."""
    found = steps(a_batch(2, 3), a_member(2, MemberStatus.EVICTED), a_member(3, deps=(2,)))
    assert found == [
        Evict("b1", (replace(an_exit(3), reason="depends-on-evicted:2", counts=False, branch="gitsched/b1/m3-i3"),))
    ]


def blocked(found: list[Effect]) -> str:
    """Give the reason for which b1 is blocked, and nothing else is done."""
    (effect,) = found
    assert isinstance(effect, Block)
    return effect.reason


def test_a_held_member_blocks_when_nothing_else_can_move() -> None:
    """While something of the batch is live it waits; then it needs a person."""
    held = a_member(1, MemberStatus.VERIFYING, hold="out-of-scope")
    assert steps(a_batch(1, 2), held, a_member(2)) == []
    running = (a_member(2, MemberStatus.RUNNING), a_lease(2))
    assert steps(a_batch(1, 2), held, *running) == []
    assert blocked(steps(a_batch(1, 2), held, a_member(2, MemberStatus.VERIFIED))) == "held:out-of-scope"
    verified = a_member(1, MemberStatus.VERIFIED, hold="later")
    assert blocked(steps(a_batch(1), verified)) == "held:later"


def test_l_09_an_inconclusive_gate_blocks_once_all_are_resolved() -> None:
    """L-09: not before, and not for a member that has left."""
    broken = {"unit": GateResult(verdict="broken")}
    landed = a_member(1, MemberStatus.LANDED, gates=broken)
    assert steps(a_batch(1, 2), landed, a_member(2, MemberStatus.RUNNING), more=GATE) == []
    assert blocked(steps(a_batch(1), landed, more=GATE)) == "gate-inconclusive:unit"
    left = a_member(1, MemberStatus.EVICTED, gates=broken)
    passed = a_member(2, MemberStatus.LANDED, gates={"unit": GateResult(verdict="passed")})
    assert steps(a_batch(1, 2), left, passed, more=GATE) == [Validate("b1")]


def test_l_11_a_gate_is_run_again_after_landing() -> None:
    """L-11: asked for → claimed; while its job runs nothing; failed twice → taken out again."""
    again = a_member(1, MemberStatus.LANDED, regate=("unit",))
    assert steps(a_batch(1), again, more=GATE) == [ClaimGate("b1", 1, "unit")]
    assert steps(a_batch(1), again, a_job("gate-1-unit"), more=GATE) == []
    failed = GateResult(verdict="failed", runs=2, failing=("t",))
    found = steps(a_batch(1), a_member(1, MemberStatus.LANDED, gates={"unit": failed}), more=GATE)
    assert isinstance(found[0], Evict)
    assert (found[0].exits[0].reason, found[0].exits[0].failing) == ("gate-failed:unit", ("t",))


def request(state: PullRequestState, head: str = "head") -> dict[str, Any]:
    """Show the batch's pull request as the forge does."""
    seen = PullRequestView(number=7, title="t", body="", state=state, source="s", target="main", head=head)
    return {"requests": {"b1": seen}}


def test_an_open_request_is_merged_only_where_that_is_asked_for() -> None:
    """G-13: `manual` waits for a person; `direct` merges."""
    batch = a_batch(
        1, status=BatchStatus.AWAITING_MERGE, pr=PullRequest(number=7, state=PullRequestState.OPEN, head="head")
    )
    member = a_member(1, MemberStatus.LANDED)
    assert steps(batch, member, **request(PullRequestState.OPEN)) == []
    direct = '[ship]\nmerge = "direct"\n'
    assert steps(batch, member, more=direct, **request(PullRequestState.OPEN)) == [Merge("b1")]
    assert steps(batch, member, **request(PullRequestState.MERGED)) == [AcceptMerge("b1")]
    assert steps(batch, member, **request(PullRequestState.CLOSED)) == [CloseRequest("b1")]
    assert blocked(steps(batch, member, **request(PullRequestState.OPEN, "other"))) == "pr-head-moved"
    assert steps(batch, member, requests={"b1": Unreachable(what="forge", detail="")}) == []
    assert steps(batch, member) == []


@pytest.mark.parametrize(
    "status", [BatchStatus.EVICTING, BatchStatus.REBASING, BatchStatus.REVALIDATING, BatchStatus.SHIPPING]
)
def test_a_batch_that_nobody_is_left_in_is_given_up_wherever_it_stands(status: BatchStatus) -> None:
    """Nothing is validated, opened or merged for no members."""
    assert steps(a_batch(1, status=status), a_member(1, MemberStatus.EVICTED)) == [Dissolve("b1", "no-landed-members")]


def test_commits_of_a_member_that_left_are_taken_out_before_anything_else() -> None:
    """Also where a hold had stopped the batch when it left."""
    left, verified = a_member(1, MemberStatus.EVICTED, landed="h"), a_member(2, MemberStatus.VERIFIED)
    assert steps(a_batch(1, 2), left, verified) == [Rebuild("b1")]


def test_what_a_block_was_decided_on() -> None:
    """A hold that is lifted, a member that lands and a branch that moves make it another decision."""
    batch, held = a_batch(1), a_member(1, MemberStatus.VERIFIED, hold="later")
    basis = basis_of(batch, (held,))
    assert basis == basis_of(replace(batch, updated_at="x"), (held,))
    assert basis != basis_of(batch, (replace(held, hold=None),))
    assert basis != basis_of(batch, (replace(held, status=MemberStatus.LANDED),))
    assert basis != basis_of(replace(batch, integration=Integration(branch="b", head="other")), (held,))


def test_v_08_over_a_red_base_the_target_is_looked_at_before_the_suite_runs() -> None:
    """V-08: `resume` puts the batch on the present target first."""
    batch = a_batch(1, status=BatchStatus.VALIDATING, renews_base=True)
    assert steps(batch, a_member(1, MemberStatus.LANDED)) == [Rebuild("b1")]
