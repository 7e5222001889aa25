"""Batches that are given up, and parked work that goes on, on the whole engine."""

import pytest

from gitsched.domain.events import EventName
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.engine.intake.sealing import SealRequest, seal
from gitsched.errors import TransitionError
from gitsched.ports.store import Entry as JournalEntry
from tests.cli.calling import call
from tests.engine.suites import JUNIT, PARTS, parts, suite
from tests.engine.world import World
from tests.real_git import run_git

GATE = '[[gates]]\nname = "unit"\nrun = ["sh", "unit.sh"]\nevidence = "exit"\n'


def bad_is_evicted(world: World) -> None:
    """Commit a gate that fails wherever there is a file `bad*`."""
    (world.repo / "unit.sh").write_text("! ls bad* > /dev/null 2>&1\n")
    world.commit("Add a gate")
    world.configure(GATE)


def test_v_35_too_many_evictions_before_anything_landed_dissolve(world: World) -> None:
    """V-35: two of three are evicted, T = 1 is passed: 3 goes on as a solo issue with its priority and profile."""
    bad_is_evicted(world)
    world.slots(1)
    world.issues(1, 2, 3)
    world.agent(1, "echo 1 > bad1.txt")
    world.agent(2, "echo 2 > bad2.txt")
    world.agents(3)
    world.enqueue(1, 2, 3, priority=7, profile="fake")
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.DISSOLVED, "too-many-evicted")
    assert [world.entry(n).status for n in (1, 2, 3)] == [EntryStatus.PARKED, EntryStatus.PARKED, EntryStatus.DONE]
    assert world.member(3).status is MemberStatus.WITHDRAWN
    assert (world.entry(3).priority, world.entry(3).profile) == (7, "fake")
    assert world.batch("i3").priority == 7
    world.expect_landed(3, batch="i3")
    assert world.started() == ["1 0", "2 0", "3 0"]
    assert batch.integration.branch not in run_git(world.repo, "branch", "--list", "--format=%(refname:short)")


def test_v_35_two_of_four_do_not_pass_the_threshold(world: World) -> None:
    """V-35: with four members T = 2: two evictions leave the batch going, and the other two ship."""
    bad_is_evicted(world)
    world.issues(1, 2, 3, 4)
    for issue in (1, 2):
        world.agent(issue, f"echo {issue} > bad{issue}.txt")
    world.agents(3, 4)
    world.enqueue(1, 2, 3, 4)
    world.run()
    world.expect_landed(3, 4)
    assert world.batch().status is BatchStatus.DONE


def test_v_39_a_dissolve_puts_everyone_where_they_belong(world: World) -> None:
    """V-39: 2 runs: it is ended and parked with its branch; 3 never started: withdrawn and queued; 4 is untouched.

    Dissolving again is refused by machine, from and event. What 2 had committed by then is what a requeue goes on from.
    """
    world.configure(completion="milestone")
    ready, never = world.barrier("ready"), world.barrier("never")
    world.issues(2, 3, 4)
    world.agent(2, f"echo half > half.txt; git add -A; git commit -q -m Half; echo x > {ready}; read -r _ < {never}")
    world.agent(4, f"read -r _ < {ready}", ends="gitsched hand-back --reason no; exit 0")
    world.enqueue(4, 2, batch="b1", leave_open=True)
    world.enqueue(3, batch="b1", deps=(2,))

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == EventName.MEMBER_HANDED_BACK for event in entry.events):
            world.abandon()

    world.driver().run(Until.IDLE, None, on_entry)
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.DISSOLVED, "abandoned")
    assert [world.member(n).status for n in (4, 2, 3)] == [
        MemberStatus.HANDED_BACK,
        MemberStatus.WITHDRAWN,
        MemberStatus.WITHDRAWN,
    ]
    assert [(world.entry(n).status, world.entry(n).reason) for n in (4, 2, 3)] == [
        (EntryStatus.PARKED, "no"),
        (EntryStatus.PARKED, "abandoned"),
        (EntryStatus.QUEUED, None),
    ]
    assert world.entry(2).branch == world.member(2).branch
    assert world.show("half.txt", world.entry(2).branch or "") == "half"
    assert world.started() == ["4 0", "2 0"] or world.started() == ["2 0", "4 0"]
    with pytest.raises(TransitionError) as refused:
        world.abandon()
    told = (refused.value.machine, refused.value.state, refused.value.event)
    assert told == ("batch", "dissolved → dissolving", "batch-dissolving")
    world.agent(2, "test -f half.txt && echo rest > rest.txt", ends="gitsched done")
    world.requeue(2)
    world.run([2])
    world.expect_landed(2, batch="i2")
    assert {"half.txt", "rest.txt"} <= world.paths()


def test_v_41_a_requeue_goes_on_from_the_kept_branch(world: World) -> None:
    """V-41: evicted with two commits: only an operator moves it; then a solo batch continues, told what happened."""
    world.configure(suite=JUNIT)
    suite(world, cart="[ -f tests/test_cart.py ] && grep -q bad tests/test_cart.py")
    world.issues(4, 5)
    world.agents(4)
    two = "mkdir tests; echo bad > tests/test_cart.py; git add -A; git commit -q -m One; echo 5 > five.txt"
    world.agent(5, two)
    world.enqueue(4, 5, batch="b1", profile="fake")
    world.run()
    world.expect_landed(4)
    exit_ = world.entry(5).evidence[-1]
    assert len(exit_.commits) == 2
    parked = world.entry(5)
    world.run()
    assert world.entry(5) == parked
    world.agent(5, f'cp "$GITSCHED_PROMPT_FILE" {world.scripts}/prompt; cat five.txt && echo good > tests/test_cart.py')
    world.requeue(5)
    world.run()
    world.expect_landed(5, batch="i5")
    assert world.batch("i5").status is BatchStatus.DONE
    told = (world.scripts / "prompt").read_text()
    kept = run_git(world.repo, "rev-list", f"{world.member(5, 'i5').cut}..{world.member(5, 'i5').start}").splitlines()
    assert len(kept) == 2
    for fact in ("There is earlier work", "b1", *kept, "suite-failed", "tests.test_cart.test_it"):
        assert fact in told, fact
    assert world.show("tests/test_cart.py") == "good"
    assert world.show("five.txt") == "5"
    assert world.entry(5).profile == "fake"
    landed = run_git(world.repo, "log", "--reverse", "--format=%s", f"{world.batch('i5').base}..main").splitlines()
    assert landed == ["One (#5)", "Work on 5 (#5)", "Work on 5 (#5)"]


def test_v_38_landed_work_that_cannot_be_proven_is_not_given_up(world: World) -> None:
    """V-38: too many left, 1 landed, and the suite is red for no reason that can be told: `dissolve-refused`.

    1 stays landed, no slot is held, and `why` says what to do.
    """
    (world.repo / "unit.sh").write_text("! ls bad* > /dev/null 2>&1\n")
    parts(world, two="[ ! -f file1.txt ]")
    runner = (world.repo / "suite.sh").read_text()
    (world.repo / "suite.sh").write_text("[ -f file1.txt ] || exit 127\n" + runner)
    world.commit("Need what member 1 brings")
    world.configure(GATE, suite=PARTS)
    world.slots(1)
    world.issues(1, 2, 3)
    world.agents(1)
    world.agent(2, "echo 2 > bad2.txt")
    world.agent(3, "echo 3 > bad3.txt")
    world.enqueue(1, 2, 3)
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "dissolve-refused:suite-cannot-discriminate")
    world.expect_landed(1)
    assert not world.state.leases
    assert "abandon b1 --keep" in world.refusal(lambda: world.resume("b1"))
    assert world.why_batch().next == "gitsched abandon b1 --keep"


def test_v_40_a_set_that_failed_is_not_run_again_as_it_was(world: World) -> None:
    """V-40: the same three together again: recognised and not sealed; with another beside them it is."""
    bad_is_evicted(world)
    world.slots(1)
    world.issues(1, 2, 3, 4)
    world.agent(1, "echo 1 > bad1.txt")
    world.agent(2, "echo 2 > bad2.txt")
    world.agents(3, 4)
    world.enqueue(1, 2, 3)

    world.hold(3)
    world.run()
    assert world.state.control.failed_sets == ((1, 2, 3),)
    assert [world.entry(n).status for n in (1, 2, 3)] == [EntryStatus.PARKED, EntryStatus.PARKED, EntryStatus.QUEUED]
    world.stop("3")
    world.enqueue(3, batch="again", leave_open=True)
    world.requeue(1, into="again")
    world.requeue(2, into="again")
    refused = world.refusal(lambda: seal(world.clone.store, world.clone.settings, SealRequest("again"), "ada"))
    assert "1, 2, 3 failed together before, and the set is the same." in refused
    assert world.batch("again").status is BatchStatus.FORMING
    world.enqueue(4, batch="again", leave_open=True)
    seal(world.clone.store, world.clone.settings, SealRequest("again"), "ada")
    assert world.batch("again").status is BatchStatus.READY
    world.abandon("again", keep=True)
    world.run()


def test_v_40_plan_says_that_a_set_has_failed_before(world: World) -> None:
    """V-40: asked about the same three again, `plan` says that they failed together, and writes nothing."""
    bad_is_evicted(world)
    world.slots(1)
    world.issues(1, 2, 3)
    world.agent(1, "echo 1 > bad1.txt")
    world.agent(2, "echo 2 > bad2.txt")
    world.agents(3)
    world.enqueue(1, 2, 3)
    world.hold(3)
    world.run()
    for issue in (1, 2, 3):
        world.stop(str(issue))
    world.run()
    before = run_git(world.repo, "for-each-ref")
    planned = call("-C", world.repo, "plan", 1, 2, 3)
    assert planned.code == 1
    assert "1, 2, 3 failed together before, and the set is the same." in planned.err + planned.out
    assert run_git(world.repo, "for-each-ref") == before
