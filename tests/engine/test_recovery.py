"""The suite over the whole engine: when it runs, what its verdict does, and whom evidence names."""

from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
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
    world.configure('[fix]\nagent = "fake"\n', suite=JUNIT)
    (world.repo / "suite.sh").write_text(f". {world.scripts}/suite\n")
    world.commit("Let the suite be played")
    (world.scripts / "suite").write_text("exit 1\n")
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3)
    world.run()
    assert world.batch().reason == "suite-unreadable"
    started, left = world.started(), world.batch()
    assert (left.evictions, left.fix_attempts, left.search) == ((), (), None)
    assert run_git(world.repo, "rev-parse", left.integration.branch) == world.member(3).landed
    for issue in (1, 2, 3):
        assert run_git(world.repo, "rev-parse", world.member(issue).branch) == world.member(issue).head
        assert world.entry(issue).status is EntryStatus.ASSIGNED
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


def test_v_13_v_14_evidence_that_names_several_or_nobody_leaves_it_to_the_search(world: World) -> None:
    """V-13, V-14: two members changed the failing test's file: ambiguous; a change in the root claims nothing."""
    world.configure(suite=JUNIT)
    suite(world, cart="grep -q bad tests/test_cart.py", lib="[ -f file3.txt ]")
    (world.repo / "tests").mkdir()
    (world.repo / "tests" / "test_cart.py").write_text("".join(f"{n}\n" for n in range(20)))
    (world.repo / "tests" / "test_lib.py").write_text("")
    world.commit("Add tests")
    world.issues(1, 2, 3, 4)
    world.agent(1, "sed -i 's/^3$/three/' tests/test_cart.py")
    world.agent(2, "sed -i 's/^17$/bad/' tests/test_cart.py")
    world.agent(3, "echo 3 > file3.txt; echo '[x]' > setup.cfg")
    world.agent(4, "mkdir other; echo 4 > other/a.py")
    world.enqueue(1, 2, batch="b1")
    world.enqueue(3, 4, batch="b2")
    world.run()
    told = [event.fields for event in world.told("attributed")]
    assert [fields["suspects"] for fields in told if fields["method"] == "none"] in ([[1, 2], []], [[], [1, 2]])
    for batch, culprit, other in (("b1", 2, 1), ("b2", 3, 4)):
        world.expect_landed(other, batch=batch)
        assert world.batch(batch).status is BatchStatus.DONE
        assert [(exit_.issue, exit_.method) for exit_ in world.batch(batch).evictions] == [(culprit, "bisect")]
