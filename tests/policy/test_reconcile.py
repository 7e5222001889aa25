"""When a blocked batch's work is looked for in its target, and which pull requests are closed."""

from typing import Any

import pytest

from gitsched.domain.records import Integration, PullRequest
from gitsched.domain.ship_effects import Reconcile, RetireRequest
from gitsched.domain.words import BatchStatus, MemberStatus, PullRequestState
from gitsched.policy.batches import batch_steps
from gitsched.policy.reconcile import may_have_shipped
from tests.policy.situations import NOW, a_batch, a_member, a_situation, a_state

LANDED, LEFT = a_member(1, MemberStatus.LANDED), a_member(2, MemberStatus.EVICTED)


def asks(*members: Any, at: str = NOW, status: BatchStatus = BatchStatus.BLOCKED, **fields: Any) -> bool:
    """Say whether b1's work is looked for."""
    batch = a_batch(*(member.issue for member in members), status=status, updated_at=at, **fields)
    return may_have_shipped(batch, members, NOW)


def test_v_44_only_what_has_nothing_left_to_do_is_looked_for() -> None:
    """V-44: blocked within seven days, all resolved, something landed and not shipped yet."""
    assert asks(LANDED, LEFT)
    assert not asks(LANDED, a_member(2))
    assert not asks(LEFT)
    assert not asks(a_member(1, MemberStatus.SHIPPED))
    assert not asks(LANDED, status=BatchStatus.VALIDATING)
    assert not asks(LANDED, base=None)
    assert not asks(LANDED, integration=Integration(branch="b", head="base"))
    assert asks(LANDED, at="2025-12-25T12:00:00.000Z")
    assert not asks(LANDED, at="2025-12-25T11:59:59.000Z")


def test_v_44_a_proof_makes_it_merged() -> None:
    """V-44: and nothing else does."""
    state = a_state(a_batch(1, status=BatchStatus.BLOCKED), LANDED)
    assert list(batch_steps(a_situation(state))) == []
    assert list(batch_steps(a_situation(state, shipped={"b1": "proof"}))) == [Reconcile("b1", "proof")]


@pytest.mark.parametrize("status", [BatchStatus.DISSOLVED, BatchStatus.STOPPED])
def test_the_request_of_a_batch_that_is_over_is_closed_once(status: BatchStatus) -> None:
    """An open one or a draft; one that is merged or closed stays as it is."""
    for state, steps in (
        (PullRequestState.OPEN, [RetireRequest("b1")]),
        (PullRequestState.DRAFT, [RetireRequest("b1")]),
        (PullRequestState.CLOSED, []),
        (PullRequestState.MERGED, []),
    ):
        batch = a_batch(1, status=status, pr=PullRequest(number=7, state=state, head="head"))
        assert list(batch_steps(a_situation(a_state(batch)))) == steps
    assert list(batch_steps(a_situation(a_state(a_batch(1, status=status))))) == []
