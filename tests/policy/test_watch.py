"""What an open pull request needs next, by what the forge says of it."""

from itertools import permutations
from typing import Any

import pytest

from gitsched.domain.effects import AcceptMerge, Block, Effect, Merge
from gitsched.domain.forge import CheckSeen, PullRequestView, Standing
from gitsched.domain.records import PullRequest
from gitsched.domain.ship_effects import Await, MakeReady, MeetTarget, NoteParked, Park, TakeRedCheck
from gitsched.domain.words import BatchStatus, MemberStatus, PullRequestState
from gitsched.policy.batches import batch_steps
from gitsched.policy.watch import Light, light_of
from tests.policy.situations import a_batch, a_member, a_situation, a_state, at, settings

CASE = ("tests/test_a.py", "", "test_a")


def steps(merge: str = "manual", **seen: Any) -> list[Effect]:
    """Ask for the steps of b1, whose request 7 the forge shows so."""
    record = PullRequest(
        number=7,
        state=PullRequestState.OPEN,
        head="head",
        parked_at=seen.pop("parked_at", None),
        lost_at=seen.pop("lost_at", None),
    )
    reason, status = seen.pop("reason", None), seen.pop("status", BatchStatus.AWAITING_MERGE)
    batch = a_batch(1, status=status, pr=record, reason=reason)
    fields: dict[str, Any] = {"state": PullRequestState.OPEN, "head": "head", "labels": ()}
    fields |= {key: seen.pop(key) for key in tuple(seen) if key in fields}
    request = PullRequestView(
        number=7, title="", body="", source="s", target="main", standing=Standing(**seen), **fields
    )
    config = settings(f'[ship]\nmerge = "{merge}"\n')
    state = a_state(batch, a_member(1, MemberStatus.LANDED))
    return list(batch_steps(a_situation(state, config, sealed={"b1": config}, requests={"b1": request})))


def check(word: str, name: str = "ci", **fields: Any) -> CheckSeen:
    return CheckSeen(name=name, word=word, **fields)


def one(effects: list[Effect]) -> Effect:
    assert len(effects) == 1, effects
    return effects[0]


def test_g_17_a_head_of_somebody_else_names_both_commits() -> None:
    """G-17 (the rule): blocked, and both commits are named."""
    found = one(steps("direct", head="foreign"))
    assert isinstance(found, Block)
    assert found.reason == "pr-head-moved"
    assert "foreign" in found.detail
    assert "head" in found.detail


def test_g_38_it_is_rebased_only_where_the_forge_says_so() -> None:
    """G-38 (the rule): a target that moved is no reason; a conflict, or a rule that wants it up to date, is."""
    assert steps(conflicts=False) == []
    assert steps(conflicts=None) == []
    assert one(steps(conflicts=True)) == MeetTarget("b1", conflicts=True)
    assert one(steps(is_behind=True)) == MeetTarget("b1", conflicts=False)


@pytest.mark.parametrize(
    ("word", "light"),
    [
        ("success", Light.GREEN),
        ("neutral", Light.GREEN),
        ("skipped", Light.SKIPPED),
        ("failure", Light.RED),
        ("error", Light.RED),
        ("timed_out", Light.RED),
        ("startup_failure", Light.RED),
        ("cancelled", Light.PERSON),
        ("stale", Light.PERSON),
        ("action_required", Light.PERSON),
        ("pending", Light.OPEN),
        ("in_progress", Light.OPEN),
        ("a word of next year", Light.PERSON),
    ],
)
def test_g_19_every_word_has_its_meaning(word: str, light: Light) -> None:
    """G-19: only `success` and `neutral` are a pass, and no unknown word crashes the watch."""
    assert light_of((check(word),), "ci") is light


def test_g_20_of_several_checks_with_one_name_a_stated_rule_decides_in_any_order() -> None:
    """G-20: a red one decides, then who waits, then what is open; a pass stands before a skip."""
    for order in permutations([check("skipped"), check("success")]):
        assert light_of(order, "ci") is Light.GREEN
    for order in permutations([check("skipped"), check("success"), check("pending")]):
        assert light_of(order, "ci") is Light.OPEN
    for order in permutations([check("failure"), check("success"), check("pending")]):
        assert light_of(order, "ci") is Light.RED
    assert light_of((check("failure", "other"),), "ci") is Light.OPEN


def test_g_18_a_red_required_check_is_a_red_suite_where_it_names_tests() -> None:
    """G-18 (the rule): with tests the culprit is sought, without it blocks `checks-red:<name>`."""
    red = one(steps(checks=(check("failure"),), required=("ci",)))
    assert isinstance(red, Block)
    assert red.reason == "checks-red:ci"
    named = steps(checks=(check("failure", tests=(CASE,)),), required=("ci",))
    assert one(named) == TakeRedCheck("b1", "ci")
    assert steps(checks=(check("failure", "optional"),)) == []


def test_g_21_a_check_that_never_starts_is_told_apart() -> None:
    """G-21: after its start limit, with the names that did report; a running one is waited for."""
    late = {"required": ("ci",), "published_at": at(0)}
    absent = one(steps("direct", checks=(check("success", "ci (new)"),), **late))
    assert isinstance(absent, Block)
    assert absent.reason == "check-missing:ci"
    assert "ci (new)" in absent.detail
    assert one(steps("direct", checks=(check("in_progress"),), **late)) == Await("b1", "check-pending:ci")
    nothing = one(steps("direct", **late))
    assert isinstance(nothing, Block)
    assert nothing.detail.endswith("none")
    young = {"required": ("ci",), "published_at": at(59)}
    assert one(steps("direct", **young)) == Await("b1", "check-pending:ci")


def test_g_05_a_draft_becomes_ready_once_its_checks_are_green() -> None:
    """G-05 (the rule): it stays a draft until then, whatever is to merge it."""
    draft = {"state": PullRequestState.DRAFT, "required": ("ci",)}
    assert one(steps("auto", checks=(check("pending"),), **draft)) == Await("b1", "check-pending:ci")
    assert steps("auto", reason="check-pending:ci", checks=(check("pending"),), **draft) == []
    assert one(steps("auto", checks=(check("success"),), **draft)) == MakeReady("b1")


def test_g_22_an_approval_counts_only_for_the_head_it_was_given_to() -> None:
    """G-22: one that is older than the head is not used, also if the forge shows it there."""
    wants = {"needs_approval": True, "published_at": at(30)}
    assert one(steps("direct", **wants)) == Await("b1", "approval-missing")
    assert one(steps("direct", approved_at=at(20), **wants)) == Await("b1", "approval-missing")
    assert one(steps("direct", approved_at=at(31), **wants)) == Merge("b1")
    assert one(steps("direct", needs_approval=True, approved_at=at(1))) == Merge("b1")


def test_direct_merges_when_required_checks_are_green() -> None:
    green = {"checks": (check("success"),), "required": ("ci",)}
    assert one(steps("direct", **green)) == Merge("b1")
    assert one(steps("direct", checks=(check("skipped"),), required=("ci",))) == Await("b1", "check-skipped:ci")
    assert steps("manual", **green) == []
    assert one(steps("manual", reason="check-pending:ci", **green)) == Await("b1", None)


def test_g_08_what_was_to_merge_it_must_be_gone_for_ten_minutes() -> None:
    """G-08: what the forge does not tell never counts, and what comes back resets the time."""
    assert one(steps("auto")) == Park("b1")
    parked = {"parked_at": at(1)}
    assert steps("auto", is_parked=None, **parked) == []
    assert steps("auto", is_parked=True, **parked) == []
    assert one(steps("auto", is_parked=False, **parked)) == NoteParked("b1", is_lost=True)
    assert steps("auto", is_parked=False, lost_at=at(51), **parked) == []
    assert one(steps("queue", is_parked=True, lost_at=at(51), **parked)) == NoteParked("b1", is_lost=False)
    assert steps("auto", is_parked=None, lost_at=at(51), **parked) == []
    lost = one(steps("auto", is_parked=False, lost_at=at(50), **parked))
    assert isinstance(lost, Block)
    assert lost.reason == "no-merge-mechanism"
    assert one(steps("label:go", **parked)) == NoteParked("b1", is_lost=True)
    assert steps("label:go", labels=("go",), **parked) == []


def test_a_blocked_batch_that_has_merged_after_all_is_accepted() -> None:
    """G-15 (the rule): whatever it was blocked for; as long as it is not merged nothing is done."""
    assert steps(status=BatchStatus.BLOCKED) == []
    assert one(steps(status=BatchStatus.BLOCKED, state=PullRequestState.MERGED)) == AcceptMerge("b1")
