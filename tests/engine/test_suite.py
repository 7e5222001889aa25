"""The suite of a batch and what its verdict does."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.engine.world import World
from tests.real_git import run_git

JUNIT = '\n[suite]\nrun = ["sh", "suite.sh", "{report}"]\nreport = "junit"\n'
CASE = '<testcase classname="tests.test_{name}" name="test_it" file="tests/test_{name}.py">{inner}</testcase>'


def test_v_02_an_unreadable_report_blocks_and_blames_nobody(world: World) -> None:
    """V-02: a suite that exits 1 without its report blocks `suite-unreadable`; resume runs the suite again."""
    world.configure(suite=JUNIT)
    (world.repo / "suite.sh").write_text("exit 1\n")
    world.commit("Break the suite")
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "suite-unreadable")
    world.expect_landed(1, 2)
    assert not world.batch().evictions


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 127", "suite-broken"),
        ("echo '<testsuite tests=\"0\"/>' > $1; exit 0", "suite-empty"),
        ("echo nothing; exit 1", "suite-unreadable"),
        ("rm -f $1; mkdir $1; exit 0", "suite-unreadable"),
    ],
)
def test_v_03_other_ends_have_their_own_reason(world: World, script: str, reason: str) -> None:
    """V-03: broken, empty and the like each have their word; nothing ships and nobody is blamed."""
    world.configure(suite=JUNIT)
    (world.repo / "suite.sh").write_text(script + "\n")
    world.commit("Change the suite")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, reason)
    assert not world.batch().evictions


def test_v_12_evidence_names_the_culprit(world: World) -> None:
    """V-12, V-29: the failing test's file was changed by member 2 alone: it is evicted by rebuild, the rest ships."""
    world.configure(suite=JUNIT)
    failing = CASE.format(name="cart", inner='<failure message="no"/>')
    passing = CASE.format(name="cart", inner="")
    script = f"if [ -f tests/test_cart.py ]; then echo '<testsuite>{failing}</testsuite>' > $1; exit 1; fi\n"
    (world.repo / "suite.sh").write_text(script + f"echo '<testsuite>{passing}</testsuite>' > $1\n")
    world.commit("Change the suite")
    world.issues(1, 2, 3, 4)
    world.agents(1, 3, 4)
    world.agent(2, "mkdir tests; echo bad > tests/test_cart.py")
    world.enqueue(1, 2, 3, 4)
    world.run()
    world.expect_landed(1, 3, 4)
    member = world.member(2)
    assert (member.status, member.reason) == (MemberStatus.EVICTED, "suite-failed")
    assert world.entry(2).evidence[-1].method == "paths"
    assert "tests/test_cart.py" not in world.paths()
    assert {"file1.txt", "file3.txt", "file4.txt"} <= world.paths()
    batch, head = world.batch(), run_git(world.repo, "rev-parse", "main")
    assert batch.status is BatchStatus.DONE
    landed = run_git(world.repo, "log", "--reverse", "--format=%s", f"{batch.base}..{head}").splitlines()
    assert landed == [f"Work on {issue} (#{issue})" for issue in (1, 3, 4)]
    assert [run.verdict for run in batch.suite] == ["failed", "passed"]
    assert batch.suite[-1].tree == run_git(world.repo, "rev-parse", f"{head}^{{tree}}")


def test_v_04_nobody_landed(world: World) -> None:
    """V-04: one evicted, one handed back: dissolved `no-landed-members`, no suite, no request."""
    world.configure(completion="milestone")
    world.issues(1, 2)
    world.agent(1, "true", ends="exit 0")
    world.agent(2, "true", ends="gitsched hand-back --reason no")
    world.enqueue(1, 2)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DISSOLVED, "no-landed-members")
    assert [world.entry(n).status for n in (1, 2)] == [EntryStatus.PARKED] * 2
    assert not world.batch().suite
    assert world.batch().pr is None


def test_v_06_no_suite_is_said(world: World) -> None:
    """V-06: `suite.run = "none"`: the batch goes on, no suite runs, and the request says so."""
    world.configure(suite='\n[suite]\nrun = "none"\n')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert not world.batch().suite
    (shown,) = world.status()["batches"]
    assert shown["suite"]["verdict"] is None
    assert "No suite is declared" in world.request().body
