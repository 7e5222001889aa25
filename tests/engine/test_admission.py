"""Who may start, who waits and why, and what a driver's death between two steps leaves, on the whole engine."""

from typing import Any

import pytest

from gitsched.cli.driving import refuse_unready
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from gitsched.wiring.clone import Clone
from tests.engine.relay import Call, Killed, Relay, killed_after, killed_before
from tests.engine.world import World
from tests.real_git import run_git


class ReachedError(Exception):
    """What a driver was run for has happened."""


def drive_until(world: World, name: str, issue: int) -> None:
    """Run a driver until it has told of this event of that issue."""

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == name and event.issue == issue for event in entry.events):
            raise ReachedError

    with pytest.raises(ReachedError):
        world.driver().run(Until.STOPPED, None, on_entry)


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
    assert world.started() == ["1 0", "3 0", "4 0", "2 0", "5 0"]
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
    assert world.started() == ["1 0"]
    gate.open()
    world.run()
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
    assert [(world.entry(n).status, world.entry(n).reason) for n in (1, 2, 4)] == [
        (EntryStatus.BLOCKED, "closed"),
        (EntryStatus.DONE, "external-advance"),
        (EntryStatus.BLOCKED, "closed"),
    ]
    assert "closed" in world.waits(3)
    assert [issue for _, issue in world.events("closed-on-forge")] == [1, 4]
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


@pytest.mark.parametrize("dies", [killed_before, killed_after])
@pytest.mark.parametrize("step", ["trees.acquire", "runner.start"])
def test_a_16_a_death_between_the_two_steps_costs_nothing(world: World, dies: Any, step: str) -> None:
    """A-16: whether the tree exists or not, the next driver's first tick has the slot whole; one spawn, no orphan."""
    world.slots(1)
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    port, call = step.split(".")
    relay = Relay(getattr(world.clone, port), **{call: dies(1)})
    with pytest.raises(Killed):
        world.driver_with(**{port: relay}).run(Until.IDLE)
    assert len(world.state.leases) == 1
    world.run()
    world.expect_landed(1)
    assert world.batch().status is BatchStatus.DONE
    assert len(world.started()) == 1
    assert len(world.told("verify-complete")) == 1


def test_a_17_who_is_stopped_between_the_two_steps_is_not_spawned(world: World) -> None:
    """A-17: stopped while its tree is made: no agent, no tree, and the entry says why."""
    world.issues(3)
    world.agents(3)
    world.enqueue(3, solo=True)

    def acquire(real: Call, *words: Any, **named: Any) -> Any:
        made = real(*words, **named)
        if world.entry(3).status is EntryStatus.ASSIGNED:
            world.stop("3")
        return made

    world.driver_with(trees=Relay(world.clone.trees, acquire=acquire)).run(Until.IDLE)
    assert world.started() == []
    assert (world.entry(3).status, world.entry(3).reason) == (EntryStatus.STOPPED, "operator")
    assert world.clone.trees.owners() == {}


def test_a_19_a_tree_is_cut_again_when_the_head_moves_meanwhile(world: World) -> None:
    """A-19: 2 lands while the tree of 3 is made: it is cut anew from the new head before its agent starts."""
    gate = world.barrier("go")
    world.issues(1, 2, 3)
    world.agents(1, 3)
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    for issue, path in ((1, "x"), (2, "y"), (3, "x")):
        world.enqueue(issue, batch="b1", files=(path,), leave_open=issue != 3)
    made: list[str] = []

    def acquire(real: Call, owner: str, commit: str, *words: Any, **named: Any) -> Any:
        tree = real(owner, commit, *words, **named)
        if owner.startswith("b1/3/"):
            made.append(commit)
            if len(made) == 1:
                gate.open()
                drive_until(world, "member-landed", 2)
        return tree

    world.driver_with(trees=Relay(world.clone.trees, acquire=acquire)).run(Until.IDLE)
    world.expect_landed(1, 2, 3)
    assert made == [world.member(1).landed, world.member(2).landed]
    assert world.member(3).cut == world.member(2).landed
    assert world.started().count("3 0") == 1
    assert not world.told("member-held")
