"""Evictions after landing: the rebuild, who leaves along, and what stays, on the whole engine."""

from itertools import pairwise
from typing import Any

import pytest

from gitsched.domain.effects import Evict
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.engine.perform.table import perform
from gitsched.ports.store import Entry as JournalEntry
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import desk_of
from tests.engine.relay import Call, Killed, Relay
from tests.engine.suites import JUNIT, PARTS, parts, suite, without_file
from tests.engine.world import World
from tests.real_git import run_git


def test_v_31_who_builds_on_the_evicted_leaves_with_it(world: World) -> None:
    """V-31, V-29: 3 changed what 2 added: it leaves `depends-on-evicted:2`, parked; 1 and 4 land again, and ship."""
    world.configure(suite=JUNIT)
    suite(world, cart="[ -f tests/test_cart.py ]")
    world.issues(1, 2, 3, 4)
    world.agents(1)
    world.agent(2, "mkdir tests; printf 'one\\ntwo\\n' > lib.py; echo bad > tests/test_cart.py")
    world.agent(3, "sed -i s/two/three/ lib.py")
    world.agents(4)
    world.enqueue(1, 2, 4, batch="b1", leave_open=True)
    world.enqueue(3, batch="b1", deps=(2,))
    world.run()
    batch = world.batch()
    world.expect_landed(1, 4)
    assert batch.status is BatchStatus.DONE
    left = {exit_.issue: exit_ for exit_ in batch.evictions}
    assert (left[2].reason, left[2].counts) == ("suite-failed", True)
    assert (left[3].reason, left[3].counts) == ("depends-on-evicted:2", False)
    assert world.entry(3).status is world.entry(2).status is EntryStatus.PARKED
    assert "three" in world.show("lib.py", world.member(3).branch)
    assert not {"lib.py", "tests/test_cart.py"} & world.paths()
    base, head = batch.base or "", run_git(world.repo, "rev-parse", "main")
    landed = run_git(world.repo, "log", "--reverse", "--format=%s", f"{base}..{head}").splitlines()
    assert landed == ["Work on 1 (#1)", "Work on 4 (#4)"]
    assert [run.verdict for run in batch.suite] == ["failed", "passed"]
    assert batch.suite[-1].tree == run_git(world.repo, "rev-parse", f"{head}^{{tree}}")
    assert sorted(world.started()) == ["1 0", "2 0", "3 0", "4 0"]


def test_v_31_who_waits_for_the_evicted_is_not_started(world: World) -> None:
    """V-31: a member that declared a dependency on one that left, and has not started, leaves unstarted."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "unit.sh"]\nevidence = "exit"\n')
    (world.repo / "unit.sh").write_text("test ! -f file1.txt\n")
    world.commit("Add a gate")
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, batch="b1", leave_open=True)
    world.enqueue(2, batch="b1", deps=(1,), leave_open=True)
    world.enqueue(3, batch="b1")
    world.run()
    world.expect_landed(3)
    assert world.member(2).reason == "depends-on-evicted:1"
    assert world.entry(2).status is EntryStatus.PARKED
    assert "2 0" not in world.started()


def test_v_32_a_group_leaves_together(world: World) -> None:
    """V-32: culprit 3 takes 2 of its group along, both parked; the record of each names the group."""
    world.configure(suite=JUNIT)
    suite(world, cart="[ -f tests/test_cart.py ]")
    world.issues(1, 2, 3)
    world.agents(1, 2)
    world.agent(3, "mkdir tests; echo bad > tests/test_cart.py")
    world.enqueue(1, 2, 3, groups=((2, 3),))
    world.run()
    world.expect_landed(1)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert {exit_.issue: (exit_.reason, exit_.group) for exit_ in batch.evictions} == {
        3: ("suite-failed", (2, 3)),
        2: ("group-of:3", (2, 3)),
    }
    for issue in (2, 3):
        assert world.entry(issue).status is EntryStatus.PARKED
        assert world.member(issue).status is MemberStatus.EVICTED
        assert world.entry(issue).evidence[-1].group == (2, 3)
        assert run_git(world.repo, "rev-parse", world.member(issue).branch) == world.member(issue).head
    assert not {"file2.txt", "tests/test_cart.py"} & world.paths()
    assert [issue for _, issue in world.events("member-evicted")] == [3, 2]
    assert len(world.told("batch-rebuilt")) == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_v_33_an_eviction_happens_once_whenever_its_driver_dies(world: World, when: str) -> None:
    """V-33: killed before or after the rebuilt branch is recorded: one record, one rebuild; evicting again is told."""
    world.configure('[ship]\nmerge = "manual"\n', suite=JUNIT)
    suite(world, cart="[ -f tests/test_cart.py ]")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, "mkdir tests; echo bad > tests/test_cart.py")
    world.enqueue(1, 2)

    def land(real: Call, *words: Any, **named: Any) -> Any:
        if world.batch().status is BatchStatus.EVICTING:
            raise Killed
        return real(*words, **named)

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "batch-rebuilt" for event in entry.events):
            raise Killed

    driver = world.driver_with(lander=Relay(world.clone.lander, land=land)) if when == "before" else world.driver()
    with pytest.raises(Killed):
        driver.run(Until.IDLE, None, on_entry)
    world.run()
    batch = world.batch()
    assert batch.status is BatchStatus.AWAITING_MERGE
    assert [exit_.issue for exit_ in batch.evictions] == [2]
    assert len(world.told("batch-rebuilt")) == len(world.told("member-evicted")) == 1
    with desk_of(Clone(world.repo)) as desk:
        perform(Evict("b1", batch.evictions), desk)
    assert world.events("eviction-duplicate") == [("eviction-duplicate", 2)]
    assert (world.batch(), world.entry(2).evidence) == (batch, batch.evictions)


def test_v_37_what_landed_and_is_green_is_preserved(world: World) -> None:
    """V-37: three of four leave after landing: past the threshold, the one left still ships, nothing is queued."""
    world.configure(suite=JUNIT)
    suite(world, one="[ -f tests/test_one.py ]", two="[ -f tests/test_two.py ]", three="[ -f tests/test_three.py ]")
    world.issues(1, 2, 3, 4)
    for issue, name in ((1, "one"), (2, "two"), (3, "three")):
        world.agent(issue, f"mkdir tests; echo bad > tests/test_{name}.py")
    world.agents(4)
    world.enqueue(1, 2, 3, 4)
    world.run()
    world.expect_landed(4)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert batch.partial
    assert len(world.told("batch-preserved")) == 1
    assert [world.entry(issue).status for issue in (1, 2, 3, 4)] == [*[EntryStatus.PARKED] * 3, EntryStatus.DONE]
    assert [run.verdict for run in batch.suite] == ["failed", "failed", "failed", "passed"]
    assert "file4.txt" in world.paths()


def test_v_34_reverts_take_a_member_back_without_moving_the_branch_back(world: World) -> None:
    """V-34: `strategy = "revert"`: two commits of 2 are reverted, newest first, on top; the branch only grows."""
    world.configure('[evict]\nstrategy = "revert"\n', suite=PARTS)
    parts(world, two=without_file(2))
    world.issues(1, 2, 3)
    world.agents(1, 3)
    world.agent(2, "echo a > a.txt; git add -A; git commit -qm A; echo 2 > file2.txt; git add -A; git commit -qm B")
    world.enqueue(1, 2, 3)
    heads: list[str] = []

    def on_entry(entry: JournalEntry) -> None:
        told = (event for event in entry.events if event.name in ("member-landed", "batch-rebuilt"))
        heads.extend(str(event.fields["head"]) for event in told)

    world.driver().run(Until.IDLE, None, on_entry)
    world.expect_landed(1, 3)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    for before, after in pairwise(heads):
        run_git(world.repo, "merge-base", "--is-ancestor", before, after)
    subjects = run_git(world.repo, "log", "--reverse", "--format=%s", f"{batch.base}..main").splitlines()
    assert subjects == [
        "Work on 1 (#1)",
        "A (#2)",
        "B (#2)",
        "Work on 3 (#3)",
        'Revert "B (#2)"',
        'Revert "A (#2)"',
    ]
    assert not {"a.txt", "file2.txt"} & world.paths()
    assert {"file1.txt", "file3.txt"} <= world.paths()
    assert [(one.issue, one.kind) for one in batch.beside] == [(2, "undone"), (2, "revert")]


def test_v_34_who_builds_on_the_reverted_is_reverted_before_it(world: World) -> None:
    """V-34, V-31: 3 changed what 2 added: both are reverted, the newest first, and 3 leaves `depends-on-evicted:2`."""
    world.configure('[evict]\nstrategy = "revert"\n', suite=PARTS)
    parts(world, two=without_file(2))
    world.issues(1, 2, 3)
    world.agents(1)
    world.agent(2, "printf 'one\\ntwo\\n' > lib.py; echo 2 > file2.txt")
    world.agent(3, "sed -i s/two/three/ lib.py")
    world.enqueue(1, 2, batch="b1", leave_open=True)
    world.enqueue(3, batch="b1", deps=(2,))
    world.run()
    world.expect_landed(1)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert {exit_.issue: exit_.reason for exit_ in batch.evictions} == {2: "suite-failed", 3: "depends-on-evicted:2"}
    assert not {"lib.py", "file2.txt"} & world.paths()


def test_v_34_a_revert_that_conflicts_leaves_nothing_half_applied(world: World) -> None:
    """V-34: 3 made the same change as 2 and went on from there: 2 cannot be taken back, and nothing has moved."""
    world.configure('[evict]\nstrategy = "revert"\n', suite=PARTS)
    parts(world, two=without_file(2))
    world.issues(1, 2, 3)
    world.agents(1)
    same = "echo same > a.txt; git add -A; git commit -q -m Same"
    world.agent(2, f"{same}; echo 2 > file2.txt")
    world.agent(3, f"{same}; echo other > a.txt")
    world.enqueue(1, 2, 3)
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "evict-conflict")
    assert "a.txt" in str(world.told("batch-blocked")[-1].fields["detail"])
    head = run_git(world.repo, "rev-parse", batch.integration.branch)
    assert head == batch.integration.head == world.member(3).landed
    assert not world.told("batch-rebuilt")
    assert batch.beside == ()
    assert world.entry(2).status is EntryStatus.PARKED
    assert "file1.txt" not in world.paths()
