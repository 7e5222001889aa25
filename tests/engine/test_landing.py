"""Landing in member order, conflicts, and what leaves."""

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from tests.engine.world import World
from tests.real_git import run_git


def test_l_14_members_land_in_order_though_they_end_in_another(world: World) -> None:
    """L-14: 2 and 3 end first; nothing lands and nothing moves until 1 is verified; then 1, 2, 3, each in one piece."""
    gate = world.barrier("go")
    world.issues(1, 2, 3)
    first = "git add -A; git commit -q -m First; echo more > more{n}.txt"
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    for issue in (2, 3):
        world.agent(issue, f"echo {issue} > file{issue}.txt; {first.format(n=issue)}")
    world.enqueue(1, 2, 3)
    verified: set[int | None] = set()

    def on_entry(entry: JournalEntry) -> None:
        verified.update(event.issue for event in entry.events if event.name == "member-verified")
        if verified == {2, 3}:
            world.tick()
            batch = world.batch()
            assert not world.events("member-landed")
            assert batch.integration.head == batch.base == run_git(world.repo, "rev-parse", batch.integration.branch)
            assert world.waits(2) == ("landing-order:1",)
            verified.clear()
            gate.open()

    world.driver().run(Until.IDLE, None, on_entry)
    world.expect_landed(1, 2, 3)
    landed = [issue for _, issue in world.events("member-landed")]
    assert landed == [1, 2, 3]
    subjects = run_git(world.repo, "log", "--format=%s", "--first-parent", "-5", "main").splitlines()
    assert subjects == ["Work on 3 (#3)", "First (#3)", "Work on 2 (#2)", "First (#2)", "Work on 1 (#1)"]
    assert not run_git(world.repo, "rev-list", "--merges", "main")


def test_l_15_a_conflict_evicts_where_that_is_asked_for(world: World) -> None:
    """L-15: with `land.conflict = "evict"` the second member that changes one line is evicted, its branch kept."""
    world.configure('[land]\nconflict = "evict"\n')
    (world.repo / "app.py").write_text("total = 0\n")
    world.commit("Add app")
    world.issues(1, 2)
    world.agent(1, "echo 'total = 1' > app.py")
    world.agent(2, "echo 'total = 2' > app.py")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1)
    assert world.show("app.py") == "total = 1"
    member = world.member(2)
    assert (member.status, member.reason) == (MemberStatus.EVICTED, "landing-conflict")
    conflict = next(e for entry in world.journal() for e in entry.events if e.name == "landing-conflict")
    assert conflict.fields["paths"] == ["app.py"]
    assert run_git(world.repo, "rev-parse", member.branch) == member.head
    assert world.entry(2).status is EntryStatus.PARKED
    assert world.batch().status is BatchStatus.DONE


def test_l_41_a_conflict_is_tried_once_more_in_its_place(world: World) -> None:
    """L-41: by default the member is cut anew from the integration head and redispatched as gen 1."""
    (world.repo / "app.py").write_text("total = 0\n")
    world.commit("Add app")
    world.issues(1, 2)
    world.agent(1, "echo 'total = 1' > app.py")
    world.agent(2, "echo 'total = 2' > app.py")
    world.agent(2, "grep -q 'total = 1' app.py; echo 'total = 3' > app.py", gen=1)
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    assert world.show("app.py") == "total = 3"
    assert world.member(2).gen == 1
    assert sorted(world.started()) == ["1 0", "2 0", "2 1"]


def test_v_36_hand_backs_do_not_count(world: World) -> None:
    """V-36, R-38: two of three hand back; nothing dissolves, the third ships."""
    world.configure(completion="milestone")
    world.issues(1, 2, 3)
    world.agent(1, "true", ends='gitsched hand-back --reason "needs an API key"; exit 0')
    world.agent(2, "true", ends='gitsched hand-back --reason "not mine"; exit 1')
    world.agent(3, ends="gitsched done")
    world.enqueue(1, 2, 3)
    world.run()
    world.expect_landed(3)
    assert world.member(1).status is MemberStatus.HANDED_BACK
    assert world.member(1).reason == "needs an API key"
    assert world.entry(2).status is EntryStatus.PARKED
    assert world.batch().status is BatchStatus.DONE
