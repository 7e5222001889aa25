"""What a run that has ended came to; the first rule that holds decides."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.domain.forge import Published
from gitsched.domain.records import Exit
from gitsched.domain.runs import Milestone, RunEnd
from gitsched.domain.words import MilestoneStatus
from gitsched.policy.settle import (
    AnnouncedWait,
    Completed,
    Fruitless,
    HandBack,
    Mishap,
    ProviderTrouble,
    RunFacts,
    RunOutcome,
    Unverified,
    WrongProcedure,
    counted_from,
    judge_run,
    stale_milestones,
)
from tests.policy.situations import NOW, a_member, a_run, at, said

DONE, BLOCKED, PARTIAL = MilestoneStatus.DONE, MilestoneStatus.BLOCKED, MilestoneStatus.PARTIAL
OPENED = Published(name="7", number=7)
MERGED = Published(name="7", number=7, is_merged=True)
FINISHED = (said(DONE),)


def ended(*milestones: Milestone, completion: str = "milestone", code: int | None = 0, **given: Any) -> RunOutcome:
    """Judge a run that ended like that: fields of `RunFacts` by their names, everything else belongs to its end."""
    of_facts: dict[str, Any] = {
        name: given.pop(name)
        for name in ("commits", "siblings", "strays", "uncommitted", "offence", "broken")
        if name in given
    }
    end = RunEnd(code=code, at=NOW, **given)
    facts: dict[str, Any] = {"commits": ("c",), "spawned_at": at(50), **of_facts}
    return judge_run(RunFacts(record=a_run(*milestones), end=end, completion=completion, **facts))


def test_a_hand_back_comes_first() -> None:
    """R-28, R-38: whatever else happened, but for what is merged already."""
    blocked = said(BLOCKED, "implement", reason="no key")
    assert ended(blocked) == HandBack("no key", is_partial=False)
    assert ended(said(PARTIAL, "implement", reason="half")) == HandBack("half", is_partial=True)
    assert ended(said(DONE), blocked, code=1, timed_out=True) == HandBack("no key", is_partial=False)
    assert ended(blocked, offence=OPENED) == HandBack("no key", is_partial=False)
    assert ended(blocked, offence=MERGED) == WrongProcedure(MERGED)


def test_r_58_the_procedure_comes_before_completion() -> None:
    """R-58: also of a run that did everything else right, or was ended for it."""
    assert ended(*FINISHED, offence=OPENED) == WrongProcedure(OPENED)
    assert ended(code=None, signal=15, offence=OPENED) == WrongProcedure(OPENED)


def test_the_contract_and_work_make_it_complete() -> None:
    """R-28, R-30: a later harmless milestone buries nothing; by exit, the code alone; work may be uncommitted yet."""
    assert ended(*FINISHED, code=1) == Completed()
    assert ended(said(DONE), said(MilestoneStatus.PROGRESS, "report")) == Completed()
    assert ended(completion="exit") == Completed()
    assert ended(*FINISHED, commits=(), uncommitted=("a.py",)) == Completed()
    assert ended(completion="exit", code=1) == Unverified("no last tool is known")
    assert isinstance(ended(), Unverified)


def test_a_siblings_commits_are_not_its_own() -> None:
    """R-34: it is named, before anything counts."""
    assert ended(*FINISHED, siblings=(2, 3)) == Unverified("sibling-commits:2")


@pytest.mark.parametrize(
    ("seen", "trouble"),
    [
        ({"status": 529}, ProviderTrouble(status="529", resets_at=None, is_usage_limit=False)),
        ({"status": 429, "resets_at": at(90)}, ProviderTrouble(status="429", resets_at=at(90), is_usage_limit=True)),
        ({"usage_limit": True}, ProviderTrouble(status="unknown", resets_at=None, is_usage_limit=True)),
    ],
)
def test_r_44_a_provider_s_error_is_nobody_s_failure(seen: dict[str, object], trouble: ProviderTrouble) -> None:
    """R-44: unless the work is complete in spite of it."""
    assert ended(code=1, provider=seen) == trouble
    assert ended(*FINISHED, code=1, provider=seen) == Completed()


def test_named_ends_have_their_names() -> None:
    """R-29, R-40, R-43, and what was killed from outside."""
    assert ended(code=None, signal=15, timed_out=True) == Fruitless("timeout")
    assert ended(budget="turns", commits=()) == Fruitless("budget:turns")
    assert ended(code=None, signal=9) == Fruitless("killed")
    assert ended(*FINISHED, commits=()) == Fruitless("no-changes")
    assert ended(*FINISHED, code=None, signal=15, commits=()) == Fruitless("no-changes")
    assert ended(commits=()) == Fruitless("no-changes")


def test_r_33_work_that_was_committed_elsewhere_is_named() -> None:
    """R-33 (the reason): nothing on its branch, and where its commits are."""
    strays = {"side": ("a" * 40, "b" * 40)}
    told = f"It left commits elsewhere: side: {'a' * 12}, {'b' * 12}."
    assert ended(*FINISHED, commits=(), strays=strays) == Fruitless("no-changes", told)


def test_r_27_uncommitted_work_is_not_nothing() -> None:
    """R-27: without the word that it is done, such a run ended unverified."""
    assert ended(commits=(), uncommitted=("a.py",), last_tool="Bash") == Unverified("last tool Bash")


def test_r_47_an_announced_wait_is_a_clean_exit_s() -> None:
    """R-47: before `no-changes`, which it would be otherwise."""
    assert ended(waiting=True, commits=()) == AnnouncedWait()
    assert ended(waiting=True, code=1) == Unverified("no last tool is known")


def test_r_35_a_word_counts_from_a_minute_before_the_spawn() -> None:
    """R-35: earlier ones, and those of other runs, are stale."""
    near, far, other = said(DONE, when=at(49)), said(DONE, when=at(48)), said(DONE, gen=1)
    assert ended(near) == Completed()
    assert isinstance(ended(far), Unverified)
    assert isinstance(ended(other), Unverified)
    assert stale_milestones(a_run(near, far, other, said(MilestoneStatus.PROGRESS, when=at(1))), at(50)) == (far, other)


def test_a_31_what_its_surroundings_did_is_no_fault_of_its_work() -> None:
    """A-31: with what it left uncommitted; a contract that is met comes first."""
    failed = ended(code=127, commits=())
    assert failed == Mishap("missing-tool", is_clean=True)
    assert ended(code=127, commits=(), uncommitted=("a.py",)) == Mishap("missing-tool", is_clean=False)
    assert ended(*FINISHED, code=127) == Completed()


def test_what_an_operator_let_through_counts_as_done() -> None:
    """`requeue --allow`: where the hazard is what its work left for, nothing more has to be committed."""
    hazard = Exit(batch="b1", issue=1, kind="evicted", reason="hazard:size")
    member = a_member(1, cut="cut", start="kept", prior=hazard)
    assert counted_from(member) == "kept"
    assert counted_from(replace(member, allow=("hazard:size",))) == "cut"
    assert counted_from(replace(member, prior=None, allow=("hazard:size",))) == "kept"
    assert counted_from(a_member(1, cut="cut")) == "cut"
    assert counted_from(a_member(1)) == ""


def test_in_a_broken_tree_nothing_proves_that_work_is_whole() -> None:
    """Neither the contract with commits, nor a clean exit without any; what it says itself, and named ends, stand."""
    broken = Unverified("tree-broken: no HEAD")
    assert ended(*FINISHED, commits=("c",), broken="no HEAD") == broken
    assert ended(completion="exit", broken="no HEAD") == broken
    assert ended(code=1, broken="no HEAD") == broken
    assert ended(timed_out=True, broken="no HEAD", code=1) == Fruitless("timeout")
