"""Who runs next, on the whole engine: slots, order, dependencies, and what a running batch keeps to."""

from itertools import accumulate

from gitsched.domain.words import BatchStatus, Dispatch, EntryStatus, MemberStatus
from gitsched.engine.intake.priority import PriorityRequest, reprioritize
from tests.engine.patience import tick_that_tells, ticks_until
from tests.engine.world import PERSON, World
from tests.real_git import run_git


def waiting(world: World, *issues: int) -> str:
    """Let these issues' agents wait at one place, and give it."""
    gate = str(world.barrier("gate"))
    for issue in issues:
        world.agent(issue, f"read -r _ < {gate}; echo {issue} > file{issue}.txt")
    return gate


def let_go(gate: str, count: int) -> None:
    """Let that many of them go on."""
    with open(gate, "w") as pipe:  # noqa: PTH123 - a named pipe
        pipe.write("go\n" * count)


def test_r_01_two_slots_are_filled_and_stay_so(world: World) -> None:
    """R-01: five queued solo issues and two slots: two run after two ticks, the second of which spawns nothing."""
    world.slots(2)
    world.issues(1, 2, 3, 4, 5)
    gate = waiting(world, 1, 2, 3, 4, 5)
    world.enqueue(1, 2, 3, 4, 5, solo=True)
    world.tick()
    spawned = world.events("spawned")
    assert [issue for _, issue in spawned] == [1, 2]
    world.tick()
    assert world.events("spawned") == spawned
    told = world.status()
    assert told["slots"]["live"] == 2
    waits = {row["issue"]: list(row["waits"]) for row in told["entries"]}
    assert {issue: waits[issue] for issue in (3, 4, 5)} == {issue: ["capacity"] for issue in (3, 4, 5)}
    let_go(gate, 5)
    world.run()
    assert all(row.status is EntryStatus.DONE for row in world.state.entries.values())


def test_r_03_a_run_that_is_to_be_started_again_holds_its_slot(world: World) -> None:
    """R-03: one run is running, one recovering: two slots are live, and a third candidate waits with `capacity`."""
    world.slots(2)
    world.issues(1, 2, 3)
    gate = waiting(world, 1)
    world.agent(2, "echo 'API Error: 529 Overloaded'; exit 1", gen=0)
    world.agents(2, 3)
    world.enqueue(1, 2, 3, solo=True)
    ticks_until(world, lambda state: any(lease.status == "recovering" for lease in state.leases.values()))
    world.tick()
    assert world.status()["slots"]["live"] == 2
    assert world.waits(3) == ("capacity",)
    assert "3 0" not in world.started()
    let_go(gate, 1)
    world.stop("2")
    world.run()


def test_r_05_what_depends_on_a_stranger_waits_until_it_is_known(world: World) -> None:
    """R-05: `dep-missing` for three ticks, told once, others run; enqueued, it is an ordinary dependency."""
    world.issue(1)
    world.issue(2)
    world.issue(3, deps=(1,))
    world.agents(1, 2, 3)
    world.enqueue(3)
    world.enqueue(2)
    for _ in range(3):
        world.tick()
    world.run()
    entry = world.entry(3)
    assert (entry.status, entry.reason) == (EntryStatus.BLOCKED, "dep-missing:1")
    assert len(world.told("dependency-blocked", 3)) == 1
    assert world.started() == ["2 0"]
    world.pause()
    world.enqueue(1)
    world.tick()
    assert world.entry(3).status is EntryStatus.QUEUED
    assert "dependency:1" in world.waits(3)
    world.unpause()
    world.run()
    assert world.started() == ["2 0", "1 0", "3 0"]


def test_r_06_an_outsider_waits_for_the_merge_and_a_member_for_the_landing(world: World) -> None:
    """R-06: 2 of b1 depends on 1 of b1, and 5 on 2: 1 lands before 2, and 5 starts when b1 has merged, not before."""
    world.issues(1)
    world.issue(2, deps=(1,))
    world.issue(3, deps=(2,))
    world.agents(1, 2, 3)
    world.configure('[ship]\nmerge = "manual"\n')
    world.enqueue(1, 2, batch="b1")
    world.enqueue(3)
    world.run()
    assert [issue for _, issue in world.events("member-landed")] == [1, 2]
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert world.waits(3) == ("dependency:2",)
    assert world.started() == ["1 0", "2 0"]
    world.merge("b1")
    world.run()
    assert world.started() == ["1 0", "2 0", "3 0"]


def test_r_07_who_is_put_first_gets_the_next_slot(world: World) -> None:
    """R-07: one slot: the batch stands before an older solo issue, until that is given a higher priority."""
    world.slots(1)
    world.issues(1, 2, 3)
    gate = waiting(world, 1, 2)
    world.agents(3)
    world.enqueue(3, solo=True)
    world.enqueue(1, 2, batch="b1")
    world.tick()
    assert world.events("spawned") == [("spawned", 1)]
    assert world.waits(3) == ("capacity",)
    reprioritize(world.clone.store, PriorityRequest("3", 20), PERSON)
    let_go(gate, 2)
    world.run()
    assert world.events("spawned") == [("spawned", 1), ("spawned", 3), ("spawned", 2)]


def test_r_09_who_was_overtaken_too_often_is_next(world: World) -> None:
    """R-09: one slot and a stream of higher priority: after so many overtakings 1 is next, and `why` says so."""
    world.configure("[admission]\novertaken = 3\n", slots=1)
    world.slots(1)
    world.issues(1, 2, 3, 4, 5, 6)
    gates = {issue: world.barrier(f"gate{issue}") for issue in (2, 3, 4, 5)}
    world.agents(1, 6)
    for issue, gate in gates.items():
        world.agent(issue, f"read -r _ < {gate}; echo {issue} > file{issue}.txt")
    world.enqueue(2, solo=True, priority=5)
    world.tick()
    world.enqueue(1, solo=True)
    world.enqueue(3, 4, 5, 6, solo=True, priority=5)
    reserved = "It was overtaken too often: the next slot that fits is reserved for it."
    for issue in (2, 3, 4):
        assert reserved not in world.why(1).sentences
        gates[issue].open()
        ticks_until(world, lambda _, issue=issue: f"{issue + 1} 0" in world.started())  # type: ignore[misc]
    assert reserved in world.why(1).sentences
    assert world.waits(1) == ("capacity",)
    gates[5].open()
    world.run()
    assert [issue for _, issue in world.events("spawned")] == [2, 3, 4, 5, 1, 6]


def test_r_10_a_third_member_starts_when_one_of_two_ends(world: World) -> None:
    """R-10: never more than two of b1 are live, a solo issue has a slot at once, and 3 starts as 1 ends."""
    world.configure("[batch]\nmember_parallelism = 2\n")
    world.issues(1, 2, 3, 4, 5)
    gate, first = waiting(world, 2, 3, 4, 5), world.barrier("first")
    world.agent(1, f"read -r _ < {first}; echo 1 > file1.txt")
    world.enqueue(1, 2, 3, 4, batch="b1")
    world.enqueue(5, solo=True)
    world.tick()
    assert sorted(issue or 0 for _, issue in world.events("spawned")) == [1, 2, 5]
    assert "parallelism" in world.waits(3)
    first.open()
    assert ("spawned", 3) in tick_that_tells(world, "slot-released", 1)
    let_go(gate, 4)
    world.run()
    told = [name for name, issue in world.events() if name in ("spawned", "slot-released") and issue != 5]
    live = list(accumulate(1 if name == "spawned" else -1 for name in told))
    assert max(live) == 2
    assert told[:4] == ["spawned", "spawned", "slot-released", "spawned"]
    world.expect_landed(1, 2, 3, 4)


def test_r_11_status_shows_every_reason(world: World) -> None:
    """R-11: all slots are full and the files overlap: `status` names both."""
    world.slots(1)
    world.issue(1, files=("src/**",))
    world.issue(2, files=("src/a.py",))
    gate = waiting(world, 1)
    world.agents(2)
    world.agent(1, f"read -r _ < {gate}; mkdir src; echo 1 > src/a.py")
    world.agent(2, "echo 2 > src/a.py")
    world.enqueue(1, 2, solo=True)
    world.tick()
    (row,) = [row for row in world.status()["entries"] if row["issue"] == 2]
    assert sorted(row["waits"]) == ["capacity", "overlap:1"]
    let_go(gate, 1)
    world.run()


def test_r_12_a_batch_at_work_keeps_its_dispatch(world: World) -> None:
    """R-12: `serial` by parallelism, by a group, by a dependency; a later edit changes none that executes."""
    world.configure("[batch]\nmember_parallelism = 1\n", slots=1)
    world.slots(1)
    world.issues(1, 2)
    gate = waiting(world, 1)
    world.agents(2)
    world.enqueue(1, 2, batch="b1")
    world.tick()
    world.configure("[batch]\nmember_parallelism = 4\n")
    world.slots(4)
    world.issues(3, 4)
    world.issue(5)
    world.issue(6, deps=(5,))
    world.agents(3, 4, 5, 6)
    world.enqueue(3, 4, batch="b2", groups=((3, 4),))
    world.enqueue(5, 6, batch="b3")
    world.tick()
    world.tick()
    assert {batch["id"]: batch["dispatch"] for batch in world.status()["batches"]} == dict.fromkeys(
        ("b1", "b2", "b3"), "serial"
    )
    assert world.batch("b1").parallelism == 1
    assert world.member(2).status is MemberStatus.WAITING
    let_go(gate, 1)
    world.run()
    assert world.batch("b1").dispatch is Dispatch.SERIAL
    world.expect_landed(1, 2)


def test_r_13_serial_members_stand_on_one_another_and_parallel_ones_on_the_base(world: World) -> None:
    """R-13: 2's tree holds what 1 landed; 3 and 4 are cut from their batch's base; branches have their names."""
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1, 2, 3, 4)
    world.agents(1, 3, 4)
    world.agent(2, "test -f file1.txt; echo 2 > file2.txt")
    world.enqueue(1, 2, batch="b1", groups=((1, 2),))
    world.enqueue(3, 4, batch="b2")
    world.run()
    world.expect_landed(1, 2)
    world.expect_landed(3, 4, batch="b2")
    assert world.member(2).cut == world.member(1).landed
    assert "file1.txt" in run_git(world.repo, "ls-tree", "--name-only", world.member(2).cut or "").splitlines()
    assert [world.member(issue, "b2").cut for issue in (3, 4)] == [world.batch("b2").base] * 2
    names = [world.member(issue, batch).branch for batch, issue in (("b1", 1), ("b1", 2), ("b2", 3), ("b2", 4))]
    assert names == ["gitsched/b1/m1-i1", "gitsched/b1/m2-i2", "gitsched/b2/m1-i3", "gitsched/b2/m2-i4"]


def test_r_23_a_full_disk_fails_nobody(world: World) -> None:
    """R-23: below the floor candidates show `disk-floor` and the live run goes on; with space again they start."""
    world.issues(1, 2)
    gate = waiting(world, 1)
    world.agents(2)
    world.enqueue(1, solo=True)
    world.tick()
    world.configure('[disk]\nfloor = "100000GiB"\n')
    world.enqueue(2, solo=True)
    let_go(gate, 1)
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    assert world.entry(2).status is EntryStatus.QUEUED
    assert "disk-floor" in world.waits(2)
    assert world.started() == ["1 0"]
    world.configure()
    world.run()
    assert world.entry(2).status is EntryStatus.DONE
    assert world.member(2, "i2").recoveries == 0
