"""The one bounded fix."""

from gitsched.domain.batches import Fix
from gitsched.domain.records import Exit
from gitsched.domain.search_effects import ClaimFix
from gitsched.domain.verdicts import Case
from gitsched.domain.words import BatchStatus, JobKind, MemberStatus, Review, Tier
from gitsched.policy.batches import batch_steps
from gitsched.policy.mending import has_helped, tier_of, to_mend, wait_of
from tests.policy.situations import a_batch, a_job, a_lease, a_member, a_situation, a_state, settings

MENDER = settings('[agents.mender]\ncommand = ["mend"]\n[fix]\nagent = "mender"\n')


def leaving(issue: int) -> Exit:
    return Exit(batch="b1", issue=issue, kind="evicted", reason="suite-failed")


def test_v_27_each_member_has_one_attempt() -> None:
    """V-27: no second attempt for 3, while 5 still has its own; none at all where no agent is configured."""
    exits = (leaving(3), leaving(5))
    assert to_mend(a_batch(3, 5), exits, MENDER) == exits[0]
    assert to_mend(a_batch(3, 5, fix_attempts=(3,)), exits, MENDER) == exits[1]
    assert to_mend(a_batch(3, 5, fix_attempts=(3, 5)), exits, MENDER) is None
    assert to_mend(a_batch(3, 5), exits, settings()) is None


def test_v_28_a_fix_takes_a_slot_and_is_strong_for_full_review() -> None:
    """V-28: it waits for a slot, and while everything is paused; full review has the strongest."""
    assert wait_of(a_state(a_lease(1))) is None
    assert wait_of(a_state(*(a_lease(n) for n in range(1, 5)))) == "capacity"
    assert wait_of(a_state(a_job("fix", kind=JobKind.FIX), slots_max=1)) == "capacity"
    assert wait_of(a_state(paused=True, paused_by="operator")) == "paused"
    assert tier_of(a_member(1), MENDER) is Tier.MID
    assert tier_of(a_member(1, review=Review.FULL), MENDER) is Tier.STRONG


def test_what_is_known_to_be_others_does_not_speak_against_a_fix() -> None:
    fix = Fix(exit=leaving(3), cases=(("", "", "a"),), others=(("", "", "b"),))
    assert has_helped(fix, [Case(name="b")])
    assert not has_helped(fix, [Case(name="a"), Case(name="b")])
    assert not has_helped(fix, [])


def test_a_batch_that_is_mended_says_what_it_waits_for_once() -> None:
    fix = Fix(exit=leaving(1), cases=())
    member = a_member(1, MemberStatus.LANDED, landed="l", landed_from="base")
    batch = a_batch(1, status=BatchStatus.FIXING, fix=fix)
    assert list(batch_steps(a_situation(a_state(batch, member)))) == [ClaimFix("b1", None)]
    full = [a_lease(n) for n in range(2, 6)]
    assert list(batch_steps(a_situation(a_state(batch, member, *full)))) == [ClaimFix("b1", "capacity")]
    told = a_batch(1, status=BatchStatus.FIXING, fix=fix, reason="capacity")
    assert list(batch_steps(a_situation(a_state(told, member, *full)))) == []
    assert list(batch_steps(a_situation(a_state(batch, member, a_job("fix", kind=JobKind.FIX))))) == []
