"""Stalls, the ladder, and the fence: whole stories."""

from collections.abc import Callable

import pytest

from gitsched.domain.instants import seconds_between
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from tests.engine.patience import tick_that_tells, ticks_until, told
from tests.engine.relay import Call, Killed, Relay, killed_after, killed_before
from tests.engine.world import World
from tests.real_git import run_git

SHORT = '[stall]\ntimeout = "{timeout}"\ntakeover = "{takeover}"\nkill_grace = "{grace}"\n'


def short(
    world: World, timeout: str = "2s", takeover: str = "20s", grace: str = "5s", more: str = "", **how: object
) -> None:
    """Let runs stall soon."""
    text = SHORT.format(timeout=timeout, takeover=takeover, grace=grace)
    world.configure(f"{text}{more}", **how)  # type: ignore[arg-type]


def order_of(world: World, *names: str) -> list[str]:
    """List these events in the order in which they were recorded."""
    return [str(event.name) for event in told(world, *names)]


def test_a_silent_run_is_taken_over(world: World) -> None:
    """R-49, R-54: stalled, fenced, ended, rescued; then one tier stronger in the same tree."""
    short(world, grace="20s")
    world.issues(1)
    said = world.scripts / "said"
    late = f"gitsched done > /dev/null 2>&1; echo $? > {said}; gitsched check > /dev/null; echo $? >> {said}; exit 0"
    world.agent(1, f"echo $$ > {world.scripts}/pid; echo half > half.txt; trap '{late}' TERM; sleep 60", gen=0)
    gone = f"kill -0 $(cat {world.scripts}/pid) 2> /dev/null && exit 9"
    prompt = f'cp "$GITSCHED_PROMPT_FILE" {world.scripts}/prompt'
    world.agent(1, f"{gone}\n{prompt}\ngrep half half.txt\necho 1 > file1.txt", gen=1)
    world.enqueue(1)
    world.run()
    steps = ["stalled", "fenced", "stop-sent", "work-preserved", "redispatched"]
    assert order_of(world, *steps) == steps
    assert said.read_text().split() == ["4", "4"]
    assert world.started() == ["1 0", "1 1"]
    assert [event.fields["tier"] for event in told(world, "spawned")] == ["mid", "strong"]
    (saved,) = told(world, "work-preserved")
    assert run_git(world.repo, "show", f"{saved.fields['ref']}:half.txt") == "half"
    assert "take over" in (world.scripts / "prompt").read_text()
    member = world.member(1, "i1")
    assert (member.status, member.recoveries, member.gen) == (MemberStatus.SHIPPED, 1, 1)
    assert "A newer generation has taken over." in run_git(world.repo, "show", "refs/gitsched/evidence/i1:runs/1/0/log")


@pytest.mark.fault
@pytest.mark.parametrize("call", ["fence", "stop"])
@pytest.mark.parametrize("killed", [killed_before, killed_after])
def test_a_takeover_survives_its_driver(world: World, call: str, killed: Callable[[int], Call]) -> None:
    """R-49 with the driver killed at each step that touches the world: the next one comes to the same end."""
    short(world, timeout="1500ms")
    world.issues(1)
    world.agent(1, "echo half > half.txt; sleep 60", gen=0)
    world.agent(1, "grep half half.txt\necho 1 > file1.txt", gen=1)
    world.enqueue(1)
    with pytest.raises(Killed):
        world.driver_with(runner=Relay(world.clone.runner, **{call: killed(1)})).run(Until.IDLE)
    world.run()
    assert world.started() == ["1 0", "1 1"]
    assert len(told(world, "stalled")) == 1
    member = world.member(1, "i1")
    assert (member.status, member.recoveries, member.gen) == (MemberStatus.SHIPPED, 1, 1)


@pytest.mark.parametrize(("work", "fence"), [("sleep 60", 3), ("kill -9 $PPID; sleep 60", 1)], ids=["stalled", "lost"])
def test_a_member_that_is_stopped_in_the_middle_of_a_takeover_stays_stopped(
    world: World, work: str, fence: int
) -> None:
    """R-49: an operator ends the member between the fence of a takeover and its record; no next run is started."""
    short(world, timeout="1500ms" if fence == 3 else "20s")
    world.issues(1)
    world.agent(1, work)
    world.enqueue(1)
    fences = []

    def stopped_meanwhile(real: Call, *words: object) -> object:
        fences.append(words)
        done = real(*words)
        if len(fences) == fence:
            world.stop("1")
        return done

    world.driver_with(runner=Relay(world.clone.runner, fence=stopped_meanwhile)).run(Until.IDLE)
    assert world.started() == ["1 0"]
    assert (world.member(1, "i1").status, told(world, "redispatched")) == (MemberStatus.STOPPED, [])
    assert not world.state.leases


@pytest.mark.long
def test_each_sign_of_life_is_enough(world: World) -> None:
    """R-50: one only commits, one only prints, one only posts; none stalls."""
    short(world, timeout="4s")
    world.issues(1, 2, 3)
    each = "for i in 1 2 3 4 5 6 7; do {sign}; sleep 1; done"
    world.agent(1, each.format(sign="echo $i > file1.txt; git add -A; git commit -q -m $i"))
    world.agent(2, each.format(sign="echo $i") + "; echo 2 > file2.txt")
    world.agent(3, each.format(sign="gitsched post --phase plan --status progress") + "; echo 3 > file3.txt")
    world.enqueue(1, 2, 3)
    world.run()
    assert not told(world, "stalled")
    world.expect_landed(1, 2, 3)


def test_a_stall_names_phase_and_allowance(world: World) -> None:
    """R-51: the phase that the last `progress` opened decides; its explicit value wins over the global one."""
    short(world, timeout="20s", more='phases = { implement = "1500ms" }\n[ladder]\nrecoveries = 0\n')
    world.issues(1)
    world.agent(1, "gitsched post --phase implement --status progress; sleep 60")
    world.enqueue(1)
    world.run()
    (stalled,) = told(world, "stalled")
    assert (stalled.fields["phase"], stalled.fields["allowance"], stalled.gen) == ("implement", "1500ms", 0)


@pytest.mark.long
def test_an_explicit_phase_value_is_a_floor_over_the_global_one(world: World) -> None:
    """R-51: silent in `implement` for longer than the global allowance is no stall; for longer than its own it is."""
    short(world, timeout="3s", more='phases = { implement = "7s" }\n[ladder]\nrecoveries = 0\n')
    world.issues(1)
    world.agent(1, "gitsched post --phase implement --status progress > /dev/null; sleep 60")
    world.enqueue(1)
    world.run()
    (stalled,), (spawned,) = told(world, "stalled"), told(world, "spawned")
    assert (stalled.fields["phase"], stalled.fields["allowance"]) == ("implement", "7s")
    assert seconds_between(spawned.at, stalled.at) >= 7


def test_a_solo_at_its_cap_fails_and_takes_its_dependents_along(world: World) -> None:
    """R-52, R-55: two takeovers stall in turn; then it fails, who depends on it is blocked, and others go on."""
    short(world, timeout="1s", takeover="1s", grace="1s")
    world.slots(1)
    world.issues(1, 2, 3, 4)
    world.agent(1, "sleep 60")
    world.agents(2, 3, 4)
    world.enqueue(1)
    world.enqueue(2, deps=(1,))
    world.enqueue(3, deps=(2,))
    world.enqueue(4)
    assert ("assigned", 4) in tick_that_tells(world, "slot-released", 1)
    world.run()
    assert [event.fields["phase"] for event in told(world, "stalled")] == ["plan", "takeover", "takeover"]
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.FAILED, "escalation-cap")
    assert world.batch("i1").status is BatchStatus.DISSOLVED
    for issue in (2, 3):
        assert (world.entry(issue).status, world.entry(issue).reason) == (EntryStatus.BLOCKED, "dep-failed:1")
    assert world.entry(4).status is EntryStatus.DONE
    assert world.started() == ["1 0", "1 1", "1 2", "4 0"]
    freed = [(str(event.name), event.issue) for event in told(world, "slot-released", "assigned")]
    assert freed[:3] == [("assigned", 1), ("slot-released", 1), ("assigned", 4)]


def test_what_failed_lets_its_dependents_go_on_when_it_is_done_after_all(world: World) -> None:
    """R-52: `dep-failed` goes, through others too, once its cause is enqueued again and ships."""
    world.configure("[ladder]\nrecoveries = 0\n")
    world.issues(1, 2, 3)
    world.agent(1, "true", ends="exit 1")
    world.agents(2, 3)
    world.enqueue(1)
    world.enqueue(2, deps=(1,))
    world.enqueue(3, deps=(2,))
    world.run()
    assert [world.entry(issue).reason for issue in (1, 2, 3)] == ["escalation-cap", "dep-failed:1", "dep-failed:1"]
    world.agents(1)
    world.enqueue(1)
    world.run()
    assert [world.entry(issue).status for issue in (1, 2, 3)] == [EntryStatus.DONE] * 3


def test_work_that_was_found_at_the_cap_is_parked(world: World) -> None:
    """R-53: commits beyond the cut point park a solo at its last rung; verifiably none fail it."""
    world.configure("[ladder]\nrecoveries = 0\n")
    world.issues(1, 2)
    world.agent(1, ends="exit 1")
    world.agent(2, "echo nothing", ends="exit 1")
    world.enqueue(1)
    world.run()
    world.enqueue(2)
    world.run()
    entry = world.entry(1)
    assert (entry.status, entry.reason) == (EntryStatus.PARKED, "agent-exited-unverified")
    assert run_git(world.repo, "show", f"{entry.branch}:file1.txt") == "1"
    assert (world.entry(2).status, world.entry(2).reason) == (EntryStatus.FAILED, "escalation-cap")


def test_a_look_up_that_fails_decides_nothing(world: World) -> None:
    """R-53: while the forge cannot be read, a run that ended unverified waits; then it is judged."""
    world.configure("[ladder]\nrecoveries = 0\n")
    world.issues(1)
    world.agent(1, ends="exit 1")
    world.enqueue(1)
    answers: list[object] = []

    def away(real: object, *words: object) -> object:
        answers.append(Unreachable(what="the forge", detail="away") if len(answers) < 2 else real(*words))  # type: ignore[operator]
        return answers[-1]

    driver = world.driver_with(forge=Relay(world.clone.forge, pull_requests_from=away))
    driver.run(Until.IDLE)
    assert len(answers) > 2
    assert [event.fields["reason"] for event in told(world, "member-evicted")] == ["agent-exited-unverified"]
    assert len(told(world, "exit-detected")) == 1


def test_a_member_of_a_larger_batch_has_no_rung(world: World) -> None:
    """R-49 in a batch: a stalled member is ended and leaves under that word; the others ship."""
    short(world, timeout="1500ms", grace="1s")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, "trap '' TERM; while :; do sleep 60; done")
    world.enqueue(1, 2)
    world.run()
    assert (world.member(2).status, world.member(2).reason) == (MemberStatus.EVICTED, "stalled")
    assert order_of(world, "stop-sent", "kill-sent") == ["stop-sent", "kill-sent"]
    world.expect_landed(1)


def test_a_stubborn_agent_of_a_stopped_issue_is_killed_once(world: World) -> None:
    """An operator's stop: TERM, KILL after the grace, each told once, and the slot is free only when nothing lives."""
    short(world, timeout="60s", grace="500ms")
    world.issues(1)
    ready = world.scripts / "ready"
    world.agent(1, f"trap '' TERM; echo half > half.txt; touch {ready}; while :; do sleep 60; done")
    world.enqueue(1)
    ticks_until(world, lambda _: ready.exists())
    world.stop("1")
    ticks_until(world, lambda state: not state.leases)
    assert order_of(world, "stop-sent", "kill-sent", "slot-released") == ["stop-sent", "kill-sent", "slot-released"]
    assert world.entry(1).status is EntryStatus.STOPPED
    world.tick()


def test_a_clock_that_jumps_stalls_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-57: the wall clock is hours on in the middle of a run, as after sleep; the run goes on and counts once."""
    clock = world.scripts / "clock"
    clock.write_text(world.clone.clock.now())
    monkeypatch.setenv("GITSCHED_TEST_CLOCK", str(clock))
    short(world, timeout="10s")
    world.issues(1, 2)
    world.agent(1, "sleep 4; echo 1 > file1.txt")
    world.agent(
        2,
        f"sleep 1; date -u -d '+3 hours' +%Y-%m-%dT%H:%M:%SZ > {clock}.new; mv {clock}.new {clock}; echo 2 > file2.txt",
    )
    world.enqueue(1)
    world.enqueue(2)
    world.run()
    assert sorted(world.started()) == ["1 0", "2 0"]
    assert not told(world, "stalled")
    assert [world.entry(issue).status for issue in (1, 2)] == [EntryStatus.DONE] * 2
