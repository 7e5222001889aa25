"""GitHub milestones as batches: what never asks for anything."""

from msgspec.structs import replace

from gitsched.domain.milestones import GitHubMilestone
from gitsched.domain.records import Batch, Integration
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind, BatchStatus
from gitsched.policy.milestones import batch_of, steps

NOW = "2026-03-20T12:00:00.000Z"
MILESTONE = GitHubMilestone(number=1, title="batch/login", issues=(4,), open_issues=(4,))
BATCH = Batch(
    id="login",
    kind=BatchKind.BATCH,
    status=BatchStatus.STOPPED,
    target="main",
    integration=Integration(branch="x"),
    milestone="batch/login",
)


def test_what_is_closed_or_ended_asks_for_nothing() -> None:
    assert list(steps(State(), replace(MILESTONE, is_open=False), 0.0, NOW)) == []
    assert list(steps(State().put(BATCH), MILESTONE, 0.0, NOW)) == []


def test_the_live_batch_of_a_milestone_counts_else_the_latest() -> None:
    older, newer = replace(BATCH, id="b2"), replace(BATCH, id="b10")
    live = replace(BATCH, id="b1", status=BatchStatus.FORMING)
    assert batch_of(State(), "batch/login") is None
    assert batch_of(State().put(older).put(newer), "batch/login") == newer
    assert batch_of(State().put(older).put(newer).put(live), "batch/login") == live
