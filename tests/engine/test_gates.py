"""Gates on members: what each verdict does to a batch."""

import textwrap

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.engine.world import World

UNIT = """
[[gates]]
name = "unit"
run = ["sh", "gate.sh", "{report}"]
report = "junit"
"""
REPORT = '<testsuite><testcase classname="shop" name="test_total" file="test_shop.py">{inner}</testcase></testsuite>'


def gate(world: World, script: str) -> None:
    """Put the gate's script into the repository."""
    (world.repo / "gate.sh").write_text(textwrap.dedent(script))
    world.commit("Add a gate")


def test_l_01_an_evidenced_failure_evicts(world: World) -> None:
    """L-01, A-31: a gate that fails twice with evidence evicts its member, with the failing test in its evidence.

    It waits for a person, who is told the next command.
    """
    world.configure(UNIT)
    failing = REPORT.format(inner='<failure message="no"/>')
    gate(world, f"if [ -f bad.txt ]; then echo '{failing}' > $1; exit 1; fi\necho '{REPORT.format(inner='')}' > $1\n")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, "echo bad > bad.txt")
    world.enqueue(1, 2)
    ending = world.run()
    world.expect_landed(1)
    member = world.member(2)
    assert member.status is MemberStatus.EVICTED
    assert member.reason == "gate-failed:unit"
    assert (member.gates["unit"].verdict, member.gates["unit"].runs) == ("failed", 2)
    assert world.entry(2).status is EntryStatus.PARKED
    assert world.entry(2).evidence[-1].failing == ("shop.test_total",)
    assert ending.went_wrong
    assert world.why(2).next == "gitsched requeue 2"
    assert world.started().count("2 0") == len([line for line in world.started() if line.startswith("2 ")])


def test_l_02_no_evidence_is_inconclusive(world: World) -> None:
    """L-02: a gate that fails without evidence lands its member and blocks the batch once all are resolved."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "gate.sh"]\n')
    gate(world, "echo 'tee: write error: broken pipe'; exit 1\n")
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "gate-inconclusive:unit")
    assert world.member(1).gates["unit"].verdict == "unevidenced"
    assert world.member(1).tree is not None
    assert not batch.evictions
