"""Provider trouble and the health of dispatch: whole stories."""

from pathlib import Path

import pytest

from gitsched.adapters.clock import TEST_CLOCK
from gitsched.domain.instants import epoch_seconds, instant_of, moment_of
from gitsched.domain.state import State
from gitsched.domain.words import EntryStatus, MemberStatus, RunStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from tests.engine.patience import ticks_until, told
from tests.engine.world import World

OVERLOADED = "echo 'API Error: 529 Overloaded'"
RESET_AT = "2026-12-01T13:00:00.000Z"
TWO_PROFILES = """
[agents.other]
command = ["sh", "{scripts}/agent"]
completion = "exit"
"""


def has_recovering(state: State) -> bool:
    """Say whether some run waits to be started again."""
    return any(lease.status is RunStatus.RECOVERING for lease in state.leases.values())


def test_a_provider_error_is_nobodys_failure(world: World) -> None:
    """R-44: status told, run held, tier and recoveries unchanged; later it goes on in the same tree."""
    world.issues(1)
    world.agent(1, f"echo half > half.txt; {OVERLOADED}; exit 1", gen=0)
    world.agent(1, "grep half half.txt; echo 1 > file1.txt")
    world.enqueue(1)
    state = ticks_until(world, has_recovering)
    (failure,) = told(world, "dispatch-failure")
    assert (failure.fields["status"], failure.fields["profile"]) == ("529", "fake")
    lease, member = state.leases["i1", 1], state.members["i1", 1]
    assert (lease.gen, lease.tier, member.recoveries, member.status) == (1, None, 0, MemberStatus.PREPARING)
    assert lease.not_before_at is not None
    assert not state.control.paused
    world.unpause()
    world.run()
    assert world.started()[0] == "1 0"
    assert len(world.started()) == 2
    assert not told(world, "member-evicted")
    assert world.entry(1).status is EntryStatus.DONE


def test_two_usage_limits_stop_their_profile_alone(
    world: World, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-45: paused with the reset; other profiles, suite and landing go on; after the reset work goes on by itself."""
    clock = hermetic / "clock"
    clock.write_text("2026-12-01T12:00:00Z")
    monkeypatch.setenv(TEST_CLOCK, str(clock))
    world.configure(TWO_PROFILES.format(scripts=world.scripts))
    world.slots(3)
    world.issues(1, 2, 3, 4)
    reset_s = epoch_seconds(RESET_AT)
    limit = f"echo 'Claude AI usage limit reached|{reset_s}'; exit 1"
    world.agent(1, limit, gen=0)
    world.agent(2, limit, gen=0)
    world.agent(1, gen=1)
    world.agent(2, gen=1)
    world.agents(3, 4)
    for issue, profile in ((1, "fake"), (2, "fake"), (4, "other"), (3, "fake")):
        world.enqueue(issue, profile=profile)
    seen: dict[str, object] = {}

    def look(entry: JournalEntry) -> None:
        names = [str(event.name) for event in entry.events]
        control = world.state.control
        if "dispatch-unhealthy" in names and not seen:
            seen.update(control=control, waits=world.waits(3))
        if "reported" in names and any(event.batch == "i4" for event in entry.events):
            seen["limited when 4 was done"] = set(control.limited)
            clock.write_text(RESET_AT)

    world.driver().run(Until.IDLE, None, look)
    control = seen["control"]
    assert (control.paused, control.pause_reason) == (True, "dispatch-unhealthy")  # type: ignore[attr-defined]
    assert control.resets_at == RESET_AT  # type: ignore[attr-defined]
    assert f"usage-limit:{RESET_AT}" in seen["waits"]  # type: ignore[operator]
    assert seen["limited when 4 was done"] == {"fake"}
    spawned = {(event.issue, event.gen): event.at for event in told(world, "spawned")}
    assert spawned[4, 0] < RESET_AT < min(spawned[1, 1], spawned[2, 1], spawned[3, 0])
    assert [world.entry(issue).status for issue in (1, 2, 3, 4)] == [EntryStatus.DONE] * 4
    assert not world.state.control.paused
    assert not world.state.control.limited


def test_an_earlier_run_s_trouble_is_not_read_again(world: World) -> None:
    """R-46: gen 0 ended in a provider error, gen 1 says nothing and exits 1: that is unverified."""
    world.configure("[ladder]\nrecoveries = 0\n")
    world.issues(1)
    world.agent(1, f"{OVERLOADED}; exit 1", gen=0)
    world.agent(1, "exit 1")
    world.enqueue(1)
    ticks_until(world, has_recovering)
    world.unpause()
    world.run()
    assert [event.fields["reason"] for event in told(world, "verify-incomplete")][-2] == "agent-exited-unverified"
    assert len(told(world, "dispatch-failure")) == 1
    assert world.entry(1).reason == "escalation-cap"


def test_an_announced_wait_is_believed_once(world: World) -> None:
    """R-47: started again without a rung; the same ending again is an ordinary unverified one."""
    world.configure("[ladder]\nrecoveries = 0\n", completion="milestone")
    world.issues(1)
    world.agent(1, ends="echo 'I will wait for the background job to finish'; exit 0")
    world.enqueue(1)
    world.run()
    assert world.started() == ["1 0", "1 1"]
    assert [event.fields["reason"] for event in told(world, "redispatched")] == ["announced-wait"]
    assert world.member(1, "i1").recoveries == 0
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "agent-exited-unverified")


def test_two_issues_that_end_at_once_pause_everything(world: World) -> None:
    """R-48: unverified within a minute of spawn, from two issues in a row: paused, naming both."""
    world.issues(1, 2, 3)
    world.agent(1, "exit 1")
    world.agent(2, "exit 1")
    world.agents(3)
    world.enqueue(1, 2)
    state = ticks_until(world, lambda state: state.control.paused)
    assert (state.control.pause_reason, state.control.paused_by) == ("dispatch-unhealthy", "engine")
    (sick,) = told(world, "dispatch-unhealthy")
    assert sorted(sick.fields["issues"]) == [1, 2]  # type: ignore[arg-type]
    world.enqueue(3)
    world.tick()
    assert "paused" in world.waits(3)
    world.unpause()
    world.run()
    assert world.entry(3).status is EntryStatus.DONE


def test_one_issue_alone_pauses_nothing(world: World) -> None:
    """R-48: three in a row from the same issue are its own trouble."""
    world.issues(1)
    world.agent(1, "exit 1")
    world.enqueue(1)
    world.run()
    assert world.started() == ["1 0", "1 1", "1 2"]
    assert not told(world, "dispatch-unhealthy")
    assert not world.state.control.paused


def test_a_pause_without_a_reset_is_tried_again_by_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-45, the other half: two errors whose end nobody stated stop everything, and are tried after half an hour."""
    clock = world.scripts / "clock"
    clock.write_text(world.clone.clock.now())
    monkeypatch.setenv("GITSCHED_TEST_CLOCK", str(clock))
    world.issues(1, 2)
    for issue in (1, 2):
        world.agent(issue, f"{OVERLOADED}; exit 1", gen=0)
        world.agent(issue)
        world.enqueue(issue)
    state = ticks_until(world, lambda state: state.control.paused)
    assert (state.control.paused_by, state.control.resets_at) == ("engine", None)
    ticks_until(world, lambda _: len(told(world, "dispatch-failure")) == 2)
    world.tick()
    assert len(world.started()) == 2
    clock.write_text(instant_of(moment_of(state.control.probe_at or "")))
    world.run()
    assert [world.entry(issue).status for issue in (1, 2)] == [EntryStatus.DONE] * 2
    assert not world.state.control.paused
