"""When a run that lives has been silent for too long."""

import pytest
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.dispatch_effects import Stall, TakeOver
from gitsched.domain.effects import EndLeases, StopAgent
from gitsched.domain.forge import Published
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.runs import Milestone, RunEnd, RunLook
from gitsched.domain.words import BatchStatus, Liveness, MemberStatus, MilestoneStatus, RunStatus
from gitsched.policy.runs import lease_steps, next_timer_s
from gitsched.policy.situation import Situation
from gitsched.policy.stall import STALLED, phase_in_flight
from tests.policy.situations import NOW, a_batch, a_lease, a_look, a_member, a_run, a_situation, a_state, said, settings

PROGRESS, DONE = MilestoneStatus.PROGRESS, MilestoneStatus.DONE
SHORT = '[stall]\ntimeout = "2s"\ntakeover = "1s"\nkill_grace = "60s"\nphases = { implement = "6s" }\n'


def silent(  # many-parameters: one thing of a run each, and a test names the one that matters
    seconds: float | None,
    *milestones: Milestone,
    look: RunLook | None = None,
    recoveries: int = 0,
    published: tuple[Published, ...] = (),
    config: Settings | None = None,
    **lease: object,
) -> Situation:
    """Build a run that has been silent for so long."""
    member = a_member(1, MemberStatus.RUNNING, gen=0, recoveries=recoveries)
    state = a_state(a_batch(1), member, a_lease(1, **lease))  # type: ignore[arg-type]
    return a_situation(
        state,
        config or settings(SHORT),
        runs={("b1", 1): look or a_look(a_run(*milestones))},
        silent_s={} if seconds is None else {("b1", 1): seconds},
        published={("b1", 1): published},
    )


@pytest.mark.parametrize(
    ("posted", "phase"),
    [
        ((), "plan"),
        ((("plan", DONE),), "implement"),
        ((("plan", DONE), ("implement", PROGRESS)), "implement"),
        ((("implement", PROGRESS), ("implement", DONE)), "review"),
        ((("implement", PROGRESS), ("tidying", DONE)), "implement"),
        ((("tidying", PROGRESS),), "tidying"),
        ((("review", DONE),), "review"),
    ],
)
def test_the_phase_in_flight(posted: tuple[tuple[str, MilestoneStatus], ...], phase: str) -> None:
    """The phase of the last `progress`, or the one after the last `done`; what is in no order opens nothing."""
    assert phase_in_flight(a_run(*(said(status, name) for name, status in posted))) == phase


def test_r_51_each_phase_has_its_allowance() -> None:
    """R-51: in implement not stalled at 4 s, and at 7 s; the effect names both, and that is when to look."""
    opened = said(PROGRESS, "implement")
    assert list(lease_steps(silent(4, opened))) == []
    assert next_timer_s(silent(4, opened)) == 2
    assert list(lease_steps(silent(7, opened))) == [Stall("b1", 1, 0, "implement", 6)]
    assert list(lease_steps(silent(2))) == [Stall("b1", 1, 0, "plan", 2)]


@pytest.mark.parametrize("reason", [STALLED, "window-closed", "cancelled"])
def test_one_that_is_being_ended_already_is_not_ended_for_another_reason(reason: str) -> None:
    """Its machine slept through the end of its window: it ends as that, and no two reasons take turns."""
    found = list(lease_steps(silent(99, reason=reason, stop_sent_at=NOW)))
    assert not [effect for effect in found if isinstance(effect, Stall)]
    assert [effect for effect in lease_steps(silent(99)) if isinstance(effect, Stall)]


def test_nobody_is_silent_while_the_forge_cannot_be_asked() -> None:
    """Property 8: what a run may have said there is not known, and nothing wakes the driver for it."""
    away = replace(silent(9).facts, issues=Unreachable(what="the forge", detail="it is away"))
    assert list(lease_steps(replace(silent(9), facts=away))) == []
    assert next_timer_s(replace(silent(9), facts=away)) is None


def test_implement_has_a_floor_over_the_global_value() -> None:
    """Unless it is written: 90 minutes."""
    opened = said(PROGRESS, "implement")
    assert list(lease_steps(silent(5399, opened, config=settings()))) == []
    assert list(lease_steps(silent(5400, opened, config=settings()))) == [Stall("b1", 1, 0, "implement", 5400)]


def test_r_55_a_takeover_has_its_own_allowance_until_it_posts() -> None:
    """R-55: had it posted one milestone, the phase's own would apply."""
    assert list(lease_steps(silent(1, recoveries=1))) == [Stall("b1", 1, 0, "takeover", 1)]
    assert list(lease_steps(silent(1, said(PROGRESS, "plan"), recoveries=1))) == []
    unclaimed = a_look(None)
    assert list(lease_steps(silent(1, look=unclaimed, recoveries=1))) == [Stall("b1", 1, 0, "takeover", 1)]
    assert list(lease_steps(silent(2, look=unclaimed))) == [Stall("b1", 1, 0, "plan", 2)]


def test_of_what_cannot_be_seen_nothing_is_known() -> None:
    """No silence was measured, or nobody knows of its worker: it does not stall."""
    assert list(lease_steps(silent(None))) == []
    away = a_look(a_run(), worker=Liveness.UNKNOWN)
    assert list(lease_steps(silent(99, look=away))) == []
    assert next_timer_s(silent(99, look=away)) is None


def test_a_last_word_is_not_silence() -> None:
    """A run that said its last word is ended, not stalled; one that has ended is settled."""
    assert list(lease_steps(silent(99, said(DONE, when=NOW)))) == []
    ended = silent(99, look=a_look(a_run(end=RunEnd(code=0, at=NOW))), reason=STALLED)
    assert [type(step).__name__ for step in lease_steps(ended)] == ["SettleRun"]
    assert next_timer_s(ended) is None


def test_a_stalled_run_is_ended_and_then_taken_over() -> None:
    """R-49: TERM at once, KILL after the grace, each once; taken over when neither worker nor agent lives."""
    fenced, gone = a_look(None), a_look(None, worker=Liveness.GONE, agent=Liveness.GONE)
    stopped = "2026-01-01T11:59:30.000Z"
    assert list(lease_steps(silent(9, look=fenced, reason=STALLED))) == [StopAgent("b1", 1, 0, kill=False)]
    waiting = silent(9, look=fenced, reason=STALLED, stop_sent_at=stopped)
    assert list(lease_steps(waiting)) == []
    assert next_timer_s(waiting) == 30
    overdue = silent(9, look=fenced, reason=STALLED, stop_sent_at="2026-01-01T11:59:00.000Z")
    assert list(lease_steps(overdue)) == [StopAgent("b1", 1, 0, kill=True)]
    killed = silent(9, look=fenced, reason=STALLED, stop_sent_at=stopped, kill_sent_at=NOW)
    assert list(lease_steps(killed)) == []
    assert next_timer_s(killed) is None
    left = a_look(None, worker=Liveness.GONE, agent=Liveness.ALIVE)
    assert list(lease_steps(silent(9, look=left, reason=STALLED))) == [StopAgent("b1", 1, 0, kill=False)]
    assert list(lease_steps(silent(9, look=gone, reason=STALLED))) == [TakeOver("b1", 1, 0)]
    assert list(lease_steps(silent(9, look=a_look(None, worker=Liveness.UNKNOWN), reason=STALLED))) == []


def test_r_58_who_publishes_by_itself_is_ended() -> None:
    """R-58: TERM at once; a request that it has been told about is no reason."""
    opened = (Published(name="7", number=7),)
    assert list(lease_steps(silent(0, published=opened))) == [StopAgent("b1", 1, 0, kill=False)]
    situation = silent(0, published=opened)
    told = situation.state.put(a_member(1, MemberStatus.RUNNING, gen=0, requests=(7,)))
    assert list(lease_steps(a_situation(told, published={("b1", 1): opened}, runs=situation.facts.runs))) == []


def test_r_16_every_run_of_a_batch_that_broke_out_is_ended() -> None:
    """R-16: TERM at once, whatever it said; a batch that is blocked for another reason runs on."""
    situation = silent(0)
    runs = situation.facts.runs
    broken = situation.state.put(a_batch(1, status=BatchStatus.BLOCKED, reason="isolation-breach"))
    assert list(lease_steps(a_situation(broken, runs=runs))) == [StopAgent("b1", 1, 0, kill=False)]
    held = situation.state.put(a_batch(1, status=BatchStatus.BLOCKED, reason="held:x"))
    assert list(lease_steps(a_situation(held, runs=runs))) == []


def test_a_run_that_nobody_needs_is_ended_before_its_slot_is_free() -> None:
    """TERM, KILL after the grace, each once, whatever its lease stands at; then the slot is given back."""
    situation, key = silent(None), ("b1", 1)
    over = situation.state.put(a_batch(1, status=BatchStatus.STOPPED))
    lives, gone = a_look(a_run()), a_look(a_run(), worker=Liveness.GONE, agent=Liveness.GONE)
    assert list(lease_steps(a_situation(over, runs={key: lives}))) == [StopAgent("b1", 1, 0, kill=False)]
    asked = over.put(a_lease(1, RunStatus.VERIFYING, stop_sent_at="2026-01-01T11:59:30.000Z"))
    assert list(lease_steps(a_situation(asked, settings(SHORT), runs={key: lives}))) == []
    assert next_timer_s(a_situation(asked, settings(SHORT), runs={key: lives})) == 30
    assert list(lease_steps(a_situation(over, runs={key: gone}))) == [EndLeases("b1", 1)]
    ended = a_look(a_run(end=RunEnd(code=0, at=NOW)))
    assert list(lease_steps(a_situation(over, runs={key: ended}))) == [EndLeases("b1", 1)]
    assert next_timer_s(a_situation(over, runs={key: ended})) is None
    lost = a_state(a_lease(1))
    assert list(lease_steps(a_situation(lost, runs={key: lives}))) == [StopAgent("b1", 1, 0, kill=False)]
    assert list(lease_steps(a_situation(lost))) == [EndLeases("b1", 1)]
