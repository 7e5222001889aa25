"""GitHub is down for a while."""

from gitsched.domain.words import BatchStatus, EntryStatus
from tests.engine.patience import ticks_until
from tests.github.hub_world import HubWorld


def test_g_32_local_work_goes_on_while_github_is_down(world: HubWorld) -> None:
    """G-32: 503 for 20 minutes: agents, gates, landings and suites go on, nothing fails, and it is told quietly."""
    world.configure('[ship]\nmerge = "direct"\n')
    gate = world.barrier("gate")
    for issue in (3, 4):
        world.issue(issue)
        world.agent(issue, f"read -r _ < {gate}; echo {issue} > file{issue}.txt")
    world.enqueue(3, 4, batch="b1")
    world.tick()
    down = world.hub.down()
    gate.open(readers=2)

    world.is_patient = True
    ticks_until(world, lambda state: state.batches["b1"].status is BatchStatus.SHIPPING)
    world.expect_landed(3, 4)
    world.hub.audit.clear()
    for _ in range(20):
        world.time.advance(60)
        world.tick()
    assert world.batch().status is BatchStatus.SHIPPING
    assert [world.entry(n).status for n in (3, 4)] == [EntryStatus.ASSIGNED] * 2
    assert len(world.told("label-check-failed")) <= 3
    assert not world.told("member-evicted")
    down.stop()
    world.time.advance(600)
    world.run()
    assert world.batch().status is BatchStatus.DONE
    over = [event.fields for event in world.told("ground-truth-unreachable")]
    assert over
    assert len({fields["what"] for fields in over}) == len(over), "each once, with its span"
    assert all(str(fields["since"]) < str(fields["until"]) for fields in over)
