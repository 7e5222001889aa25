"""Who may start, who waits and why, on the whole engine."""

from gitsched.cli.driving import refuse_unready
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from gitsched.wiring.clone import Clone
from tests.engine.relay import Relay, without_guard
from tests.engine.world import World
from tests.real_git import run_git


def queue(world: World, **files: str) -> None:
    """Enqueue issues on their own, each with its declared file: `i1="src"`."""
    for name, path in files.items():
        world.enqueue(int(name[1:]), files=(path,) if path else (), solo=True)


def test_a_08_a_11_overlapping_write_sets_never_run_together(world: World) -> None:
    """A-08, A-11: 1 and 3 run; 2 and 5 write where 1 does, case and folders included; 4 and 6 only lack a slot."""
    gate = world.barrier("go")
    world.slots(2)
    world.issues(1, 2, 3, 4, 5, 6)
    for issue in range(1, 7):
        world.agent(issue, f"read -r _ < {gate}; mkdir -p src SRC srcx; echo {issue} > src/f{issue}")
    queue(world, i1="src", i2="src/a.py", i3="other", i4="more", i5="SRC/B.py", i6="srcx/a.py")
    world.tick()
    assert set(world.state.leases) == {("i1", 1), ("i3", 3)}
    assert [world.waits(n) for n in (2, 4, 5, 6)] == [
        ("overlap:1", "capacity"),
        ("capacity",),
        ("overlap:1", "capacity"),
        ("capacity",),
    ]
    world.slots(6)
    world.tick()
    assert set(world.state.leases) == {("i1", 1), ("i3", 3), ("i4", 4), ("i6", 6)}
    assert [world.waits(n) for n in (2, 5)] == [("overlap:1",), ("overlap:1",)]
    for issue in range(1, 7):
        world.stop(str(issue))
    gate.open(readers=6)
    world.run()


def test_a_33_who_waited_for_an_overlap_is_cut_from_what_landed(world: World) -> None:
    """A-33: 3 overlaps 2 of its batch: it starts once 2 has landed, on top of it, without conflict; 4 ran beside 2."""
    (world.repo / "x.txt").write_text("zero\n")
    world.commit("Add x")
    world.issues(2, 3, 4)
    for issue, path in ((2, "x.txt"), (3, "x.txt"), (4, "y.txt")):
        world.agent(issue, f"echo {issue} >> {path}")
        world.enqueue(issue, batch="b1", files=(path,), leave_open=issue != 4)
    world.run()
    world.expect_landed(2, 3, 4)
    batch = world.batch()
    assert world.member(2).cut == world.member(4).cut == batch.base
    assert world.member(3).cut == world.member(2).landed
    assert world.show("x.txt") == "zero\n2\n3"
    assert not world.told("landing-conflict")
    assert world.started()[-1] == "3 0"


def test_a_13_a_held_member_keeps_its_write_set(world: World) -> None:
    """A-13: 1 has ended and is held: 2, which writes where 1 did, still waits with `overlap:1`."""
    gate = world.barrier("go")
    world.issues(1, 2)
    world.agent(1, f"read -r _ < {gate}; echo 1 > x.txt")
    world.agents(2)
    queue(world, i1="x.txt", i2="x.txt")
    world.tick()
    assert world.waits(2) == ("overlap:1",)
    world.hold(1)
    gate.open()
    world.run()
    assert not world.state.leases
    assert world.member(1, "i1").status is MemberStatus.VERIFIED
    assert world.waits(2) == ("overlap:1",)
    assert world.started() == ["1 0"]
    world.unhold(1)
    world.run()
    assert [world.entry(n).status for n in (1, 2)] == [EntryStatus.DONE] * 2


def test_a_12_an_unknown_write_set_waits_and_ages_into_its_turn(world: World) -> None:
    """A-12: `exclusive`: 2 waits while anything runs, is overtaken as often as allowed, and then it is its turn."""
    world.configure('[admission]\nunknown_files = "exclusive"\novertaken = 2\n')
    gate = world.barrier("go")
    world.slots(2)
    world.issues(1, 2, 3, 4, 5)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.agents(2, 3, 4, 5)
    queue(world, i1="a", i2="", i3="b", i4="c", i5="d")

    def on_entry(entry: JournalEntry) -> None:
        for event in entry.events:
            if event.name == "slot-released" and event.issue == 4:
                assert world.waits(2) == ("overlap:1",)
                assert world.waits(5) == ("overlap:2",)
                gate.open()

    world.driver().run(Until.IDLE, None, on_entry)
    assert [event.issue for event in world.told("spawned")] == [1, 3, 4, 2, 5]
    assert sorted(world.started()) == ["1 0", "2 0", "3 0", "4 0", "5 0"]
    assert [world.entry(n).status for n in range(1, 6)] == [EntryStatus.DONE] * 5


def test_a_12_an_unknown_write_set_is_let_in_by_default(world: World) -> None:
    """A-12: `optimistic`: it is admitted, and landing decides."""
    gate = world.barrier("go")
    world.issues(1, 2)
    for issue in (1, 2):
        world.agent(issue, f"read -r _ < {gate}; echo {issue} > file{issue}.txt")
    queue(world, i1="a", i2="")
    world.tick()
    assert set(world.state.leases) == {("i1", 1), ("i2", 2)}
    gate.open(readers=2)
    world.run()


def test_a_14_all_reasons_are_named_and_the_last_one_gone_starts_it(world: World) -> None:
    """A-14: paused, a blocking label, a missing profile and full slots are all told at once; cleared one by one."""
    rare = '[agents.rare]\ncommand = ["no-such-program"]\ncompletion = "exit"\n'
    world.configure(rare)
    gate = world.barrier("go")
    world.slots(1)
    world.issues(1, 5)
    world.tracker.edit_issue(5, add_labels=["epic"])
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.agents(5)
    world.enqueue(1, solo=True)
    world.enqueue(5, solo=True, profile="rare")
    world.tick()
    world.pause()
    assert set(world.waits(5)) == {"paused", "label:epic", "profile-missing:rare", "capacity"}
    world.unpause()
    assert set(world.waits(5)) == {"label:epic", "profile-missing:rare", "capacity"}
    world.tracker.edit_issue(5, remove_labels=["epic"])
    world.tick()
    assert set(world.waits(5)) == {"profile-missing:rare", "capacity"}
    world.configure(rare.replace('"no-such-program"', f'"sh", "{world.scripts}/agent"'))
    world.tick()
    assert world.waits(5) == ("capacity",)
    gate.open()
    world.run()
    assert world.started() == ["1 0", "5 0"]
    assert world.entry(5).status is EntryStatus.DONE


def test_a_06_a_label_keeps_out_until_it_goes(world: World) -> None:
    """A-06: blocked `label:epic`; an unreadable forge changes nothing; the tick that sees it gone dispatches."""
    world.issues(1)
    world.agents(1)
    world.tracker.edit_issue(1, add_labels=["epic"])
    world.enqueue(1, solo=True)
    world.tick()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.BLOCKED, "label:epic")
    world.tracker.edit_issue(1, remove_labels=["epic"])
    lost = Relay(world.clone.forge, issues=lambda _real, _numbers=None: Unreachable(what="issues", detail="no answer"))
    world.driver_with(forge=lost).run(Until.ONCE)
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.BLOCKED, "label:epic")
    assert world.started() == []
    world.tick()
    assert world.entry(1).status is EntryStatus.ASSIGNED
    world.run()
    assert world.entry(1).status is EntryStatus.DONE


def test_a_07_what_is_closed_on_the_forge_is_never_started(world: World) -> None:
    """A-07: closed while queued, assigned or held: flagged `closed` once, never spawned; completed elsewhere: done."""
    world.pause()
    world.issues(1, 2, 3, 4)
    world.agents(1, 2, 3, 4)
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)
    world.enqueue(3, batch="b3")
    world.enqueue(4, solo=True)
    world.hold(4)
    for issue in (1, 3, 4):
        world.tracker.close(issue, as_not_planned=True)
    world.tracker.close(2)
    world.unpause()
    world.run()
    world.run()
    assert world.started() == []
    assert [(world.entry(n).status, world.entry(n).reason) for n in (1, 2, 3, 4)] == [
        (EntryStatus.BLOCKED, "closed"),
        (EntryStatus.DONE, "external-advance"),
        (EntryStatus.BLOCKED, "closed"),
        (EntryStatus.BLOCKED, "closed"),
    ]
    assert sorted(issue or 0 for _, issue in world.events("closed-on-forge")) == [1, 3, 4]
    assert not run_git(world.repo, "branch", "--list", "gitsched/*/m*")


def test_a_03_an_issue_that_is_enqueued_again_starts_afresh(world: World) -> None:
    """A-03: one row; a `done` of the earlier run never counts for the new one."""
    world.configure("[ladder]\nrecoveries = 0\n", completion="milestone")
    world.issues(3)
    world.agent(3, ends="gitsched done")
    world.enqueue(3, batch="b1")
    world.run()
    assert world.entry(3).status is EntryStatus.DONE
    world.tracker.reopen(3)
    world.agent(3, "echo more > more.txt", ends="exit 0")
    world.enqueue(3, solo=True)
    world.run()
    assert list(world.state.entries) == [3]
    assert world.entry(3).status in (EntryStatus.PARKED, EntryStatus.FAILED)
    assert "more.txt" not in world.paths()
    assert world.started() == ["3 0", "3 0"]


def test_a_03_a_hand_back_of_an_earlier_run_is_not_the_new_ones(world: World) -> None:
    """A-03: whoever was handed back and is sent back is worked afresh, and nothing of the old words decides."""
    world.configure("[ladder]\nrecoveries = 0\n", completion="milestone")
    world.issues(3)
    world.agent(3, "true", ends='gitsched hand-back --reason "needs a key"')
    world.enqueue(3, batch="b1")
    world.run()
    assert (world.entry(3).status, world.entry(3).reason) == (EntryStatus.PARKED, "needs a key")
    world.agent(3, "echo 3 > file3.txt", ends="gitsched done")
    world.requeue(3)
    world.run()
    assert (world.entry(3).status, world.entry(3).reason) == (EntryStatus.DONE, None)
    assert list(world.state.entries) == [3]
    assert "file3.txt" in world.paths()


def test_a_09_nothing_starts_without_a_declared_suite(world: World) -> None:
    """A-09: a run is refused with the three lines to add; candidates say `verification-undeclared`; nothing is made."""
    world.configure(suite="")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    told = world.refusal(lambda: refuse_unready(Clone(world.repo)))
    for line in ("[suite]", "run = ", "timeout = "):
        assert line in told
    world.run()
    assert world.waits(1) == ("verification-undeclared",)
    assert world.entry(1).status is EntryStatus.QUEUED
    assert not world.trees.exists() or not list(world.trees.rglob(".git"))
    assert not run_git(world.repo, "branch", "--list", "gitsched/*")


def test_a_driver_may_be_held_to_fewer_runs_than_there_are_slots(world: World) -> None:
    """As the service holds it to its share: however the configuration is edited meanwhile."""
    gate = world.barrier("go")
    world.slots(3)
    world.issues(1, 2, 3)
    for issue in (1, 2, 3):
        world.agent(issue, f"read -r _ < {gate}; echo {issue} > f{issue}")
    queue(world, i1="a", i2="b", i3="c")
    driver = Clone(world.repo).driver(without_guard, 2)
    driver.run(Until.ONCE)
    assert len(world.state.leases) == 2
    world.configure('[watch]\ninterval = "7s"\n')
    driver.run(Until.ONCE)
    assert driver.desk.current.watch.interval_s == 7
    assert len(world.state.leases) == 2
    gate.open(readers=2)
    for issue in (1, 2, 3):
        world.stop(str(issue))
    world.run()
