"""What the journal says of a condition that lasts."""

from gitsched.domain.outcomes import Unreachable
from gitsched.engine.driver import Until
from tests.engine.relay import Relay
from tests.engine.world import World


def test_i_11_a_forge_that_is_away_is_journaled_quietly(world: World) -> None:
    """I-11, A-06: 45 ticks, each of another driver: three lines with one start, no row's age moves; then a new one."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    before = world.entry(1)
    away = Relay(world.clone.forge, issues=lambda _real, _numbers: Unreachable(what="forge", detail="away"))
    for _ in range(45):
        world.driver_with(forge=away).run(Until.ONCE)
    failed = world.told("label-check-failed")
    assert [event.fields["ticks"] for event in failed] == [1, 21, 41]
    assert len({event.fields["since"] for event in failed}) == 1
    assert world.started() == []
    assert world.entry(1).updated_at == before.updated_at
    world.pause()
    world.tick()
    (over,) = world.told("ground-truth-unreachable")
    assert over.fields["since"] == failed[0].fields["since"]
    world.driver_with(forge=away).run(Until.ONCE)
    assert len(world.told("label-check-failed")) == 4
    assert world.told("label-check-failed")[-1].fields["since"] != failed[0].fields["since"]


def test_a_run_that_only_the_forge_holds_up_says_so(world: World) -> None:
    """Nothing is live and the forge is away: to be called again, and neither shipped nor gone wrong."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    away = Relay(world.clone.forge, issues=lambda _real, _numbers: Unreachable(what="forge", detail="away"))
    for until in (Until.ONCE, Until.DRAINED, Until.IDLE):
        ending = world.driver_with(forge=away).run(until)
        assert (ending.is_unreachable, ending.went_wrong, ending.is_paused) == (True, False, False)
    assert not world.driver_with(forge=away).run(Until.ONCE, [7]).is_unreachable
    assert not world.run().is_unreachable
    world.expect_landed(1, batch="i1")
