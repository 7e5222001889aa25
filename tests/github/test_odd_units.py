"""Issues and pull requests that have become something else, under a driver."""

from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Until
from tests.github.hub_world import HubWorld


def test_g_36_each_is_a_reason_on_its_own_unit_and_no_tick_fails(world: HubWorld) -> None:
    """G-36: deleted, transferred, a null body, an author who is gone, and a request whose fork was deleted."""
    world.configure('[ship]\nmerge = "manual"\n')
    other = world.hub.repository("acme/other")
    for number in (1, 2, 5):
        world.issue(number)
    world.remote.issue(3, title="Empty", body=None)
    world.issue(4, by="bob")
    for number in range(1, 6):
        world.agent(number)
        world.enqueue(number, solo=True)
    world.remote.commit("topic", {"app.py": "1\n"})
    fork = world.remote.fork("eve")
    world.remote.pull("topic", fork=fork)
    world.remote.delete_issue(1)
    world.remote.transfer_issue(2, other)
    world.hub.delete_user("bob")
    world.hub.repository("eve/shop").delete()
    world.time.advance(4000)
    ending = world.run()
    assert [(world.entry(n).status, world.entry(n).reason) for n in (1, 2)] == [
        (EntryStatus.BLOCKED, "gone:deleted"),
        (EntryStatus.BLOCKED, "gone:transferred"),
    ]
    assert [world.batch(f"i{n}").status for n in (3, 4, 5)] == [BatchStatus.AWAITING_MERGE] * 3
    assert ending.went_wrong, "two of five wait for a person"
    assert not world.told("reconcile-error")
    assert "deleted" in " ".join(world.why(1).sentences).lower()


def test_g_36_an_issue_that_goes_while_its_batch_is_under_way_hinders_nobody(world: HubWorld) -> None:
    """G-36 (under way): transferred and deleted while they run: the batch ships, and the third is closed and told."""
    world.configure('[ship]\nmerge = "direct"\n')
    gate = world.barrier("gate")
    for number in (1, 2, 3):
        world.issue(number)
        world.agent(number, f"read -r _ < {gate}; echo {number} > file{number}.txt")
    world.enqueue(1, 2, 3, batch="b1")
    world.tick()
    world.remote.delete_issue(1)
    world.remote.transfer_issue(2, world.hub.repository("acme/other"))
    gate.open(readers=3)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DONE, None)
    assert {"file1.txt", "file2.txt", "file3.txt"} <= world.forge_paths()
    assert world.entry(3).status is EntryStatus.DONE
    assert len(world.told_on(3)) == 1
    assert not world.told("reconcile-error")


def test_the_status_comment_of_an_issue_that_is_gone_is_tried_once(world: HubWorld) -> None:
    world.configure('[ship]\nmerge = "manual"\n')
    world.issue(1)
    world.agent(1)
    world.enqueue(1, solo=True)
    world.remote.transfer_issue(1, world.hub.repository("acme/other"))
    world.run()
    driver = world.driver()
    driver.run(Until.ONCE)
    world.hub.audit.clear()
    for _ in range(3):
        driver._anchors.tell(driver.desk, {})
    assert not world.hub.audit.requests("POST", "/comments$")
