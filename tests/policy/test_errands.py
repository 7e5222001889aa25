import pytest

from gitsched.config.parse import parse_settings
from gitsched.domain.runs import Milestone, RunEnd
from gitsched.domain.words import BatchStatus, MilestoneStatus
from gitsched.policy.errands import Accepted, Objected, Unanswered, errand_of, review_answer
from tests.policy.situations import a_batch

AT = "2026-01-02T03:04:05.000Z"
AGENTS = '[agents.a]\ncommand = ["a"]\n[review]\nagent = "a"\n[report]\nagent = "a"\n'


def said(phase: str, status: str, gen: int = 0, **keys: str) -> Milestone:
    return Milestone(phase=phase, status=MilestoneStatus(status), gen=gen, at=AT, keys=keys)


@pytest.mark.parametrize(
    ("reason", "word"),
    [("Missing tests!", "missing-tests"), ("!?", "no-reason"), ("x" * 90, "x" * 60)],
)
def test_g_09_an_objection_becomes_a_word(reason: str, word: str) -> None:
    """G-09: the reason is made fit for a reason word."""
    answer = review_answer([said("review-batch", "blocked", reason=reason)], 0, RunEnd(at=AT), exit_counts=False)
    assert answer == Objected(f"review-blocked:{word}", reason)


def test_the_last_word_of_its_own_generation_counts() -> None:
    end = RunEnd(at=AT, code=1)
    words = [said("review-batch", "blocked", reason="x"), said("review-batch", "done"), said("plan", "done")]
    assert review_answer(words, 0, end, exit_counts=False) == Accepted()
    assert review_answer(words, 1, end, exit_counts=False) == Unanswered()


def test_an_exit_counts_only_where_the_profile_says_so() -> None:
    assert review_answer([], 0, RunEnd(at=AT, code=0), exit_counts=True) == Accepted()
    assert review_answer([], 0, RunEnd(at=AT, code=0), exit_counts=False) == Unanswered()
    assert review_answer([], 0, RunEnd(at=AT, code=0, timed_out=True), exit_counts=True) == Unanswered()


def test_an_errand_is_due_where_the_batch_stands() -> None:
    settings = parse_settings(AGENTS)
    for status in (BatchStatus.REVIEWING, BatchStatus.DEPLOYED):
        assert errand_of(a_batch(1, status=status), (), settings) is not None
        assert errand_of(a_batch(1, status=status), (), parse_settings("")) is None
    assert errand_of(a_batch(1, status=BatchStatus.DEPLOYED, is_prose_over=True), (), settings) is None
    assert errand_of(a_batch(1, status=BatchStatus.EXECUTING), (), settings) is None
