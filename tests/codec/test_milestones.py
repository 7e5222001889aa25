"""Milestones as `key=value` text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.milestones import (
    HEADER,
    CommentMilestone,
    Malformed,
    belongs,
    milestone_of,
    parse_keys,
    read_comment,
)
from gitsched.domain.runs import Milestone
from gitsched.domain.words import MilestoneStatus
from gitsched.errors import UsageError

AT = "2026-01-02T12:00:00.000Z"


def test_keys_are_parsed_and_the_first_of_a_kind_wins() -> None:
    assert parse_keys(["a=1", "b=x=y", "a=2", "c="]) == {"a": "1", "b": "x=y", "c": ""}


@pytest.mark.parametrize("pair", ["novalue", "=x", "Big=1", "a b=1", "ä=1", "1a=x"])
def test_a_pair_of_another_shape_is_refused(pair: str) -> None:
    with pytest.raises(UsageError, match="not of the form key=value"):
        parse_keys([pair])


def test_a_milestone_is_what_was_said() -> None:
    assert milestone_of("review", "done", {"head": "abc"}, gen=2, at=AT) == Milestone(
        phase="review", status=MilestoneStatus.DONE, gen=2, at=AT, keys={"head": "abc"}
    )


def test_free_phases_are_allowed() -> None:
    assert milestone_of("write-docs", "progress", {}, gen=0, at=AT).phase == "write-docs"


@pytest.mark.parametrize(
    ("phase", "status", "keys", "against"),
    [
        ("Review", "done", {}, "'Review' is no phase."),
        ("", "done", {}, "'' is no phase."),
        ("review", "finished", {}, "'finished' is no status."),
        ("review", "blocked", {}, "Its status 'blocked' needs a reason."),
        ("review", "partial", {"reason": " "}, "Its status 'partial' needs a reason."),
        ("review", "done", {"gen": "7"}, "'gen' is no key of a milestone."),
        ("review", "done", {"No": "7"}, "'No' is no key of a milestone."),
        ("review", "done", {"a": "x" * 4_001}, "The value of 'a' has 4001 characters, more than 4000."),
        ("review", "done", {"a": "x\ny"}, "The value of 'a' has more than one line."),
        ("review", "done", {"a": "x\n"}, "The value of 'a' has more than one line."),
        ("review", "done", {"a": "x\u2028y"}, "The value of 'a' has more than one line."),
        ("review", "done", {"a": "x\0y"}, "The value of 'a' has more than one line."),
    ],
)
def test_rules_for_posts(phase: str, status: str, keys: dict[str, str], against: str) -> None:
    """R-39: what is missing or wrong is named."""
    with pytest.raises(UsageError) as refused:
        milestone_of(phase, status, keys, gen=0, at=AT)
    assert refused.value.against == against
    assert refused.value.remedy


def test_values_may_be_as_long_as_allowed() -> None:
    assert milestone_of("review", "blocked", {"reason": "x" * 4_000}, gen=0, at=AT).is_terminal


@pytest.mark.parametrize(
    ("at", "gen", "counts"),
    [
        ("2026-01-02T11:59:31.000Z", 0, True),
        ("2026-01-02T11:59:00.000Z", 0, True),
        ("2026-01-02T11:58:00.000Z", 0, False),
        ("2026-01-02T12:30:00.000Z", 0, True),
        ("2026-01-02T12:30:00.000Z", 1, False),
    ],
)
def test_a_milestone_belongs_to_the_run_it_was_posted_in(at: str, gen: int, counts: bool) -> None:
    """R-35 (the rule): up to 60 s before the spawn counts, two minutes do not; another gen never."""
    milestone = Milestone(phase="review", status=MilestoneStatus.DONE, gen=gen, at=at)
    assert belongs(milestone, 0, AT) is counts


COMMENT = f"{HEADER}\nphase=review\nstatus=done\nbatch=b1\nissue=3\ngen=0\nhead=aaa\n\nThanks!\nhead=bbb\n"


def test_a_comment_is_read_and_the_first_of_a_key_wins() -> None:
    """R-36 (the form): the first `head=` counts; lines of another shape are for people."""
    assert read_comment(COMMENT) == CommentMilestone(
        batch="b1", issue=3, gen=0, phase="review", status=MilestoneStatus.DONE, keys={"head": "aaa"}
    )
    assert read_comment(COMMENT.replace("\n", "\r\n")) == read_comment(COMMENT)


@pytest.mark.parametrize("body", ["", "hello", f" {HEADER}", f"text\n{COMMENT}", "<!-- gitsched:milestone v=2 -->\n"])
def test_other_comments_are_none(body: str) -> None:
    assert read_comment(body) is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("gen=0\n", "", "It has no gen."),
        ("batch=b1", "batch=../x", "'../x' is no batch id."),
        ("issue=3", "issue=three", "issue and gen are whole numbers."),
        ("gen=0", "gen=00", "issue and gen are whole numbers."),
        ("status=done", "status=great", "'great' is no status."),
        ("status=done", "status=blocked", "Its status 'blocked' needs a reason."),
    ],
)
def test_a_comment_with_the_header_that_is_no_milestone_says_why(old: str, new: str, reason: str) -> None:
    assert read_comment(COMMENT.replace(old, new)) == Malformed(reason)


def printable(**limits: Any) -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=("C", "Z")), **limits)


@given(reason=printable(min_size=1, max_size=50), note=printable(max_size=50), issue=st.integers(0, 10**9 - 1))
def test_what_is_rendered_is_read_back(reason: str, note: str, issue: int) -> None:
    milestone = CommentMilestone(
        batch="b1",
        issue=issue,
        gen=4,
        phase="implement",
        status=MilestoneStatus.BLOCKED,
        keys={"reason": reason, "note": note},
    )
    assert read_comment(written(milestone)) == milestone


def written(milestone: CommentMilestone) -> str:
    """Write the comment form as an agent does."""
    fields = {"phase": milestone.phase, "status": str(milestone.status), "batch": milestone.batch}
    fields |= {"issue": str(milestone.issue), "gen": str(milestone.gen), **milestone.keys}
    return "\n".join([HEADER, *(f"{key}={value}" for key, value in fields.items())]) + "\n"
