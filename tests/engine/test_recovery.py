"""The suite over the whole engine: when it runs, what its verdict does, and whom evidence names."""

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
from tests.engine.suites import JUNIT, green, red, suite
from tests.engine.world import World
from tests.real_git import run_git


def test_v_01_one_suite_without_a_slot_whatever_else_goes_on(world: World) -> None:
    """V-01: no slot is free and nothing may start: the suite runs, once for two drivers, beside other work."""
    runs, ends = world.barrier("suite-waits"), world.barrier("agent-waits")
    world.slots(1)
    (world.repo / "suite.sh").write_text(f"echo $GITSCHED_BATCH >> {world.scripts}/suites; read -r _ < {runs}\n")
    world.commit("Let the suite wait")
    world.issues(1, 2, 3)
    world.agents(1, 3)
    world.agent(2, f"read -r _ < {ends}; echo 2 > file2.txt")
    world.enqueue(1, batch="b1")
    world.enqueue(2, batch="b2")
    world.enqueue(3, batch="b3")
    told: list[str] = []

    def on_entry(entry: JournalEntry) -> None:
        for event in entry.events:
            told.append(f"{event.name} {event.batch}")
            if event.name == "job-claimed":
                assert set(world.state.leases) <= {("b2", 2), ("b3", 3)}
                if event.batch == "b1":
                    world.driver().run(Until.ONCE)
                    assert world.lines("suites") in ([], ["b1"])
                    world.pause()
                    ends.open()
            if event.name == "member-landed" and event.batch == "b2":
                assert world.batch("b1").status is BatchStatus.VALIDATING
                runs.open(readers=9)

    world.driver().run(Until.IDLE, None, on_entry)
    assert told.index("member-landed b2") < told.index("suite-passed b1")
    assert world.batch("b1").status is world.batch("b2").status is BatchStatus.DONE
    assert world.lines("suites").count("b1") == 1
    assert not world.member(3, "b3").gen >= 0
    world.unpause()
    world.run()
    world.expect_landed(3, batch="b3")


def test_v_02_v_43_resume_runs_the_suite_again_and_nothing_else(world: World) -> None:
    """V-02, V-43: unreadable, broken, then mended: only the suite runs again, over what landed, and it ships."""
    world.configure(suite=JUNIT)
    (world.repo / "suite.sh").write_text(f". {world.scripts}/suite\n")
    world.commit("Let the suite be played")
    (world.scripts / "suite").write_text("exit 1\n")
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3)
    world.run()
    assert world.batch().reason == "suite-unreadable"
    started = world.started()
    (world.scripts / "suite").write_text("exit 127\n")
    world.resume("b1")
    world.run()
    assert world.batch().reason == "suite-broken"
    (world.scripts / "suite").write_text(green("shop"))
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [run.verdict for run in world.batch().suite] == ["unreadable", "broken", "passed"]
    assert world.started() == started
    world.expect_landed(1, 2, 3)


def test_v_03_a_deadline_and_a_failure_without_evidence_have_their_words(world: World) -> None:
    """V-03: `suite-timed-out`, then `suite-unevidenced` where no report is declared; nothing ships or is blamed."""
    world.configure(suite='\n[suite]\nrun = ["sh", "suite.sh"]\ntimeout = "1s"\n')
    (world.repo / "suite.sh").write_text(f". {world.scripts}/suite\n")
    world.commit("Let the suite be played")
    (world.scripts / "suite").write_text("sleep 300 &\nsleep 300\n")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "suite-timed-out")
    (world.scripts / "suite").write_text("echo something went wrong; exit 1\n")
    world.resume("b1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "suite-unevidenced")
    assert not world.batch().evictions
    assert "file1.txt" not in world.paths()


def test_v_05_who_joins_while_the_suite_runs_is_judged_with_the_rest(world: World) -> None:
    """V-05: a join during the suite: its verdict ships nothing, the suite runs on the tree with the newcomer.

    Once the batch is past its suite, joining is refused with the reason.
    """
    runs = world.barrier("suite-waits")
    (world.repo / "suite.sh").write_text(f"read -r _ < {runs}\n")
    world.commit("Let the suite wait")
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, batch="b1")

    def on_entry(entry: JournalEntry) -> None:
        for event in entry.events:
            if event.name == "job-claimed" and world.batch().status is BatchStatus.VALIDATING and event.issue is None:
                if len(world.batch().members) == 1:
                    world.enqueue(2, batch="b1")
                    assert world.batch().status is BatchStatus.EXECUTING
                runs.open()

    world.driver().run(Until.IDLE, None, on_entry)
    world.expect_landed(1, 2)
    batch = world.batch()
    assert batch.status is BatchStatus.AWAITING_MERGE
    judged = run_git(world.repo, "rev-parse", f"{batch.integration.head}^{{tree}}")
    assert [(run.verdict, run.tree) for run in batch.suite] == [("passed", judged)]
    assert world.refusal(lambda: world.enqueue(3, batch="b1"))
    assert 3 not in world.state.entries


def test_v_07_exit_and_report_decide_and_printed_words_never(world: World) -> None:
    """V-07: exit 0 beside `FAILED (errors=3)` is passed; exit 1 and a failing case beside `All tests passed` fail."""
    world.configure(suite=JUNIT)
    bad, good = red("cart") + "echo All tests passed; exit 1", green("cart") + "echo 'FAILED (errors=3)'"
    (world.repo / "suite.sh").write_text(f"if [ -f file2.txt ]; then {bad}; fi\n{good}\n")
    world.commit("Change the suite")
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, batch="b1")
    world.run()
    assert world.batch().suite[-1].verdict == "passed"
    assert world.batch().status is BatchStatus.DONE
    world.enqueue(2, batch="b2")
    world.run()
    assert [run.verdict for run in world.batch("b2").suite] == ["failed"]
    assert world.batch("b2").suite[-1].failing == ("tests.test_cart.test_it",)


def test_v_13_v_14_evidence_that_names_several_or_nobody_evicts_nobody(world: World) -> None:
    """V-13, V-14: two members changed the failing test's file: ambiguous; a change in the root claims nothing.

    What is left over is the search's; until then the batch is blocked with what the evidence says.
    """
    world.configure(suite=JUNIT)
    suite(world, cart="grep -q bad tests/test_cart.py", lib="[ -f file3.txt ]")
    (world.repo / "tests").mkdir()
    (world.repo / "tests" / "test_cart.py").write_text("".join(f"{n}\n" for n in range(20)))
    (world.repo / "tests" / "test_lib.py").write_text("")
    world.commit("Add tests")
    world.issues(1, 2, 3, 4)
    world.agent(1, "sed -i 's/^3$/bad/' tests/test_cart.py")
    world.agent(2, "sed -i 's/^17$/bad/' tests/test_cart.py")
    world.agent(3, "echo 3 > file3.txt; echo '[x]' > setup.cfg")
    world.agent(4, "mkdir other; echo 4 > other/a.py")
    world.enqueue(1, 2, batch="b1")
    world.enqueue(3, 4, batch="b2")
    world.run()
    first, second = world.batch("b1"), world.batch("b2")
    assert (first.status, first.reason, first.suspects) == (BatchStatus.BLOCKED, "suite-failed:ambiguous", (1, 2))
    assert (second.status, second.reason) == (BatchStatus.BLOCKED, "suite-failed:unattributed")
    assert second.suspects == ()
    for batch, issues in (("b1", (1, 2)), ("b2", (3, 4))):
        world.expect_landed(*issues, batch=batch)
        assert not world.batch(batch).evictions
    assert [event.fields["suspects"] for event in world.told("attributed")] == [[1, 2], []]


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
