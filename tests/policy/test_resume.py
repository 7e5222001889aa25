"""What letting a blocked batch go on means, for every kind of reason."""

import pytest
from msgspec.structs import replace

from gitsched.config.parse import parse_settings
from gitsched.domain.records import Batch, GateResult, Integration, Member
from gitsched.domain.words import BatchKind, BatchStatus, MemberStatus
from gitsched.policy.resume import (
    CannotHelp,
    GoOn,
    LiftHold,
    RenewBase,
    Resumption,
    RunGateAgain,
    RunSuiteAgain,
    resumption,
)

SETTINGS = parse_settings('[suite]\nrun = "make test"\n[[gates]]\nname = "unit"\nrun = "make unit"\n')
MEMBER = Member(batch="b1", issue=1, index=1, title="Work", status=MemberStatus.LANDED)


def a_batch(reason: str | None, came_from: BatchStatus | None = BatchStatus.EXECUTING) -> Batch:
    return Batch(
        id="b1",
        kind=BatchKind.BATCH,
        status=BatchStatus.BLOCKED,
        reason=reason,
        came_from=came_from,
        target="main",
        integration=Integration(branch="gitsched/b1/integration"),
    )


def a_member(issue: int, verdict: str, status: MemberStatus = MemberStatus.LANDED) -> Member:
    return replace(MEMBER, issue=issue, index=issue, status=status, gates={"unit": GateResult(verdict=verdict)})


def decided(reason: str | None, *members: Member, came_from: BatchStatus | None = BatchStatus.EXECUTING) -> Resumption:
    return resumption(a_batch(reason, came_from), members, SETTINGS)


def test_a_gate_is_run_again_for_those_it_left_undecided() -> None:
    members = (a_member(1, "passed"), a_member(2, "broken"), a_member(3, "empty", MemberStatus.EVICTED))
    assert decided("gate-inconclusive:unit", *members) == RunGateAgain("unit", (2,))
    assert decided("gate-inconclusive:unit", a_member(1, "passed")) == GoOn(BatchStatus.EXECUTING)


@pytest.mark.parametrize("reason", ["suite-broken", "suite-timed-out", "suite-cannot-discriminate"])
def test_a_suite_is_run_again(reason: str) -> None:
    assert decided(reason, came_from=BatchStatus.VALIDATING) == RunSuiteAgain()


def test_over_a_red_base_the_target_is_looked_at_again() -> None:
    assert decided("base-red", came_from=BatchStatus.ATTRIBUTING) == RenewBase()


def test_a_hold_is_lifted_from_the_member_whose_turn_it_is() -> None:
    waiting = replace(MEMBER, issue=2, index=2, status=MemberStatus.VERIFIED, hold="operator")
    assert decided("held:operator", MEMBER, waiting) == LiftHold(2)
    assert decided("held:operator", MEMBER) == GoOn(BatchStatus.EXECUTING)


@pytest.mark.parametrize("reason", ["dissolve-refused:red", "pr-closed-unmerged", "merge-unproven"])
def test_resume_says_where_it_cannot_help(reason: str) -> None:
    found = decided(reason)
    assert isinstance(found, CannotHelp)
    assert f"`{reason}`" in found.against
    assert "b1" in found.remedy


@pytest.mark.parametrize(
    ("came_from", "status"),
    [
        (BatchStatus.FORMING, BatchStatus.FORMING),
        (BatchStatus.READY, BatchStatus.READY),
        (BatchStatus.EXECUTING, BatchStatus.EXECUTING),
        (BatchStatus.SHIPPING, BatchStatus.VALIDATING),
        (BatchStatus.AWAITING_MERGE, BatchStatus.VALIDATING),
        (BatchStatus.MERGED, BatchStatus.MERGED),
        (BatchStatus.DEPLOYED, BatchStatus.MERGED),
        (None, BatchStatus.VALIDATING),
    ],
)
def test_everything_else_goes_on_where_it_was(came_from: BatchStatus | None, status: BatchStatus) -> None:
    assert decided("landing-failed", came_from=came_from) == GoOn(status)


def test_what_is_not_blocked_is_not_resumed() -> None:
    live = replace(a_batch(None), status=BatchStatus.EXECUTING)
    assert isinstance(resumption(live, (), SETTINGS), CannotHelp)


@pytest.mark.parametrize("reason", ["reconcile-error", "landing-failed", "gate-inconclusive:unit", "suite-broken"])
def test_commits_of_a_member_that_left_are_taken_out_first(reason: str) -> None:
    left = replace(MEMBER, issue=2, index=2, status=MemberStatus.STOPPED, landed="head")
    assert decided(reason, MEMBER, left, came_from=BatchStatus.EVICTING) == GoOn(BatchStatus.EVICTING)
    rebuilt = replace(left, landed=None)
    assert decided("landing-failed", MEMBER, rebuilt, came_from=BatchStatus.EVICTING) == GoOn(BatchStatus.VALIDATING)
