"""What each verdict of a gate does to its member and its batch, on the whole engine."""

import os
import textwrap

import pytest

from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import configuration_difference
from tests.engine.world import World
from tests.real_git import run_git

REPORT = '<testsuite><testcase classname="shop" name="test_total" file="test_shop.py">{inner}</testcase></testsuite>'
GREEN = REPORT.format(inner="")
RED = REPORT.format(inner='<failure message="no"/>')


def gate(name: str, script: str, *, report: bool = True, more: str = "") -> str:
    """Declare a gate whose script is in the repository."""
    run = f'run = ["sh", "{script}", "{{report}}"]\nreport = "junit"' if report else f'run = ["sh", "{script}"]'
    return f'[[gates]]\nname = "{name}"\n{run}\n{more}\n'


def put(world: World, **scripts: str) -> None:
    """Commit scripts to the target, by name without `.sh`."""
    for name, text in scripts.items():
        (world.repo / f"{name}.sh").write_text(textwrap.dedent(text))
    world.commit("Add scripts")


def test_doubt_is_never_green_and_never_blames(world: World) -> None:
    """L-03, L-04, L-05: broken, empty and unreadable gates are inconclusive, whatever their exit; the member lands."""
    scripts = {
        "gone": ("broken", "exit 127"),
        "sealed": ("broken", "exit 126"),
        "killed": ("broken", "kill -9 $$"),
        "bare": ("empty", "echo '<testsuite tests=\"0\"/>' > $1"),
        "missing": ("unreadable", "exit 0"),
        "zero": ("unreadable", ": > $1"),
        "cut": ("unreadable", f"echo '{GREEN[:40]}' > $1"),
    }
    nowhere = '[[gates]]\nname = "nowhere"\nrun = ["no-such-program"]\n'
    world.configure("".join(gate(name, f"{name}.sh") for name in scripts) + nowhere)
    put(world, **{name: script for name, (_, script) in scripts.items()})
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    world.expect_landed(1)
    member, batch = world.member(1), world.batch()
    assert {name: result.verdict for name, result in member.gates.items()} == {
        **{name: verdict for name, (verdict, _) in scripts.items()},
        "nowhere": "broken",
    }
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "gate-inconclusive:gone")
    assert member.tree is not None
    assert not batch.evictions
    assert not world.told("gate-passed")


def test_l_06_an_old_report_is_nobodys(world: World) -> None:
    """L-06: an earlier run left green reports in the tree and at its own path; a gate that crashes is unreadable."""
    world.configure(gate("unit", "gate.sh"))
    world.slots(1)
    put(
        world,
        gate=f"""\
        if [ ! -f file2.txt ]; then echo '{GREEN}' | tee report.xml junit.xml > $1; exit 0; fi
        test -f again && exit 1
        touch again
        echo '{RED}' | tee report.xml > $1; exit 1
        """,
    )
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    assert world.member(1).gates["unit"].verdict == "passed"
    second = world.member(2).gates["unit"]
    assert (second.verdict, second.runs) == ("unreadable", 2)
    assert world.batch().reason == "gate-inconclusive:unit"


def test_l_07_l_09_l_42_a_deadline_declines_and_doubt_decides_unless_evidence_speaks(world: World) -> None:
    """L-07, L-09, L-42: timed out and broken: blocked for the broken one; a linter's exit 1 evicts all the same."""
    world.configure(
        gate("types", "types.sh", report=False, more='timeout = "1s"')
        + gate("unit", "unit.sh", report=False)
        + gate("style", "style.sh", report=False, more='kind = "check"')
    )
    put(world, types="sleep 300 &\nsleep 300\n", unit="exit 127\n", style="test ! -f bad.txt\n")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, "echo bad > bad.txt")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1)
    first, second, batch = world.member(1), world.member(2), world.batch()
    assert {name: result.verdict for name, result in first.gates.items()} == {
        "types": "timed-out",
        "unit": "broken",
        "style": "passed",
    }
    assert [event.fields["gate"] for event in world.told("gate-skipped", 1)] == ["types"]
    assert [event.fields["gate"] for event in world.told("gate-passed", 1)] == ["style"]
    assert (second.status, second.reason) == (MemberStatus.EVICTED, "gate-failed:style")
    assert second.gates["types"].verdict == "timed-out"
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "gate-inconclusive:unit")


def test_l_07_a_deadline_alone_blocks_nothing(world: World) -> None:
    """L-07: with only a timed-out gate the batch ships, and its request never shows that gate as passed."""
    world.configure(gate("types", "types.sh", report=False, more='timeout = "1s"'))
    put(world, types="sleep 300 &\nsleep 300\n")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    body = world.request().body
    assert "`types` `timed-out`" in body
    assert not world.told("gate-passed")


def test_l_43_nothing_ships_on_a_skipped_gate_alone(world: World) -> None:
    """L-43: without a suite a timed-out gate is inconclusive, and the batch blocks."""
    world.configure(gate("types", "types.sh", report=False, more='timeout = "1s"'), suite='\n[suite]\nrun = "none"\n')
    put(world, types="sleep 300\n")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    world.expect_landed(1)
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "gate-inconclusive:types")
    assert "file1.txt" not in world.paths()


def test_l_10_a_gate_that_rewrites_the_tree_is_stale(world: World) -> None:
    """L-10: exit 0 after a change of a tracked file is no pass; the change lands nowhere and stains no later gate."""
    world.configure(gate("format", "format.sh", report=False) + gate("unit", "unit.sh", report=False))
    put(world, format=f"[ -f {world.scripts}/mended ] || echo more >> README.md\n", unit="exit 0\n")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    world.expect_landed(1)
    member = world.member(1)
    assert member.gates["format"].verdict == "stale"
    assert member.gates["unit"].verdict == "passed"
    assert "more" not in world.show("README.md", world.batch().integration.branch)
    assert run_git(world.repo, "diff", "--name-only", member.cut or "", member.head or "") == "file1.txt"
    (world.scripts / "mended").touch()
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert "more" not in world.show("README.md")


def test_l_11_resume_runs_just_that_gate_again(world: World) -> None:
    """L-11: still broken: a fresh block; then one member passes, and the other fails with evidence and is taken out."""
    world.configure(gate("unit", "gate.sh") + gate("other", "other.sh", report=False))
    put(
        world,
        gate=f"""\
        for issue in 1 2 3; do [ -f file$issue.txt ] && break; done
        echo "unit $issue" >> {world.scripts}/gates
        . {world.scripts}/mode$issue
        """,
        other=f"echo other >> {world.scripts}/gates\n",
    )
    passes, fails, breaks = f"echo '{GREEN}' > $1\n", f"echo '{RED}' > $1; exit 1\n", "exit 127\n"
    for issue, mode in ((1, passes), (2, breaks), (3, breaks)):
        (world.scripts / f"mode{issue}").write_text(mode)
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3)
    world.run()
    world.expect_landed(1, 2, 3)
    trees = [world.member(issue).tree for issue in (1, 2, 3)]
    assert trees[0] is None
    ran = len(world.lines("gates"))
    world.resume("b1")
    world.run()
    assert world.lines("gates")[ran:] == ["unit 2", "unit 3"]
    assert [event.fields["reason"] for event in world.told("batch-blocked")] == ["gate-inconclusive:unit"] * 2
    (world.scripts / "mode2").write_text(fails)
    (world.scripts / "mode3").write_text(passes)
    assert [world.member(issue).tree for issue in (1, 2, 3)] == trees
    world.resume("b1")
    world.run()
    assert world.lines("gates")[ran + 2 :] == ["unit 2", "unit 2", "unit 3"]
    world.expect_landed(1, 3)
    assert (world.member(2).status, world.member(2).reason) == (MemberStatus.EVICTED, "gate-failed:unit")
    exit_ = world.entry(2).evidence[-1]
    assert (exit_.failing, exit_.method) == (("shop.test_total",), "gate")
    assert world.batch().status is BatchStatus.DONE
    assert {"file1.txt", "file3.txt"} <= world.paths()
    assert "file2.txt" not in world.paths()
    assert sorted(world.started()) == ["1 0", "2 0", "3 0"]


def test_l_12_a_passed_verdict_stands_for_the_same_tree_and_check(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L-12: over batches: the same tree and check are `cached`; another argv, or a declared variable, runs it anew."""
    counted = f"echo run >> {world.scripts}/gates\n"
    put(world, unit=counted, suite=f"echo suite >> {world.scripts}/gates\n")
    manual = '[ship]\nmerge = "manual"\n'
    declared = manual + gate("unit", "unit.sh", report=False)
    with_env = manual + gate("unit", "unit.sh", report=False, more='env = ["STAGE"]')
    monkeypatch.setenv("STAGE", "a")
    for issue in (1, 2, 3, 4, 5):
        world.issue(issue)
        world.agent(issue, "echo same > same.txt")
    rounds = [
        (declared, ["run", "suite"]),
        (declared, []),
        (declared.replace('"unit.sh"', '"unit.sh", "-"'), ["run"]),
        (with_env, ["run"]),
        (with_env, ["run"]),
    ]
    for issue, (text, wanted) in enumerate(rounds, start=1):
        world.configure(text)
        os.environ["STAGE"] = "b" if issue == 5 else "a"
        before = len(world.lines("gates"))
        world.enqueue(issue, batch=f"b{issue}")
        world.run()
        result = world.member(issue, f"b{issue}").gates["unit"]
        assert world.lines("gates")[before:] == wanted, issue
        assert (result.verdict, result.cached) == ("passed", "run" not in wanted), issue
        assert world.batch(f"b{issue}").status is BatchStatus.AWAITING_MERGE
    assert world.batch("b2").suite[-1].cached
    assert [event.fields["cached"] for event in world.told("gate-passed")] == [False, True, False, False, False]
    assert "`unit` `passed` (cached)" in world.request("b2").body


def test_l_13_a_member_does_not_judge_itself(world: World) -> None:
    """L-13: the CLI goes by the checkout's gates and says that the target's differ; a member's copy decides nothing."""
    (world.repo / "gitsched.toml").unlink()
    (world.repo / ".git" / "info" / "exclude").write_text("")
    (world.repo / "gitsched.toml").write_text('[suite]\nrun = ["true"]\n')
    world.commit("Configure the target without a gate")
    world.configure(gate("unit", "unit.sh", report=False, more='evidence = "exit"'))
    (world.repo / "unit.sh").write_text("exit 1\n")
    run_git(world.repo, "add", "unit.sh")
    run_git(world.repo, "commit", "-q", "-m", "Add the gate's script")
    world.issues(1)
    world.agent(
        1, "printf '[[gates]]\\nname = \"unit\"\\nrun = [\"true\"]\\n' > gitsched.toml; echo 'exit 0' > unit2.sh"
    )
    world.enqueue(1, batch="b1")
    assert "of 'main' differs" in (configuration_difference(Clone(world.repo)) or "")
    world.run()
    assert world.member(1).reason == "gate-failed:unit"
    assert world.batch().status is BatchStatus.DISSOLVED


def test_l_44_l_08_a_flake_lands_and_is_named(world: World) -> None:
    """L-44, A-31: a gate that fails once and then passes on the same tree is `flaky`: it lands, the request names it.

    Only the gate runs again; its agent does not.
    """
    world.configure(gate("unit", "gate.sh"))
    put(
        world,
        gate=f"""\
        test -f {world.scripts}/seen && {{ echo '{GREEN}' > $1; exit 0; }}
        touch {world.scripts}/seen
        echo '{RED}' > $1; exit 1
        """,
    )
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    result = world.member(1).gates["unit"]
    assert (result.verdict, result.runs) == ("flaky", 2)
    assert world.started() == ["1 0"]
    assert world.batch().status is BatchStatus.DONE
    assert not world.batch().evictions
    assert "`unit` of #1 failed once" in world.request().body


def test_l_08_no_gate_is_said_and_nothing_is_shown_as_passed(world: World) -> None:
    """L-08: without `[[gates]]` a member lands ungated: one `gate-skipped`, no gates, and the request says so."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.member(1).gates == {}
    assert len(world.told("gate-skipped")) == 1
    assert not world.told("gate-passed")
    assert "No gate is declared" in world.request().body
