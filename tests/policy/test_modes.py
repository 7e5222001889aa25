"""Agents that own the terminal, work by hand, and runs that hold a slot and are not to start after all."""

from gitsched.domain.costs import DayCosts
from gitsched.domain.dispatch_effects import YieldSlot
from gitsched.domain.effects import Admit, FormSolo, Launch
from gitsched.domain.words import MemberStatus, RunStatus
from gitsched.policy.admit import admissions, claim_reasons, waiting_member
from gitsched.policy.idle import is_live, is_settled
from gitsched.policy.order import Candidate
from gitsched.policy.runs import lease_steps
from tests.policy.situations import (
    a_batch,
    a_driver,
    a_lease,
    a_look,
    a_member,
    a_situation,
    a_state,
    an_entry,
    settings,
)

SEQUENTIAL = settings('mode = "sequential"\n')
MANUAL = settings('mode = "manual"\n')


def test_one_agent_has_the_terminal_at_a_time() -> None:
    """A-22 (the rule): the second waits for the first, also within one pass, and for whoever works by hand."""
    state = a_state(an_entry(1), an_entry(2))
    found = admissions(a_situation(state, SEQUENTIAL))
    assert (found.effects, found.waits) == ((FormSolo(1),), {2: ("sequential:1",)})
    running = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1), an_entry(2))
    assert admissions(a_situation(running, SEQUENTIAL)).waits == {2: ("sequential:1",)}
    by_hand = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1, worked_by="ada"), an_entry(2))
    assert admissions(a_situation(by_hand, SEQUENTIAL)).waits == {2: ("sequential:1",)}
    assert admissions(a_situation(by_hand)).waits == {}


def test_work_by_hand_waits_to_be_claimed() -> None:
    """No agent is started for it, and what keeps agents out keeps no person out."""
    state = a_state(an_entry(1), DayCosts(day="2026-01-01", profiles={"fake": {"runs": 9}}))
    config = settings('mode = "manual"\nhold = true\n[budget.day]\nruns = 1\n')
    assert admissions(a_situation(state, config)).waits == {
        1: ("budget:day.runs", "held:profile-fake", "held:manual"),
    }
    candidate = Candidate(entry=state.entries[1])
    assert claim_reasons(a_situation(state, config), candidate) == ()
    assert claim_reasons(a_situation(state, MANUAL, disk_low=True), candidate) == ("disk-floor",)


def test_people_claim_side_by_side_but_not_beside_the_terminals_agent() -> None:
    """Every reason is named, as for an agent."""
    taken = a_state(
        a_batch(1, 2),
        a_member(1, MemberStatus.RUNNING, files=("x",)),
        a_member(2, files=("x",)),
        a_lease(1),
        slots_max=1,
    )
    candidate = waiting_member(taken, "b1", 2)
    assert candidate is not None
    found = claim_reasons(a_situation(taken, SEQUENTIAL), candidate)
    assert found == ("parallelism", "overlap:1", "sequential:1", "capacity")
    by_hand = a_state(a_batch(1, 2), a_member(1, MemberStatus.RUNNING), a_member(2), a_lease(1, worked_by="ada"))
    assert claim_reasons(a_situation(by_hand), candidate) == ()
    assert waiting_member(taken, "b1", 1) is waiting_member(taken, "b1", 9) is None


def test_a_claim_is_left_to_its_person() -> None:
    """Nothing recovers, stalls or stops it; a driver does not wait for it."""
    state = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1, driver="cli", worked_by="ada"))
    assert list(lease_steps(a_situation(state, runs={("b1", 1): a_look(None)}))) == []
    assert not is_live(state)
    assert is_settled(state, [1])


def test_a_claim_that_was_cut_short_gives_its_slot_back() -> None:
    """Its process is gone before the tree was handed over: no agent starts in its place."""
    state = a_state(a_batch(1), a_member(1, MemberStatus.PREPARING))
    lost = state.put(a_lease(1, RunStatus.ASSIGNED, driver="cli", worked_by="ada"))
    assert list(lease_steps(a_situation(lost))) == [YieldSlot("b1", 1, 0, "claim-lost")]
    lives = lost.put(a_driver("cli"))
    assert list(lease_steps(a_situation(lives))) == []
    again = state.put(a_lease(1, RunStatus.RECOVERING, worked_by="ada"))
    assert list(lease_steps(a_situation(again))) == [YieldSlot("b1", 1, 0, "claim-lost")]


def test_a_run_that_starts_again_asks_its_budgets_again() -> None:
    """Used up meanwhile: the slot is given back and the member waits with the budget's reason."""
    config = settings("[budget.member]\nruns = 1\n")
    member = a_member(1, MemberStatus.PREPARING, usage={"runs": 1})
    state = a_state(a_batch(1), member, a_lease(1, RunStatus.RECOVERING))
    assert list(lease_steps(a_situation(state, config))) == [YieldSlot("b1", 1, 0, "budget:member.runs")]
    assert list(lease_steps(a_situation(state))) == [Launch("b1", 1, 0)]
    waiting = a_state(a_batch(1), a_member(1, usage={"runs": 1}))
    assert admissions(a_situation(waiting, config)).waits == {1: ("budget:member.runs",)}
    assert admissions(a_situation(waiting)).effects == (Admit("b1", 1),)
