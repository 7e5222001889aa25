"""A batch from issues to a shipped target."""

from gitsched.domain.words import BatchStatus, EntryStatus
from tests.engine.world import World


def test_a_batch_ships_whole(world: World) -> None:
    """Three members land in order, the suite is green, the target is fast-forwarded, everything is closed."""
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3)
    ending = world.run()
    world.expect_landed(1, 2, 3)
    assert world.batch().status is BatchStatus.DONE
    assert {"file1.txt", "file2.txt", "file3.txt"} <= world.paths()
    assert [world.entry(n).status for n in (1, 2, 3)] == [EntryStatus.DONE] * 3
    assert not ending.went_wrong
    assert not world.forge_issue(1).is_open
